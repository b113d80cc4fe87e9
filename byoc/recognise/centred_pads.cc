// The value of padding is the zero point of its tensor. If an operator pads first and subtracts
// later, the factor contains a select, which the analysis of windows would treat as a computed
// value.

#include <algorithm>

#include "analysis/contraction.h"
#include "arith/interval.h"
#include "byoc/recognise/recognise.h"

namespace tenon {

namespace {

/// The steps from a select to the factor that a product uses.
struct PaddedFactor {
  int choice = -1;
  /// The steps after the select, in order; the last one is the factor.
  std::vector<int> chain;
};

bool IsIntegerNode(const Step& step, NodeKind node) {
  return step.kind == StepKind::kNode && step.node == node && step.dtype.is_int();
}

/// The value of a chain for the padding; nullopt if a step wraps.
std::optional<int64_t> ValueOfPad(const Computation& all, const PaddedFactor& factor) {
  const Step& choice = At(all, factor.choice);
  int64_t value = At(all, choice.args[2]).integer;
  for (const int id : factor.chain) {
    const Step& step = At(all, id);
    if (step.node != NodeKind::kCast) {
      const bool is_first = At(all, step.args[1]).kind == StepKind::kInteger;
      const int64_t number = At(all, step.args[is_first ? 1 : 0]).integer;
      const Interval result = step.node == NodeKind::kAdd
                                  ? Interval::Point(value) + Interval::Point(number)
                                  : Interval::Point(value) - Interval::Point(number);
      value = result.min;
    }
    if (!FitsDType(Interval::Point(value), step.dtype)) return std::nullopt;
  }
  return value;
}

/// Follows a factor to a select between a value and a number; nullopt if there is none.
std::optional<PaddedFactor> PadsOf(const Computation& all, int factor) {
  PaddedFactor found;
  int at = factor;
  for (;;) {
    const Step& step = At(all, at);
    if (IsIntegerNode(step, NodeKind::kSelect)) break;
    const auto is_number = [&](size_t arg) {
      return At(all, step.args[arg]).kind == StepKind::kInteger;
    };
    found.chain.push_back(at);
    if (IsIntegerNode(step, NodeKind::kCast)) {
      at = step.args[0];
    } else if (IsIntegerNode(step, NodeKind::kAdd) && (is_number(0) || is_number(1))) {
      at = step.args[is_number(1) ? 0 : 1];
    } else if (IsIntegerNode(step, NodeKind::kSub) && is_number(1)) {
      at = step.args[0];
    } else {
      return std::nullopt;
    }
  }
  found.choice = at;
  std::reverse(found.chain.begin(), found.chain.end());
  const Step& choice = At(all, at);
  const Step& pad = At(all, choice.args[2]);
  const std::vector<bool> below = StepsBelow(all, choice.args[0]);
  for (size_t i = 0; i < below.size(); ++i) {
    if (below[i] && IsRead(all.steps[i].kind)) return std::nullopt;
  }
  // Padding of 0 is already recognised.
  if (pad.kind != StepKind::kInteger || pad.integer == 0 || ValueOfPad(all, found) != 0)
    return std::nullopt;
  return found;
}

/// Adds the steps of the new factor at the end, and returns its number.
int AddFactor(Computation& all, const PaddedFactor& factor) {
  const auto add = [&](Step step) {
    all.steps.push_back(std::move(step));
    return static_cast<int>(all.steps.size()) - 1;
  };
  const std::vector<int> choice = At(all, factor.choice).args;
  int before = factor.choice;
  int now = choice[1];
  for (const int id : factor.chain) {
    Step step = At(all, id);
    std::replace(step.args.begin(), step.args.end(), before, now);
    before = id;
    now = add(std::move(step));
  }
  Step zero;
  zero.dtype = At(all, now).dtype;
  Step select;
  select.kind = StepKind::kNode;
  select.node = NodeKind::kSelect;
  select.dtype = zero.dtype;
  select.args = {choice[0], now, add(zero)};
  return add(std::move(select));
}

/// Steps in an order in which arguments come first; steps that nobody uses disappear.
void Sort(Computation& all) {
  std::vector<int> numbers(all.steps.size(), -1);
  std::vector<Step> sorted;
  std::vector<std::pair<int, size_t>> work;
  for (ComputationStore& store : all.stores) {
    work.emplace_back(store.step, 0);
    while (!work.empty()) {
      auto& [at, next] = work.back();
      const auto step = static_cast<size_t>(at);
      if (numbers[step] >= 0) {
        work.pop_back();
      } else if (next < all.steps[step].args.size()) {
        const int arg = all.steps[step].args[next++];
        work.emplace_back(arg, 0);
      } else {
        Step copy = all.steps[step];
        for (int& arg : copy.args) arg = numbers[static_cast<size_t>(arg)];
        numbers[step] = static_cast<int>(sorted.size());
        sorted.push_back(std::move(copy));
        work.pop_back();
      }
    }
    store.step = numbers[static_cast<size_t>(store.step)];
  }
  all.steps = std::move(sorted);
}

}  // namespace

Computation WithCentredPads(const Computation& all) {
  const std::vector<int> reductions = Reductions(all);
  if (reductions.size() != 1 || all.stores.size() != 1) return all;
  const Step& sum = At(all, reductions[0]);
  if (sum.kind != StepKind::kReduce || !sum.dtype.is_int()) return all;
  std::vector<int> guards;
  const int product = Unguarded(all, sum.args[1], 0, guards);
  if (!IsIntegerNode(At(all, product), NodeKind::kMul)) return all;
  for (size_t i = 0; i < 2; ++i) {
    const std::optional<PaddedFactor> factor = PadsOf(all, At(all, product).args[i]);
    if (!factor || factor->chain.empty()) continue;
    Computation changed = all;
    const int now = AddFactor(changed, *factor);
    changed.steps[static_cast<size_t>(product)].args[i] = now;
    Sort(changed);
    return changed;
  }
  return all;
}

}  // namespace tenon
