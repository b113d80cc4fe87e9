#ifndef TENON_LOWERING_IMAGE_ELF_TARGET_H_
#define TENON_LOWERING_IMAGE_ELF_TARGET_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tenon {

/// What the header of an ELF file says of the machine; all of them are little endian.
struct ElfTarget {
  std::string name;      ///< `x86_64`, `aarch64`, `arm`, `riscv32`, ...
  uint16_t machine = 0;  ///< e_machine
  uint32_t flags = 0;    ///< e_flags
  bool is_64_bit = true;
};

/// The machine of a triple (`riscv64-unknown-linux-gnu`) or of an architecture's name (`thumbv7em`,
/// `arm64`); empty text stands for the machine that this program is built for. `abi` is the RISC-V
/// ABI (`ilp32`, `lp64d`, ...), by default that of clang for the triple: with double-precision
/// registers under Linux, without elsewhere. On Arm `soft`, `softfp` and `hard` are the same for
/// data, and `abi` is nothing elsewhere. An error for what has no ELF, is big endian or is not
/// known.
absl::StatusOr<ElfTarget> ParseElfTarget(std::string_view triple, std::string_view abi = {});

/// Programs for the target run on a system that has libraries: that of this program, for empty
/// text, or one that the triple names. `thumbv7em-none-eabi` and bare names of machines name none.
bool IsHostedTarget(std::string_view triple);

}  // namespace tenon

#endif  // TENON_LOWERING_IMAGE_ELF_TARGET_H_
