// The facts about the steps of a computation. All follow from the computation; none depends on a
// choice.

#include "schedule/step_facts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "analysis/contraction.h"
#include "ir/analysis/gnu_vectors.h"
#include "ir/builtins.h"
#include "schedule/machine.h"

namespace tenon {

namespace {

/// Operations on vectors that every compiler with vectors supports.
bool IsLaneOperation(const Step& step, DataType from) {
  switch (step.node) {
    case NodeKind::kCast:
      return from.is_integer() || step.dtype.is_float();
    case NodeKind::kAdd:
    case NodeKind::kSub:
    case NodeKind::kMul:
    case NodeKind::kMin:
    case NodeKind::kMax:
      return true;
    case NodeKind::kDiv:
      return step.dtype.is_float();
    default:
      return false;
  }
}

}  // namespace

bool ReadsAlong(const Computation& computation, int value, int loop) {
  const std::vector<bool> below = StepsBelow(computation, value);
  for (size_t i = 0; i < below.size(); ++i) {
    const Step& step = computation.steps[i];
    if (!below[i] || !IsRead(step.kind)) continue;
    const LinearIndex& element = computation.accesses[static_cast<size_t>(step.access)].element;
    const int64_t stride = element.stride(loop);
    if (step.kind == StepKind::kGather || (stride != 0 && stride != 1) ||
        (stride == 1 && element.divisor != 1))
      return false;
  }
  return true;
}

bool IsChoice(const Step& step) {
  return (step.kind == StepKind::kNode && step.node == NodeKind::kSelect) ||
         (step.kind == StepKind::kCall && step.op == OpKind::kIfThenElse);
}

bool IsOrder(const Step& step) {
  return step.kind == StepKind::kNode &&
         (step.node == NodeKind::kLT || step.node == NodeKind::kLE || step.node == NodeKind::kGT ||
          step.node == NodeKind::kGE);
}

bool IsBitwise(OpKind op) {
  return op == OpKind::kBitwiseAnd || op == OpKind::kBitwiseOr || op == OpKind::kBitwiseXor;
}

bool IsPositiveZero(const Step& step) {
  return (step.kind == StepKind::kInteger && step.integer == 0) ||
         (step.kind == StepKind::kReal && step.real == 0 && !std::signbit(step.real));
}

LoopSet LoopsOf(const LinearIndex& index) {
  LoopSet loops = 0;
  for (const auto& [loop, stride] : index.terms) loops |= Bit(loop);
  return loops;
}

std::vector<LoopSet> FreeLoops(const Computation& computation) {
  std::vector<LoopSet> free;
  for (const Step& step : computation.steps) {
    LoopSet loops = 0;
    if (IsRead(step.kind)) {
      loops = LoopsOf(computation.accesses[static_cast<size_t>(step.access)].element);
    } else if (step.kind == StepKind::kIndex) {
      loops = LoopsOf(step.linear);
    }
    for (size_t i = 0; i < step.args.size(); ++i) {
      LoopSet of_arg = free[static_cast<size_t>(step.args[i])];
      if (IsReduction(step.kind) && i >= step.starts()) {
        for (const int loop : step.loops) of_arg &= ~Bit(loop);
      }
      loops |= of_arg;
    }
    free.push_back(loops);
  }
  return free;
}

StepFacts::StepFacts(const Computation& computation, std::function<bool(int)> is_given, int wide,
                     int64_t register_bytes)
    : computation_(computation),
      free_(FreeLoops(computation)),
      is_given_(std::move(is_given)),
      wide_(wide),
      register_bytes_(register_bytes) {}

std::vector<int> StepFacts::SumsToMake(const std::vector<int>& roots, LoopSet hidden) const {
  std::set<int> found;
  absl::flat_hash_set<std::pair<int, LoopSet>> seen;
  std::vector<std::pair<int, LoopSet>> work;
  for (const int root : roots) work.emplace_back(root, hidden);
  while (!work.empty()) {
    const auto [at, inside] = work.back();
    work.pop_back();
    if (IsGiven(at) || !seen.insert({at, inside}).second) continue;
    const Step& step = StepAt(at);
    LoopSet own = 0;
    if (IsReduction(step.kind)) {
      if ((FreeOf(at) & inside) == 0) found.insert(at);
      for (const int loop : step.loops) own |= Bit(loop);
    }
    for (size_t i = 0; i < step.args.size(); ++i)
      work.emplace_back(step.args[i], i >= step.starts() ? inside | own : inside);
  }
  return {found.begin(), found.end()};
}

bool StepFacts::IsLaneValue(int at, int row) const {
  const Step& step = StepAt(at);
  if (!IsGnuVector(step.dtype.with_lanes(4))) return false;
  if (IsGiven(at) || (FreeOf(at) & Bit(row)) == 0) return true;
  for (const auto& [choice, element] : left_out_) {
    if (at == choice) return IsLaneValue(element, row);
  }
  if (step.kind == StepKind::kRead) {
    const LinearIndex& element = computation_.accesses[static_cast<size_t>(step.access)].element;
    return step.access == wide_ || (element.divisor == 1 && element.stride(row) >= 1 &&
                                    element.stride(row) <= kMostLaneStride);
  }
  if (step.kind == StepKind::kCall) return IsLaneCall(step, row);
  return step.kind == StepKind::kNode && IsLaneOperation(step, StepAt(step.args[0]).dtype) &&
         std::all_of(step.args.begin(), step.args.end(),
                     [&](int arg) { return IsLaneValue(arg, row); });
}

/// Operations on bits, shifts by a constant, and requantisation on machines that multiply and
/// shift lanes of 64 bits.
bool StepFacts::IsLaneCall(const Step& step, int row) const {
  const auto is_constant = [&](size_t arg) {
    return StepAt(step.args[arg]).kind == StepKind::kInteger;
  };
  if (step.op == OpKind::kShiftLeft || step.op == OpKind::kShiftRight)
    return IsLaneValue(step.args[0], row) && is_constant(1);
  if (IsBitwise(step.op)) return IsLaneValue(step.args[0], row) && IsLaneValue(step.args[1], row);
  if (register_bytes_ < kLargeRegister || step.dtype != DataType::Int(32)) return false;
  if (step.op == OpKind::kQMultiplyShift) {
    if (!is_constant(1) || !is_constant(2) || !is_constant(3)) return false;
    const int64_t shift = StepAt(step.args[3]).integer;
    const int64_t right = std::max<int64_t>(-shift, 0) + StepAt(step.args[2]).integer;
    return std::abs(shift) < 31 && right > 0 && right < 64 && IsLaneValue(step.args[0], row);
  }
  if (step.op != OpKind::kQMultiplyShiftPerAxis || !is_constant(4) || !is_constant(5) ||
      StepAt(step.args[5]).integer != 0)
    return false;
  return IsLaneValue(step.args[0], row) && IsLaneValue(step.args[1], row) &&
         IsLaneValue(step.args[3], row);
}

bool StepFacts::SharesLanes(int at, int row, LoopSet loops) const {
  const Step& step = StepAt(at);
  if ((FreeOf(at) & Bit(row)) == 0) return false;
  if (step.kind == StepKind::kRead || IsGiven(at)) return (FreeOf(at) & loops) == 0;
  return std::any_of(step.args.begin(), step.args.end(),
                     [&](int arg) { return SharesLanes(arg, row, loops); });
}

bool StepFacts::WalksAlong(int sum, int row) const {
  const Step& step = StepAt(sum);
  if (step.kind != StepKind::kReduce ||
      std::find(step.loops.begin(), step.loops.end(), row) != step.loops.end())
    return false;
  std::vector<int> work = step.args;
  std::set<int> seen;
  bool found = false;
  while (!work.empty()) {
    const int at = work.back();
    work.pop_back();
    if (!seen.insert(at).second || IsGiven(at)) continue;
    const Step& part = StepAt(at);
    if ((IsReduction(part.kind) || part.kind == StepKind::kGather) && (FreeOf(at) & Bit(row)) != 0)
      return false;
    if (part.kind == StepKind::kRead && part.access == wide_) {
      found = true;
    } else if (part.kind == StepKind::kRead) {
      const LinearIndex& element = computation_.accesses[static_cast<size_t>(part.access)].element;
      const int64_t stride = std::abs(element.stride(row));
      if (stride > kMostLaneStride || (stride != 0 && element.divisor != 1)) return false;
      found |= stride != 0;
    }
    work.insert(work.end(), part.args.begin(), part.args.end());
  }
  return found;
}

bool StepFacts::HasSum(int root) const {
  if (IsGiven(root)) return false;
  const Step& step = StepAt(root);
  return IsReduction(step.kind) ||
         std::any_of(step.args.begin(), step.args.end(), [&](int arg) { return HasSum(arg); });
}

bool StepFacts::HasShortFactors(int sum) const {
  const Step& product = StepAt(StepAt(sum).args[1]);
  if (StepAt(sum).dtype != DataType::Int(32) || StepAt(sum).node != NodeKind::kAdd ||
      product.kind != StepKind::kNode || product.node != NodeKind::kMul)
    return false;
  return std::all_of(product.args.begin(), product.args.end(), [&](int arg) {
    const Step& factor = StepAt(arg);
    return factor.kind == StepKind::kNode && factor.node == NodeKind::kCast &&
           Extends(StepAt(factor.args[0]).dtype, kPair.data);
  });
}

}  // namespace tenon
