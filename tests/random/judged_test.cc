// Random modules, planned in every way and judged by runs at the planned places.

#include "random/check.h"
#include "random/judged_runs.h"

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

TEST(JudgedRuns, KeepResultsInEveryWay) {
  Judge(Seeds(3), [](Dice&) { return true; });
}

TEST(JudgedRuns, KeepResultsInSomeWays) {
  Judge(Seeds(150), [](Dice& dice) { return dice.Percent(3); });
}

}  // namespace
}  // namespace tenon::random_ir
