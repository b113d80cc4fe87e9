#ifndef TENON_LOWERING_IMAGE_ELF_TARGET_H_
#define TENON_LOWERING_IMAGE_ELF_TARGET_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tenon {

/// The machine in the header of an ELF file. All supported machines are little endian.
struct ElfTarget {
  std::string name;      ///< `x86_64`, `aarch64`, `arm`, `riscv32`, ...
  uint16_t machine = 0;  ///< e_machine
  uint32_t flags = 0;    ///< e_flags
  bool is_64_bit = true;
};

/// The machine of a triple (`riscv64-unknown-linux-gnu`) or of an architecture's name (`thumbv7em`,
/// `arm64`). Empty text means the machine that this program is built for. `abi` is the RISC-V ABI
/// (`ilp32`, `lp64d`, ...); the default is clang's for the triple: with double-precision registers
/// under Linux, without them elsewhere. On Arm, `soft`, `softfp` and `hard` make no difference for
/// data. Other machines have no `abi`. An error for a machine that has no ELF, is big endian or is
/// unknown.
absl::StatusOr<ElfTarget> ParseElfTarget(std::string_view triple, std::string_view abi = {});

/// Whether programs for the target run on a system with libraries: this program's system for empty
/// text, or the system that the triple names. `thumbv7em-none-eabi` and bare machine names do not
/// name a system.
bool IsHostedTarget(std::string_view triple);

}  // namespace tenon

#endif  // TENON_LOWERING_IMAGE_ELF_TARGET_H_
