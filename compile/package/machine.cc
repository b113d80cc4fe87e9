#include "compile/package/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "support/file.h"
#include "support/programs.h"
#include "support/shell_word.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

/// An instruction set: its name here, the macro of compilers, and the name in /proc/cpuinfo.
struct Feature {
  std::string_view name;
  std::string_view macro;
  std::string_view cpuinfo;
};

/// The features that compilers use by themselves. The baseline of x86-64 and of AArch64 is not
/// listed. No macro of one architecture is one of the other.
constexpr Feature kFeatures[] = {
    {"abm", "__LZCNT__", "abm"},
    {"avx", "__AVX__", "avx"},
    {"avx2", "__AVX2__", "avx2"},
    {"avx512bf16", "__AVX512BF16__", "avx512_bf16"},
    {"avx512bitalg", "__AVX512BITALG__", "avx512_bitalg"},
    {"avx512bw", "__AVX512BW__", "avx512bw"},
    {"avx512cd", "__AVX512CD__", "avx512cd"},
    {"avx512dq", "__AVX512DQ__", "avx512dq"},
    {"avx512f", "__AVX512F__", "avx512f"},
    {"avx512fp16", "__AVX512FP16__", "avx512_fp16"},
    {"avx512ifma", "__AVX512IFMA__", "avx512ifma"},
    {"avx512vbmi", "__AVX512VBMI__", "avx512vbmi"},
    {"avx512vbmi2", "__AVX512VBMI2__", "avx512_vbmi2"},
    {"avx512vl", "__AVX512VL__", "avx512vl"},
    {"avx512vnni", "__AVX512VNNI__", "avx512_vnni"},
    {"avx512vpopcntdq", "__AVX512VPOPCNTDQ__", "avx512_vpopcntdq"},
    {"avxvnni", "__AVXVNNI__", "avx_vnni"},
    {"bf16", "__ARM_FEATURE_BF16_VECTOR_ARITHMETIC", "bf16"},
    {"bmi", "__BMI__", "bmi1"},
    {"bmi2", "__BMI2__", "bmi2"},
    {"crc32", "__ARM_FEATURE_CRC32", "crc32"},
    {"dotprod", "__ARM_FEATURE_DOTPROD", "asimddp"},
    {"f16c", "__F16C__", "f16c"},
    {"fma", "__FMA__", "fma"},
    {"fma4", "__FMA4__", "fma4"},
    {"fp16", "__ARM_FEATURE_FP16_VECTOR_ARITHMETIC", "asimdhp"},
    {"gfni", "__GFNI__", "gfni"},
    {"i8mm", "__ARM_FEATURE_MATMUL_INT8", "i8mm"},
    {"lse", "__ARM_FEATURE_ATOMICS", "atomics"},
    {"movbe", "__MOVBE__", "movbe"},
    {"neon", "", "asimd"},
    {"popcnt", "__POPCNT__", "popcnt"},
    {"sse3", "__SSE3__", "pni"},
    {"sse4_1", "__SSE4_1__", "sse4_1"},
    {"sse4_2", "__SSE4_2__", "sse4_2"},
    {"sse4a", "__SSE4A__", "sse4a"},
    {"ssse3", "__SSSE3__", "ssse3"},
    {"sve", "__ARM_FEATURE_SVE", "sve"},
    {"sve2", "__ARM_FEATURE_SVE2", "sve2"},
    {"vpclmulqdq", "__VPCLMULQDQ__", "vpclmulqdq"},
    {"xop", "__XOP__", "xop"},
};

/// Macros of compilers, and what `uname -m` says of the machine.
struct Architecture {
  std::string_view macro;
  std::string_view name;
};
constexpr Architecture kArchitectures[] = {
    {"__x86_64__", "x86_64"}, {"__i386__", "i386"},   {"__aarch64__", "aarch64"},
    {"__arm__", "arm"},       {"__riscv", "riscv64"}, {"__powerpc64__", "ppc64le"},
    {"__s390x__", "s390x"},
};

/// The text between two line ends or blanks, from `at` on; moves `at` after it.
std::string_view NextWord(std::string_view text, size_t& at) {
  at = std::min(text.find_first_not_of(" \t", at), text.size());
  const size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
  const std::string_view word = text.substr(at, end - at);
  at = end;
  return word;
}

/// The names that `#define` lines of a compiler define.
std::vector<std::string_view> MacrosOf(std::string_view text) {
  constexpr std::string_view kDefine = "#define ";
  std::vector<std::string_view> macros;
  for (size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1) {
    if (!text.substr(at).starts_with(kDefine)) continue;
    size_t word = at + kDefine.size();
    macros.push_back(NextWord(text, word));
  }
  std::sort(macros.begin(), macros.end());
  return macros;
}

std::string ArchitectureName(std::string_view machine) {
  // 32-bit x86 and Arm have a name for each generation.
  if (machine.size() == 4 && machine[0] == 'i' && machine.ends_with("86")) return "i386";
  if (machine.starts_with("armv")) return "arm";
  return std::string(machine);
}

}  // namespace

bool PackageMachine::Has(std::string_view feature) const {
  return std::find(features.begin(), features.end(), feature) != features.end();
}

absl::StatusOr<PackageMachine> MachineOfCode(const std::vector<std::string>& cc,
                                             const std::vector<std::string>& flags) {
  TENON_ASSIGN_OR(const TemporaryFolder folder, TemporaryFolder::Create());
  std::vector<std::string> words = cc;
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), {"-dM", "-E", "-x", "c", "/dev/null"});
  const std::string log = folder.File("macros.txt");
  TENON_ASSIGN_OR(const int code, RunProgram(words, log));
  TENON_ASSIGN_OR(const std::shared_ptr<const FileBytes> said, ReadFile(log));
  const std::vector<std::string_view> macros = MacrosOf(said->view());
  const auto defines = [&](std::string_view macro) {
    return std::binary_search(macros.begin(), macros.end(), macro);
  };
  PackageMachine machine;
  for (const Architecture& known : kArchitectures) {
    if (defines(known.macro)) machine.architecture = known.name;
  }
  if (code != 0 || machine.architecture.empty() || !defines("__linux__")) {
    return absl::FailedPreconditionError(
        fmt::format("expected a C compiler for Linux that tells its macros by `-dM -E`; `{}` did "
                    "not",
                    ShellWords(words)));
  }
  for (const Feature& feature : kFeatures) {
    if (defines(feature.macro)) machine.features.emplace_back(feature.name);
  }
  return machine;
}

std::vector<std::string> FeaturesOfCpuInfo(std::string_view text) {
  std::vector<std::string_view> flags;
  // The first processor's line; the kernel lists what all of them have.
  for (size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1) {
    size_t word = at;
    const std::string_view key = NextWord(text, word);
    if (key != "flags" && key != "Features") continue;
    while (word < text.size() && text[word] != '\n') flags.push_back(NextWord(text, word));
    break;
  }
  std::vector<std::string> features;
  for (const Feature& feature : kFeatures) {
    if (std::find(flags.begin(), flags.end(), feature.cpuinfo) != flags.end())
      features.emplace_back(feature.name);
  }
  return features;
}

PackageMachine ThisMachine() {
  PackageMachine machine;
  utsname names = {};
  if (uname(&names) == 0) machine.architecture = ArchitectureName(names.machine);
  const absl::StatusOr<std::shared_ptr<const FileBytes>> info = ReadFile("/proc/cpuinfo");
  if (info.ok()) machine.features = FeaturesOfCpuInfo((*info)->view());
  return machine;
}

std::optional<std::string> WhyNotOn(const PackageMachine& machine, const PackageMachine& needs) {
  if (needs.architecture != machine.architecture) {
    return fmt::format("expected a processor of the architecture `{}`, found `{}`",
                       needs.architecture, machine.architecture);
  }
  std::vector<std::string> missing;
  for (const std::string& feature : needs.features) {
    if (!machine.Has(feature)) missing.push_back(fmt::format("`{}`", feature));
  }
  if (missing.empty()) return std::nullopt;
  return fmt::format("expected a processor with {}, which this one lacks",
                     fmt::join(missing, ", "));
}

bool IsKnownFeature(std::string_view feature) {
  return std::any_of(std::begin(kFeatures), std::end(kFeatures),
                     [&](const Feature& known) { return known.name == feature; });
}

}  // namespace tenon
