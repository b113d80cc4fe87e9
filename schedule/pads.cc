// The search for padding: factors of a sum that are 0 at the borders of an input, or between its
// elements.

#include "schedule/pads.h"

#include <algorithm>
#include <functional>

#include "analysis/contraction.h"
#include "ir/const_fold.h"

namespace tenon {

namespace {

/// Longer loops of a sum are not unrolled.
constexpr int64_t kMostTaps = 16;

const Step& StepOf(const Computation& computation, int step) {
  return computation.steps[static_cast<size_t>(step)];
}

/// True if a number depends only on loops: an index, or the remainder of its division.
bool IsPlace(const Computation& computation, int number) {
  const Step& step = StepOf(computation, number);
  if (step.kind == StepKind::kInteger) return true;
  if (step.kind == StepKind::kIndex) return step.linear.divisor == 1 && step.dtype.bits() >= 32;
  const bool is_remainder = step.kind == StepKind::kNode &&
                            (step.node == NodeKind::kMod || step.node == NodeKind::kFloorMod);
  if (!is_remainder || !IsPlace(computation, step.args[0])) return false;
  const Step& divisor = StepOf(computation, step.args[1]);
  return divisor.kind == StepKind::kInteger && divisor.integer > 0;
}

/// Adds the comparisons that `condition` joins by `and`. False for other conditions.
bool AddComparisons(const Computation& computation, int condition, std::vector<int>& all) {
  const Step& step = StepOf(computation, condition);
  if (step.kind == StepKind::kNode && step.node == NodeKind::kAnd) {
    return AddComparisons(computation, step.args[0], all) &&
           AddComparisons(computation, step.args[1], all);
  }
  all.push_back(condition);
  const bool is_comparison =
      IsOrder(step) || (step.kind == StepKind::kNode && step.node == NodeKind::kEQ);
  return is_comparison && std::all_of(step.args.begin(), step.args.end(),
                                      [&](int arg) { return IsPlace(computation, arg); });
}

/// The value of an index, with the loops at `known`.
int64_t NumberOf(const Computation& computation, int number, const std::map<int, int64_t>& known) {
  const Step& step = StepOf(computation, number);
  if (step.kind == StepKind::kInteger) return step.integer;
  if (step.kind == StepKind::kNode) {
    const int64_t divisor = StepOf(computation, step.args[1]).integer;
    const int64_t rest = NumberOf(computation, step.args[0], known) % divisor;
    return step.node == NodeKind::kFloorMod && rest < 0 ? rest + divisor : rest;
  }
  int64_t sum = step.linear.offset;
  for (const auto& [loop, stride] : step.linear.terms) sum += stride * known.at(loop);
  return sum;
}

/// True if each comparison depends on one loop outside of the sum at most, and on short loops of
/// the sum.
bool HasShortLoops(const Computation& computation, const Step& sum,
                   const std::vector<int>& conditions) {
  const std::vector<LoopSet> free = FreeLoops(computation);
  return std::all_of(conditions.begin(), conditions.end(), [&](int condition) {
    LoopSet outside = free[static_cast<size_t>(condition)];
    for (const int loop : sum.loops) {
      const bool is_long = computation.loops[static_cast<size_t>(loop)].extent > kMostTaps;
      if (is_long && (outside & Bit(loop)) != 0) return false;
      outside &= ~Bit(loop);
    }
    return (outside & (outside - 1)) == 0;
  });
}

/// The padding of a sum whose select is the step `at`.
std::optional<Pads> PadsAt(const Computation& computation, const Step& sum, int at) {
  Pads pads = {at, at, {}};
  while (IsChoice(StepOf(computation, pads.element))) {
    const Step& choice = StepOf(computation, pads.element);
    if (!IsPositiveZero(StepOf(computation, choice.args[2])) ||
        !AddComparisons(computation, choice.args[0], pads.conditions))
      return std::nullopt;
    pads.element = choice.args[1];
  }
  const bool is_one =
      pads.element != pads.choice && HasShortLoops(computation, sum, pads.conditions);
  return is_one ? std::optional(pads) : std::nullopt;
}

}  // namespace

bool HoldsAt(const Computation& computation, int condition, const std::map<int, int64_t>& known) {
  const Step& step = StepOf(computation, condition);
  return Holds(step.node, NumberOf(computation, step.args[0], known),
               NumberOf(computation, step.args[1], known));
}

void LeaveOutPads(const Computation& computation, int step, StepFacts& facts) {
  const std::vector<bool> below = StepsBelow(computation, step);
  for (size_t i = 0; i < below.size(); ++i) {
    if (!below[i] || computation.steps[i].kind != StepKind::kReduce) continue;
    if (const std::optional<Pads> pads = FindPads(computation, static_cast<int>(i)))
      facts.LeaveOut(pads->choice, pads->element);
  }
}

bool DependOn(const Computation& computation, const Pads& pads, int loop) {
  const std::vector<LoopSet> free = FreeLoops(computation);
  return std::any_of(pads.conditions.begin(), pads.conditions.end(), [&](int condition) {
    return (free[static_cast<size_t>(condition)] & Bit(loop)) != 0;
  });
}

LoopSet DecidingLoops(const StepFacts& facts, const Pads& pads, LoopSet places) {
  LoopSet loops = 0;
  for (const int condition : pads.conditions) {
    if ((facts.FreeOf(condition) & places) != 0) loops |= facts.FreeOf(condition) & ~places;
  }
  return loops;
}

std::optional<Pads> FindPads(const Computation& computation, int sum) {
  const Step& step = StepOf(computation, sum);
  // A sum that begins at +0 never becomes -0, so adding a zero does not change it.
  if (step.kind != StepKind::kReduce || step.node != NodeKind::kAdd ||
      (step.dtype.is_float() && !IsPositiveZero(StepOf(computation, step.args[0]))))
    return std::nullopt;
  if (std::optional<Pads> pads = PadsAt(computation, step, step.args[1])) return pads;
  const Step& product = StepOf(computation, step.args[1]);
  if (product.kind != StepKind::kNode || product.node != NodeKind::kMul || !step.dtype.is_float())
    return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    if (StepOf(computation, product.args[1 - i]).kind != StepKind::kRead) continue;
    std::optional<Pads> pads = PadsAt(computation, step, product.args[i]);
    if (pads && StepOf(computation, pads->element).kind == StepKind::kRead) return pads;
  }
  return std::nullopt;
}

}  // namespace tenon
