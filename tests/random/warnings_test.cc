// The C of random modules compiles without warnings. TENON_RANDOM_CC and TENON_RANDOM_CFLAGS choose
// one compiler and its flags, and TENON_RANDOM_BARE machines without a system:
// scripts/random_warnings.py tries every compiler that is installed.

#include "compile/compiler.h"
#include "lowering/c/c_backend.h"
#include "lowering/named_targets.h"
#include "random/check.h"
#include "random/ways.h"
#include "tests/unit/support/temp_folder.h"

namespace tenon::random_ir {
namespace {

constexpr const char* kWarnings = "-Wall -Wextra -Wpedantic -Wconversion -Werror";

/// Options that change the text of the C. Each varies with another period, so that seeds meet many
/// combinations.
CompileOptions OptionsOf(uint64_t seed) {
  static constexpr std::array kLoops = {ParallelLoops::kSerial, ParallelLoops::kThreads,
                                        ParallelLoops::kHook};
  static constexpr std::array kStorages = {ConstantStorage::kCArray, ConstantStorage::kCArray,
                                           ConstantStorage::kIncbin, ConstantStorage::kFile};
  static constexpr std::array<const char*, 4> kTargets = {"", "", "cortex-m4", "cortex-m55"};
  Dice dice(seed ^ 0xc0de);
  CompileOptions options;
  AddFusion(seed, options);
  options.parallel = dice.Pick(kLoops);
  options.loop_passes = dice.Percent(50) ? Switch::kOn : Switch::kAuto;
  options.gnu_vectors = dice.Percent(40);
  options.constant_storage = dice.Pick(kStorages);
  // A machine without a system has no files and no threads.
  options.hosted = std::getenv("TENON_RANDOM_BARE") == nullptr;
  if (!*options.hosted) {
    if (options.parallel == ParallelLoops::kThreads) options.parallel = ParallelLoops::kHook;
    if (options.constant_storage == ConstantStorage::kFile)
      options.constant_storage = ConstantStorage::kCArray;
  }
  options.target.triple = dice.Pick(kTargets);
  options.target = WithNamedTarget(options.target);
  options.map_inputs = dice.Percent(20);
  options.map_outputs = dice.Percent(20);
  // Constants in RAM are in the first pool.
  if (dice.Percent(30)) options.workspace_pools = dice.Percent(50) ? "slow" : "slow;fast:64";
  if (dice.Percent(30)) options.promote = PromoteConstantsOptions{.budget = dice.Below(5) * 32};
  if (dice.Percent(30)) options.compress = CompressConstantsOptions{.min_ratio = 1};
  options.link_params = options.promote || options.compress || dice.Percent(80);
  return options;
}

/// Writes the C of a seed's module; the source is `tvmgen_s<seed>.c`.
void WriteC(uint64_t seed, const TempFolder& folder) {
  Sample sample(seed, ModuleOf(seed));
  const CompileUnit unit = {&sample.module, {}, fmt::format("s{}", seed)};
  const auto compiled = Compile({&unit, 1}, OptionsOf(seed), CBackend(), sample.diagnostics);
  ASSERT_TRUE(compiled.has_value()) << sample.Messages() << PrintModule(sample.module);
  for (const auto& [role, file] : compiled->files) folder.Write(file.name, file.text);
}

/// A compiler with its flags.
struct CompilerFlags {
  std::string compiler;
  std::string flags;
};

/// The compiler of the environment, or two usual ones.
std::vector<CompilerFlags> Compilers() {
  const char* compiler = std::getenv("TENON_RANDOM_CC");
  const char* flags = std::getenv("TENON_RANDOM_CFLAGS");
  if (compiler != nullptr || flags != nullptr) {
    return {{compiler == nullptr ? "cc" : compiler, flags == nullptr ? "-std=c99" : flags}};
  }
  return {{"cc", "-std=c99 -O2"}, {"clang", "-x c++ -std=c++17 -O1"}};
}

TEST(RandomC, CompilesWithoutWarnings) {
  const TempFolder folder(std::getenv("TENON_RANDOM_KEEP") != nullptr);
  ASSERT_FALSE(folder.path().empty());
  const Seeds seeds(16);
  for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    ASSERT_NO_FATAL_FAILURE(WriteC(seed, folder)) << Again(seed);
  size_t tried = 0;
  for (const auto& [compiler, flags] : Compilers()) {
    if (!folder.Run(compiler + " --version > /dev/null 2>&1")) continue;
    ++tried;
    // Objects, since compilers find unused functions only after all of a source.
    const bool clean =
        folder.Run(fmt::format("{} {} {} -I. -c *.c > log.txt 2>&1", compiler, flags, kWarnings));
    const std::string log = folder.Read("log.txt");
    EXPECT_TRUE(clean) << compiler << " " << flags << "\n" << log.substr(0, 6000);
  }
  if (tried == 0) GTEST_SKIP() << "no C compiler";
}

}  // namespace
}  // namespace tenon::random_ir
