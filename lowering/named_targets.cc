#include "lowering/named_targets.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon {

namespace {

constexpr std::string_view kSoft = "thumbv7em-none-eabi";
constexpr std::string_view kHard = "thumbv7em-none-eabihf";

/// The names of Arm processors are gcc's, `+nofp` for one without a floating-point unit included.
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

}  // namespace

std::span<const NamedTarget> NamedTargets() { return kTargets; }

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

std::string ListTargets() {
  std::string text = fmt::format("{:<16} {:<28} {}\n", "name", "triple", "options of gcc");
  for (const NamedTarget& target : kTargets)
    text += fmt::format("{:<16} {:<28} {}\n", target.name, target.triple, target.gcc);
  return text;
}

}  // namespace tenon
