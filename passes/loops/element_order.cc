// Loop interchange (Kennedy and Allen, "Optimizing Compilers for Modern Architectures", 2001, 5.2).

#include "passes/loops/element_order.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "analysis/contraction.h"
#include "fmt/format.h"
#include "schedule/cost.h"
#include "schedule/op_loops.h"
#include "schedule/step_facts.h"

namespace tenon {

namespace {

/// Shorter rows fill no vector.
constexpr int64_t kLeastElementRow = 8;

/// True if OpLoops repeats no work of the original loops, and its loops can be read back.
bool CanOrder(const Computation& all) {
  const std::vector<int> reductions = Reductions(all);
  const auto is_plain = [&](int reduction) {
    const std::vector<bool> below = StepsBelow(all, reduction);
    for (size_t i = 0; i < below.size(); ++i) {
      const bool is_inner = IsReduction(all.steps[i].kind) && static_cast<int>(i) != reduction;
      if (below[i] && (is_inner || IsChoice(all.steps[i]))) return false;
    }
    const Step& step = all.steps[static_cast<size_t>(reduction)];
    return step.kind == StepKind::kReduce && step.integer == 0;
  };
  // Reading back does not follow computed indices, nor numbers whose products may overflow.
  const auto is_readable = [](const Step& step) {
    return step.kind != StepKind::kGather &&
           (step.kind != StepKind::kInteger || std::in_range<int32_t>(step.integer));
  };
  return StoresForward(all) && std::all_of(all.steps.begin(), all.steps.end(), is_readable) &&
         std::all_of(reductions.begin(), reductions.end(), is_plain) &&
         reductions.size() <= all.stores.size() && !RepeatsReductions(all);
}

bool HasReduction(const Computation& all, const ComputationStore& store) {
  const std::vector<bool> below = StepsBelow(all, store.step);
  const std::vector<int> reductions = Reductions(all);
  return std::any_of(reductions.begin(), reductions.end(),
                     [&](int reduction) { return below[static_cast<size_t>(reduction)]; });
}

/// True if a value reads rows of elements along a loop.
bool ReadsRow(const Computation& all, int value, int loop) {
  return LoopExtent(all, loop) >= kLeastElementRow && ReadsAlong(all, value, loop) &&
         (FreeLoops(all)[static_cast<size_t>(value)] & Bit(loop)) != 0;
}

/// Makes a loop that reads rows the innermost one of each sum of integers, which may be added up in
/// any order (vectorize-sums).
void OrderSteps(Computation& all) {
  for (const int reduction : Reductions(all)) {
    Step& sum = all.steps[static_cast<size_t>(reduction)];
    if (sum.loops.empty() || sum.dtype.is_float() || ReadsRow(all, sum.args[1], sum.loops.back()))
      continue;
    const auto row = std::find_if(sum.loops.begin(), sum.loops.end(),
                                  [&](int loop) { return ReadsRow(all, sum.args[1], loop); });
    if (row != sum.loops.end()) std::rotate(row, row + 1, sum.loops.end());
  }
}

std::string TextOf(const std::vector<ElementOrder>& orders, const Computation& all) {
  std::vector<std::string> lines;
  for (const ElementOrder& order : orders) {
    std::string& line = lines.emplace_back(fmt::format("{:.0f}", order.cycles));
    for (const int loop : order.loops) line += " " + all.loops[static_cast<size_t>(loop)].name;
    if (order.is_turned) line += " in transposed tiles";
  }
  return fmt::format("orders of loops: {}", fmt::join(lines, "; "));
}

/// True if OpLoops makes vectors along the innermost loop. Short rows may be parts of longer
/// vectors, and conditions that differ in a row select lanes; other passes make these vectors.
bool HasLanes(const Computation& all, const ComputationStore& store, const ElementOrder& order) {
  if (order.is_turned || order.loops.empty()) return false;
  const int row = order.loops.back();
  const std::vector<bool> below = StepsBelow(all, store.step);
  const std::vector<LoopSet> free = FreeLoops(all);
  for (size_t i = 0; i < below.size(); ++i) {
    const Step& step = all.steps[i];
    if (below[i] && IsChoice(step) && (free[static_cast<size_t>(step.args[0])] & Bit(row)) != 0)
      return false;
  }
  return LoopExtent(all, row) >= kLeastElementRow;
}

/// The order with the loops `inner` inside of all others.
std::vector<int> OrderWith(const Computation& all, const ComputationStore& store,
                           const std::vector<int>& inner) {
  const LinearIndex& element = all.accesses[static_cast<size_t>(store.access)].element;
  std::vector<int> loops = store.loops;
  for (const int loop : inner) std::erase(loops, loop);
  std::stable_sort(loops.begin(), loops.end(), [&](int a, int b) {
    return std::abs(element.stride(a)) > std::abs(element.stride(b));
  });
  loops.insert(loops.end(), inner.begin(), inner.end());
  return loops;
}

}  // namespace

std::vector<ElementOrder> BestOrders(const Computation& all, const ComputationStore& store,
                                     const Machine& machine) {
  constexpr size_t kMostOrders = 3;
  std::vector<ElementOrder> best;
  ComputationStore now = store;
  const auto add = [&](std::vector<int> loops, bool is_turned) {
    now.loops = loops;
    const double cycles =
        is_turned ? CyclesOfTiles(all, now, machine) : CyclesOfElements(all, now, machine);
    const auto is_known = [&](const ElementOrder& known) {
      return known.loops == loops && known.is_turned == is_turned;
    };
    if (!std::isfinite(cycles) || std::any_of(best.begin(), best.end(), is_known)) return;
    // Of two orders with equal costs, the first one is chosen.
    const auto at = std::upper_bound(
        best.begin(), best.end(), cycles,
        [](double least, const ElementOrder& other) { return least < other.cycles; });
    best.insert(at, {std::move(loops), is_turned, cycles});
    if (best.size() > kMostOrders) best.pop_back();
  };
  add(store.loops, false);
  for (size_t i = store.loops.size(); i-- > 0;) add(OrderWith(all, store, {store.loops[i]}), false);
  for (const int row : store.loops) {
    for (const int other : store.loops) {
      if (other != row) add(OrderWith(all, store, {other, row}), true);
    }
  }
  return best;
}

const Stmt* InBestOrder(ComputedFunction& computed, Computation all, const Machine& machine,
                        std::vector<std::string>* shown) {
  if (!CanOrder(all)) return nullptr;
  OrderSteps(all);
  std::vector<const Stmt*> stores;
  for (const ComputationStore& store : all.stores) {
    ElementOrder order{store.loops};
    const bool has_sum = HasReduction(all, store);
    if (!has_sum) {
      const std::vector<ElementOrder> best = BestOrders(all, store, machine);
      order = best.front();
      if (shown != nullptr) shown->push_back(TextOf(best, all));
    }
    OpLoops loops(computed.builder(), all, computed.operands(),
                  {.register_bytes = machine.register_bytes,
                   .repeats = true,
                   .is_uniform = !has_sum && !HasLanes(all, store, order)});
    const ComputationAccess& access = all.accesses[static_cast<size_t>(store.access)];
    stores.push_back(loops.Store(computed.operands()[static_cast<size_t>(access.operand)],
                                 access.element, store.step, order.loops));
  }
  return computed.builder().Seq(Span<const Stmt*>(stores));
}

}  // namespace tenon
