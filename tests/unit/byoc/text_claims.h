#ifndef TENON_TESTS_UNIT_BYOC_TEXT_CLAIMS_H_
#define TENON_TESTS_UNIT_BYOC_TEXT_CLAIMS_H_

#include <gtest/gtest.h>

#include <filesystem>

#include "byoc/known_passes.h"
#include "byoc/recognise_ops.h"
#include "parser/parser.h"
#include "passes/pipeline/runner.h"
#include "support/file.h"
#include "tests/unit/byoc/claim_check.h"

namespace tenon {

/// The number of operators of a text, of operators without a claim, and of claims whose constants
/// became parameters of a function.
struct ClaimCounts {
  int all = 0;
  int unknown = 0;
  int moved = 0;
};

/// The constants of a claim that are parameters of another form of its function, whose claim is
/// `now`.
inline ParamBytes MovedConstants(const Function& function, const OpInfo& info, const OpInfo& now) {
  ParamBytes given;
  const std::vector<const AllocateConst*> constants = ConstantsOf(*function.func);
  const auto& operands = info.computation.operands;
  EXPECT_EQ(operands.size(), now.computation.operands.size());
  for (size_t i = 0; i < std::min(operands.size(), now.computation.operands.size()); ++i) {
    const ComputationOperand& moved = now.computation.operands[i];
    EXPECT_FALSE(moved.constant);
    EXPECT_TRUE(operands[i].constant || operands[i].index == moved.index);
    if (!operands[i].constant) continue;
    const auto bytes = constants[static_cast<size_t>(operands[i].index)]->data->Bytes();
    EXPECT_TRUE(bytes.ok());
    if (bytes.ok()) given[moved.index].assign(bytes->begin(), bytes->end());
  }
  return given;
}

/// Runs a pass that makes parameters of the constants of `claimed`. Then compares the claims, which
/// name these parameters, with their bodies. Returns the number of claims that had constants.
inline int CheckMovedClaims(const IRModule& claimed, std::string_view pass, int64_t most_macs) {
  Diagnostics diagnostics;
  int moved = 0;
  const auto pipeline = ParsePipeline(claimed.context(), pass, KnownPasses(), diagnostics);
  const auto module = RunPipeline(claimed, *pipeline, {}, diagnostics);
  EXPECT_TRUE(module.has_value()) << Render(claimed.context().sources(), diagnostics);
  if (!module) return 0;
  const auto interpreter = Interpreter::Compile(*module, diagnostics);
  EXPECT_TRUE(interpreter.ok()) << Render(claimed.context().sources(), diagnostics);
  for (const Function& function : claimed.functions()) {
    const std::optional<OpInfo> info = ReadOpInfo(function);
    if (!interpreter.ok() || !info || !info->known() || info->macs > most_macs) continue;
    const Function& now = *module->Find(function.name);
    const std::optional<OpInfo> claim = ReadOpInfo(now);
    const std::string name = fmt::format("{} {} {}", pass, function.name.view(), info->kind);
    EXPECT_TRUE(claim.has_value()) << name;
    if (!claim || ConstantsOf(*function.func).empty()) continue;
    ++moved;
    const ParamBytes given = MovedConstants(function, *info, *claim);
    EXPECT_EQ(CheckClaim(*interpreter, now, *claim, 17, false, given), "") << name;
  }
  return moved;
}

/// Compares the claims of a text that have at most `most_macs` multiplications with their bodies,
/// also after their constants became parameters.
inline ClaimCounts CheckClaimsOf(const std::filesystem::path& path, int64_t most_macs) {
  ClaimCounts counts;
  const auto check = [&] {
    Context context;
    Diagnostics diagnostics;
    const auto file = ReadFile(path.string());
    ASSERT_TRUE(file.ok());
    const auto module =
        ParseModule(context, path.string(), (*file)->view(), *file, {}, diagnostics);
    ASSERT_TRUE(module.has_value()) << Render(context.sources(), diagnostics);
    PassContext pass{.diagnostics = diagnostics, .threads = 1, .counters = {}};
    const auto claimed = RecogniseOps(*module, {}, pass);
    ASSERT_TRUE(claimed.ok());
    const auto interpreter = Interpreter::Compile(*module, diagnostics);
    ASSERT_TRUE(interpreter.ok()) << Render(context.sources(), diagnostics);
    for (const Function& function : claimed->functions()) {
      const std::optional<OpInfo> info = ReadOpInfo(function);
      if (!info) continue;
      ++counts.all;
      counts.unknown += info->known() ? 0 : 1;
      if (!info->known() || info->macs > most_macs) continue;
      EXPECT_EQ(CheckClaim(*interpreter, function, *info, 17), "")
          << path << " " << function.name.view() << " " << info->kind;
    }
    counts.moved += CheckMovedClaims(*claimed, "lift-params", most_macs);
    counts.moved += CheckMovedClaims(*claimed, "hoist-constants{functions=*}", most_macs);
  };
  check();
  return counts;
}

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_BYOC_TEXT_CLAIMS_H_
