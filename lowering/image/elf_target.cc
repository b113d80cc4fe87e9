// Triples are read by rules of their own, since programs without LLVM write objects as well. Flags
// must match those of the compiler, or linkers refuse the object.

#include "lowering/image/elf_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace tenon {

namespace {

// Numbers of the psABIs: e_machine (https://www.sco.com/developers/gabi/latest/ch4.eheader.html)
// and e_flags of Arm (aaelf32) and RISC-V (riscv-elf-psabi-doc).
constexpr uint16_t kI386 = 3;
constexpr uint16_t kArm = 40;
constexpr uint16_t kX86_64 = 62;
constexpr uint16_t kAArch64 = 183;
constexpr uint16_t kRiscV = 243;
constexpr uint32_t kArmEabi5 = 0x05000000;

struct RiscVAbi {
  std::string_view name;
  bool is_64_bit;
  uint32_t flags;  // float ABI in bits 1 and 2, E in bit 3
};
constexpr std::array<RiscVAbi, 9> kRiscVAbis = {{{"ilp32", false, 0},
                                                 {"ilp32f", false, 2},
                                                 {"ilp32d", false, 4},
                                                 {"ilp32e", false, 8},
                                                 {"lp64", true, 0},
                                                 {"lp64f", true, 2},
                                                 {"lp64d", true, 4},
                                                 {"lp64q", true, 6},
                                                 {"lp64e", true, 8}}};

std::string_view HostTriple() {
#if defined(__x86_64__)
  return "x86_64-linux";
#elif defined(__aarch64__)
  return "aarch64-linux";
#elif defined(__arm__)
  return "arm-linux";
#elif defined(__i386__)
  return "i686-linux";
#elif defined(__riscv) && __riscv_xlen == 64
  return "riscv64-linux";
#elif defined(__riscv)
  return "riscv32-linux";
#else
  return "";
#endif
}

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), text) != names.end();
}

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// `armv7a`, `thumbv8m.main`, but not their big-endian forms.
bool IsArm(std::string_view arch) {
  const bool named = arch.starts_with("arm") || arch.starts_with("thumb");
  return named && !arch.starts_with("armeb") && !arch.starts_with("thumbeb") &&
         !arch.ends_with("eb") && !arch.starts_with("arm64");
}

absl::Status WrongAbi(std::string_view abi, std::string_view arch) {
  return absl::InvalidArgumentError(fmt::format("the target `{1}` has no ABI `{0}`", abi, arch));
}

absl::StatusOr<ElfTarget> RiscVTarget(std::string_view triple, std::string_view abi, bool is_64) {
  const bool hosted = IsHostedTarget(triple);
  if (abi.empty()) abi = is_64 ? (hosted ? "lp64d" : "lp64") : (hosted ? "ilp32d" : "ilp32");
  for (const RiscVAbi& known : kRiscVAbis) {
    if (known.name == abi && known.is_64_bit == is_64)
      return ElfTarget{is_64 ? "riscv64" : "riscv32", kRiscV, known.flags, is_64};
  }
  return WrongAbi(abi, is_64 ? "riscv64" : "riscv32");
}

}  // namespace

bool IsHostedTarget(std::string_view triple) {
  if (triple.empty()) return true;
  for (const std::string_view system :
       {"linux", "bsd", "android", "hurd", "solaris", "fuchsia", "haiku", "apple", "darwin",
        "macos", "ios", "windows", "mingw", "cygwin"}) {
    if (Has(triple, system)) return true;
  }
  return false;
}

absl::StatusOr<ElfTarget> ParseElfTarget(std::string_view triple, std::string_view abi) {
  if (triple.empty()) triple = HostTriple();
  const std::string_view arch = triple.substr(0, triple.find('-'));
  for (const std::string_view system :
       {"apple", "darwin", "macos", "ios", "windows", "mingw", "cygwin", "wasm", "uefi"}) {
    if (!Has(triple, system)) continue;
    return absl::InvalidArgumentError(fmt::format(
        "programs for `{}` are not ELF files; pass --constant-storage=c-array or embed", triple));
  }
  const bool is_riscv64 = arch.starts_with("riscv64") || arch.starts_with("rv64");
  if (is_riscv64 || arch.starts_with("riscv32") || arch.starts_with("rv32"))
    return RiscVTarget(triple, abi, is_riscv64);
  if (IsArm(arch)) {
    if (!abi.empty() && !IsOneOf(abi, {"soft", "softfp", "hard", "aapcs", "aapcs-vfp"}))
      return WrongAbi(abi, arch);
    return ElfTarget{"arm", kArm, kArmEabi5, false};
  }
  std::optional<ElfTarget> target;
  if (IsOneOf(arch, {"x86_64", "x86-64", "amd64"}))
    target = ElfTarget{"x86_64", kX86_64, 0, !triple.ends_with("x32")};
  if (IsOneOf(arch, {"i386", "i486", "i586", "i686", "x86"}))
    target = ElfTarget{"i386", kI386, 0, false};
  if (IsOneOf(arch, {"aarch64", "arm64"}))
    target = ElfTarget{"aarch64", kAArch64, 0, !triple.ends_with("_ilp32")};
  if (target && !abi.empty()) return WrongAbi(abi, arch);
  if (target) return *std::move(target);
  return absl::InvalidArgumentError(
      fmt::format("cannot write ELF objects for the target `{}`, expected x86_64, i686, aarch64, "
                  "arm, thumb, riscv32 or riscv64",
                  triple));
}

}  // namespace tenon
