// Any loop of the results may become the lanes; elements that are not adjacent along it are copied
// first. The model of schedule/cost.h chooses the loop.

#include "passes/loops/row_plan.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/contraction.h"
#include "passes/loops/block_schedule.h"
#include "passes/loops/staged_factors.h"
#include "schedule/cost.h"
#include "schedule/op_loops.h"
#include "schedule/pads.h"
#include "schedule/schedule_rules.h"
#include "schedule/step_facts.h"

namespace tenon {

namespace {

/// Shorter rows do not fill a vector.
constexpr int64_t kShortestRow = 4;

/// Adds the time of the copies, which are the first stores.
void AddCopies(size_t copies, const Machine& machine, RowPlan& plan) {
  plan.copies = copies;
  for (size_t copy = 0; copy < copies; ++copy)
    plan.cycles += CyclesOfCopy(plan.computation, plan.computation.stores[copy], machine);
}

/// `pads` is the padding that the sum omits; null: none. The rows of a tile become one row.
std::optional<RowPlan> PlanAlong(const Computation& all, int sum, const StagedRow& row,
                                 const Pads* pads, const Machine& machine) {
  std::optional<StagedComputation> staged = StageRow(all, sum, row, pads);
  if (!staged) return std::nullopt;
  RowPlan plan;
  plan.computation = std::move(staged->computation);
  if (row.tile >= 0 && !JoinLoops(plan.computation, row.loop, row.tile)) return std::nullopt;

  const ComputationStore& store = StoreOf(plan.computation, sum);
  BlockWishes wishes = {.row = row.loop};
  if (pads != nullptr) wishes.sums_without_pads = {sum};
  std::optional<BlockPlan> block = ScheduleBlock(plan.computation, store, wishes, machine);
  if (!block) return std::nullopt;
  plan.schedule = std::move(block->schedule);
  plan.cycles = block->cycles;
  AddCopies(staged->memory.size(), machine, plan);
  return plan;
}

/// The plan for a sum of integers whose steps are lanes: their elements are adjacent along `loop`,
/// perhaps after a copy. vectorize-sums writes the vectors.
std::optional<RowPlan> PlanSteps(const Computation& all, int sum, int loop,
                                 const Machine& machine) {
  std::optional<StagedComputation> staged = StageRow(all, sum, {.loop = loop}, nullptr);
  if (!staged || staged->memory.empty()) return std::nullopt;
  RowPlan plan;
  plan.computation = std::move(staged->computation);
  std::vector<int>& steps = plan.computation.steps[static_cast<size_t>(sum)].loops;
  std::erase(steps, loop);
  steps.push_back(loop);
  const ComputationStore& store = StoreOf(plan.computation, sum);
  plan.cycles = CyclesOfSum(plan.computation, store, sum, machine);
  AddCopies(staged->memory.size(), machine, plan);
  return plan;
}

/// The plan for results that are computed one by one, with `loop` as the innermost loop of results.
std::optional<RowPlan> PlanOrder(const Computation& all, int sum, int loop,
                                 const Machine& machine) {
  RowPlan plan;
  plan.computation = all;
  for (ComputationStore& store : plan.computation.stores) {
    if (store.step != StoreOf(all, sum).step || store.loops.back() == loop) continue;
    std::erase(store.loops, loop);
    store.loops.push_back(loop);
    plan.cycles = CyclesOfSum(plan.computation, store, sum, machine);
    return plan;
  }
  return std::nullopt;
}

/// The plan for sums along a row that are added up alternately, without vectors.
std::optional<RowPlan> PlanScalars(const Computation& all, int sum, int row,
                                   const Machine& machine) {
  std::optional<BlockPlan> block =
      ScheduleBlock(all, StoreOf(all, sum), {.row = row, .is_scalar = true}, machine);
  if (!block) return std::nullopt;
  return RowPlan{all, std::move(block->schedule), block->cycles};
}

/// The padding of a sum that has no effect, for all values that it reads.
std::optional<Pads> PadsOf(const Computation& all, int sum,
                           const std::function<bool(int)>& is_finite) {
  std::optional<Pads> pads = FindPads(all, sum);
  if (!pads || pads->choice == all.steps[static_cast<size_t>(sum)].args[1]) return pads;
  // The product of padding and an infinite number would be NaN.
  const Step& product = all.steps[static_cast<size_t>(all.steps[static_cast<size_t>(sum)].args[1])];
  const int other = product.args[product.args[0] == pads->choice ? 1 : 0];
  const Step& read = all.steps[static_cast<size_t>(other)];
  return is_finite(all.accesses[static_cast<size_t>(read.access)].operand) ? pads : std::nullopt;
}

/// True if a sum reads elements along a loop that are not adjacent, but near enough to be read
/// without a copy.
bool ReadsNear(const Computation& all, int sum, int loop) {
  const std::vector<bool> below = StepsBelow(all, sum);
  for (size_t i = 0; i < below.size(); ++i) {
    const Step& step = all.steps[i];
    if (!below[i] || step.kind != StepKind::kRead) continue;
    const int64_t stride = all.accesses[static_cast<size_t>(step.access)].element.stride(loop);
    if (stride > 1 && stride <= kMostLaneStride) return true;
  }
  return false;
}

/// The loop whose rows of results follow each other, if `loop` runs along a row of results; else
/// -1.
int TileOf(const Computation& all, const ComputationStore& store, int loop) {
  const LinearIndex& stored = all.accesses[static_cast<size_t>(store.access)].element;
  if (stored.divisor != 1 || stored.stride(loop) != 1) return -1;
  for (const int other : store.loops) {
    if (other != loop && stored.stride(other) == LoopExtent(all, loop) &&
        LoopExtent(all, other) > 1)
      return other;
  }
  return -1;
}

/// False for sums whose loops cannot be read back (schedule/check): sums of elements with computed
/// indices, and maxima that keep their first operand.
bool CanPlan(const Computation& all, int sum) {
  const std::vector<bool> below = StepsBelow(all, sum);
  for (size_t i = 0; i < below.size(); ++i) {
    if (below[i] && all.steps[i].kind == StepKind::kGather) return false;
  }
  return all.steps[static_cast<size_t>(sum)].integer == 0;
}

/// Calls `take` with all plans for a sum.
void ForEachPlan(const Computation& all, int sum, const Machine& machine,
                 const std::function<bool(int)>& is_finite,
                 const std::function<void(std::optional<RowPlan>)>& take) {
  const ComputationStore& store = StoreOf(all, sum);
  const LoopSet free = FreeLoops(all)[static_cast<size_t>(sum)];
  const std::optional<Pads> pads = PadsOf(all, sum, is_finite);
  for (const int loop : store.loops) {
    if ((free & Bit(loop)) == 0 || LoopExtent(all, loop) == 1) continue;
    take(PlanOrder(all, sum, loop, machine));
    if (all.steps[static_cast<size_t>(sum)].dtype.is_float())
      take(PlanScalars(all, sum, loop, machine));
    if (const int tile = TileOf(all, store, loop); tile >= 0 && (free & Bit(tile)) != 0)
      take(PlanAlong(all, sum, {.loop = loop, .tile = tile}, nullptr, machine));
    if (LoopExtent(all, loop) < kShortestRow) continue;
    for (const int64_t near : {int64_t{1}, kMostLaneStride}) {
      if (near > 1 && !ReadsNear(all, sum, loop)) continue;
      const StagedRow row = {.loop = loop, .near = near};
      take(PlanAlong(all, sum, row, nullptr, machine));
      if (pads && !DependOn(all, *pads, loop)) take(PlanAlong(all, sum, row, &*pads, machine));
    }
  }
  const Step& step = all.steps[static_cast<size_t>(sum)];
  for (const int loop : step.loops) {
    if (!step.dtype.is_float()) take(PlanSteps(all, sum, loop, machine));
  }
}

}  // namespace

RowChoice PlanRow(const Computation& all, int sum, const Machine& machine,
                  const std::function<bool(int)>& is_finite,
                  const std::function<bool(const std::optional<Schedule>&)>& suits) {
  constexpr size_t kMostPlans = 3;
  RowChoice choice;
  choice.as_text = CyclesOfSum(all, StoreOf(all, sum), sum, machine);
  if (!CanPlan(all, sum)) return choice;
  ForEachPlan(all, sum, machine, is_finite, [&](std::optional<RowPlan> plan) {
    if (!plan || (suits && !suits(plan->schedule))) return;
    // If costs are equal, fewer copies are better: copies of constants cost no time, but take
    // memory. If copies are equal too, the first plan is chosen.
    const auto at = std::upper_bound(
        choice.best.begin(), choice.best.end(), *plan, [](const RowPlan& a, const RowPlan& b) {
          return std::tie(a.cycles, a.copies) < std::tie(b.cycles, b.copies);
        });
    if (at == choice.best.end() && choice.best.size() == kMostPlans) return;
    choice.best.insert(at, *std::move(plan));
    if (choice.best.size() > kMostPlans) choice.best.pop_back();
  });
  return choice;
}

}  // namespace tenon
