// Random modules, planned in every way and judged by runs at the planned places.

#include <filesystem>

#include "parser/parser.h"
#include "random/check.h"
#include "random/judged_runs.h"
#include "support/file.h"

namespace tenon::random_ir {
namespace {

/// The modules of a seed: chains of operators with several outputs, of which one feeds the next,
/// and functions that overwrite their buffers.
ModuleOptions OptionsOf(uint64_t seed) {
  ModuleOptions options;
  options.operators = seed % 3 != 0;
  options.outputs = 40;
  options.reuse = true;
  options.statements = 8;
  options.depth = 2;
  return options;
}

/// Judges each seed in the ways that `is_chosen` chooses.
template <class IsChosen>
void Judge(const Seeds& seeds, IsChosen is_chosen) {
  for (uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    const Sample sample(seed, OptionsOf(seed));
    const JudgedModel model(sample.module, seed);
    ASSERT_EQ(model.failure(), "") << Again(seed);
    Dice dice(seed);
    for (const PlanWay& way : AllPlanWays()) {
      if (!is_chosen(dice)) continue;
      ASSERT_EQ(model.FaultOf(way), "") << Again(seed) << PrintModule(sample.module);
    }
  }
}

TEST(JudgedRandomRuns, KeepResultsInEveryWay) {
  Judge(Seeds(2), [](Dice&) { return true; });
}

TEST(JudgedRandomRuns, KeepResultsInSomeWays) {
  Judge(Seeds(150), [](Dice& dice) { return dice.Percent(2); });
}

/// The modules of tests/random/judged, which have what random modules lack.
std::vector<std::string> Texts() {
  std::vector<std::string> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(TENON_SOURCE_DIR "/tests/random/judged"))
    paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

class JudgedRuns : public testing::TestWithParam<std::string> {};

// A text whose first line says so does not run: code of another module, pointers in memory, and
// ends in the middle, after which nothing would be copied. verify-plan judges its plans alone.
TEST_P(JudgedRuns, OfTextsKeepResults) {
  const auto file = ReadFile(GetParam());
  ASSERT_TRUE(file.ok());
  Context context;
  Diagnostics diagnostics;
  const auto module = ParseModule(context, GetParam(), (*file)->view(), *file, {}, diagnostics);
  ASSERT_TRUE(module.has_value()) << Render(context.sources(), diagnostics);
  if ((*file)->view().starts_with("# plan only")) {
    for (const PlanWay& way : AllPlanWays()) ASSERT_EQ(FaultOfPlan(*module, way), "");
    return;
  }
  const JudgedModel model(*module, 1);
  ASSERT_EQ(model.failure(), "");
  for (const PlanWay& way : AllPlanWays()) ASSERT_EQ(model.FaultOf(way), "");
}

INSTANTIATE_TEST_SUITE_P(All, JudgedRuns, testing::ValuesIn(Texts()), [](const auto& info) {
  return std::filesystem::path(info.param).stem().string();
});

}  // namespace
}  // namespace tenon::random_ir
