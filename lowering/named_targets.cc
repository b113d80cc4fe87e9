// A table, since users know the name of a chip, but not its triple. LLVM and gcc name processors
// and features in different ways, so each row has both.

#include "lowering/named_targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/nearest_name.h"
#include "support/shown_text.h"

namespace tenon {

namespace {

constexpr std::string_view kSoft = "thumbv7em-none-eabi";
constexpr std::string_view kHard = "thumbv7em-none-eabihf";

/// Ordered by family, the smallest processor first. The names of Arm processors are gcc's, `+nofp`
/// for one without a floating-point unit included.
constexpr NamedTarget kTargets[] = {
    {"cortex-m0", "thumbv6m-none-eabi", "cortex-m0", "", "", "-mcpu=cortex-m0 -mthumb"},
    {"cortex-m0plus", "thumbv6m-none-eabi", "cortex-m0plus", "", "", "-mcpu=cortex-m0plus -mthumb"},
    {"cortex-m3", "thumbv7m-none-eabi", "cortex-m3", "", "", "-mcpu=cortex-m3 -mthumb"},
    {"cortex-m4+nofp", kSoft, "cortex-m4", "-fpregs", "",
     "-mcpu=cortex-m4 -mthumb -mfloat-abi=soft"},
    {"cortex-m4", kHard, "cortex-m4", "", "",
     "-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16"},
    {"cortex-m7+nofp", kSoft, "cortex-m7", "-fpregs", "",
     "-mcpu=cortex-m7 -mthumb -mfloat-abi=soft"},
    {"cortex-m7", kHard, "cortex-m7", "", "",
     "-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16"},
    {"cortex-m33+nofp", "thumbv8m.main-none-eabi", "cortex-m33", "-fpregs", "",
     "-mcpu=cortex-m33 -mthumb -mfloat-abi=soft"},
    {"cortex-m33", "thumbv8m.main-none-eabihf", "cortex-m33", "", "",
     "-mcpu=cortex-m33 -mthumb -mfloat-abi=hard -mfpu=fpv5-sp-d16"},
    {"cortex-m55", "thumbv8.1m.main-none-eabihf", "cortex-m55", "", "",
     "-mcpu=cortex-m55 -mthumb -mfloat-abi=hard"},
    {"rv32imc", "riscv32-unknown-elf", "", "+m,+c", "ilp32", "-march=rv32imc -mabi=ilp32"},
    {"rv32imac", "riscv32-unknown-elf", "", "+m,+a,+c", "ilp32", "-march=rv32imac -mabi=ilp32"},
    {"rv32imafc", "riscv32-unknown-elf", "", "+m,+a,+f,+c", "ilp32f",
     "-march=rv32imafc -mabi=ilp32f"},
    {"rv64gc", "riscv64-unknown-elf", "", "+m,+a,+f,+d,+c", "lp64d", "-march=rv64gc -mabi=lp64d"},
};

/// Beginnings of triples, as LLVM and gcc spell them. Versions such as `v7em` or `32imac` follow
/// those in kFamilies.
constexpr std::string_view kArchitectures[] = {
    "aarch64_be", "alpha",   "amd64",   "amdgcn",  "arc",   "avr",       "bfin",   "bpf",
    "csky",       "frv",     "hexagon", "hppa",    "i386",  "i486",      "i586",   "i686",
    "ia64",       "lanai",   "lm32",    "m32r",    "m68k",  "moxie",     "msp430", "nvptx",
    "nvptx64",    "or1k",    "riscv",   "rl78",    "rx",    "s390x",     "sparc",  "sparcv9",
    "sparc64",    "systemz", "tce",     "tricore", "v850",  "ve",        "visium", "wasm32",
    "wasm64",     "x86",     "x86_64",  "x86_64h", "xcore", "xstormy16", "xtensa",
};
constexpr std::string_view kFamilies[] = {
    "aarch64", "arm64",   "arm",       "thumb", "riscv32",    "riscv64", "mips",
    "ppc",     "powerpc", "loongarch", "sh",    "microblaze", "nios2",
};

bool IsArchitecture(std::string_view name) {
  if (std::ranges::find(kArchitectures, name) != std::end(kArchitectures)) return true;
  return std::ranges::any_of(kFamilies, [&](std::string_view family) {
    if (!name.starts_with(family)) return false;
    // `riscv32imac` and other sets of instructions.
    if (family.starts_with("riscv")) return true;
    const std::string_view rest = name.substr(family.size());
    constexpr std::string_view kVersions = "0123456789_vbel";
    return rest.empty() || kVersions.find(rest[0]) != std::string_view::npos;
  });
}

}  // namespace

absl::Status CheckTriple(std::string_view triple) {
  if (triple.empty() || IsArchitecture(triple.substr(0, triple.find('-')))) return absl::OkStatus();
  std::vector<std::string> names;
  for (const NamedTarget& target : kTargets) names.emplace_back(target.name);
  const std::string near = DidYouMean(triple, names);
  return absl::InvalidArgumentError(fmt::format(
      "unknown target `{}`{}", ShownText(triple),
      near.empty() ? "; expected a name of --list-targets or a triple such as `thumbv7em-none-eabi`"
                   : near));
}

TargetSpec WithNamedTarget(TargetSpec spec) {
  const auto* found = std::ranges::find(kTargets, spec.triple, &NamedTarget::name);
  if (found == std::end(kTargets)) return spec;
  spec.triple = found->triple;
  if (spec.cpu.empty()) spec.cpu = found->cpu;
  if (spec.abi.empty()) spec.abi = found->abi;
  if (!found->features.empty()) {
    spec.features =
        fmt::format("{}{}{}", found->features, spec.features.empty() ? "" : ",", spec.features);
  }
  return spec;
}

const NamedTarget* FindNamedTarget(std::string_view cpu) {
  // The target of that name comes before others with the same processor.
  const NamedTarget* found = nullptr;
  for (const NamedTarget& target : kTargets) {
    if (target.name == cpu) return &target;
    if (found == nullptr && target.cpu == cpu) found = &target;
  }
  return found;
}

std::string ListTargets() {
  std::string text = fmt::format("{:<16} {:<28} {}\n", "name", "triple", "options of gcc");
  for (const NamedTarget& target : kTargets)
    text += fmt::format("{:<16} {:<28} {}\n", target.name, target.triple, target.gcc);
  return text;
}

}  // namespace tenon
