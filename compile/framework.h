#ifndef TENON_COMPILE_FRAMEWORK_H_
#define TENON_COMPILE_FRAMEWORK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "compile/compiler.h"

// The C of models as a folder that a framework for boards takes: a module of Zephyr
// (docs.zephyrproject.org/latest/develop/modules.html), or a library of Arduino
// (arduino.github.io/arduino-cli/latest/library-specification).

namespace tenon {

enum class Framework : uint8_t { kZephyr, kArduino };

/// The framework of a value of --emit; nullopt for other values.
std::optional<Framework> FrameworkOf(std::string_view emit);

struct FrameworkOptions {
  /// The version of Tenon: `0.1.0`.
  std::string version;
  /// The program, for comments: `Tenon 0.1.0 (commit 1a2b3c4d)`.
  std::string program;
  /// The name of the workspace that models share; empty if they share none.
  std::string shared_name;
};

/// The options of a compilation whose artifacts FrameworkFiles takes: C with constants in arrays,
/// since frameworks compile sources alone.
CompileOptions FrameworkCompileOptions(CompileOptions options);

/// The artifacts in the folders of the framework, with the files that describe them to it. An error
/// if there is code other than sources.
absl::StatusOr<std::vector<Artifact>> FrameworkFiles(Framework framework,
                                                     const Artifacts& artifacts,
                                                     const FrameworkOptions& options);

}  // namespace tenon

#endif  // TENON_COMPILE_FRAMEWORK_H_
