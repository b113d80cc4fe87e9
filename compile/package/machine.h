#ifndef TENON_COMPILE_PACKAGE_MACHINE_H_
#define TENON_COMPILE_PACKAGE_MACHINE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tenon {

/// The features that machine code needs, or that a processor has.
struct PackageMachine {
  /// As `uname -m` says: `x86_64`, `aarch64`.
  std::string architecture;
  /// Instructions besides those of every processor of the architecture, in the order of the
  /// alphabet. The names are those of runtime/tenon_external.h, where it has them: `avx2`.
  std::vector<std::string> features;

  bool Has(std::string_view feature) const;
};

/// The features that code of `cc` with `flags` needs, according to the macros that `cc` predefines.
absl::StatusOr<PackageMachine> MachineOfCode(const std::vector<std::string>& cc,
                                             const std::vector<std::string>& flags);

/// The machine that this process runs on. Without Linux's /proc/cpuinfo it has no features.
PackageMachine ThisMachine();
/// As above, from the text of /proc/cpuinfo.
std::vector<std::string> FeaturesOfCpuInfo(std::string_view text);

/// Why `machine` cannot run code with these needs; nullopt if it can.
std::optional<std::string> WhyNotOn(const PackageMachine& machine, const PackageMachine& needs);

/// Whether `feature` is an instruction set that ThisMachine would list.
bool IsKnownFeature(std::string_view feature);

}  // namespace tenon

#endif  // TENON_COMPILE_PACKAGE_MACHINE_H_
