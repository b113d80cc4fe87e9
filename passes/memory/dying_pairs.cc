// Finds pairs by liveness alone, without a look at the accesses of the callee. Which overlaps these
// accesses permit is a separate question (analysis/safe_distances.h).

#include "passes/memory/dying_pairs.h"

#include <algorithm>

#include "ir/attributes.h"

namespace tenon {

namespace {

/// True if all ticks at which both are live are in the call.
bool MeetWithin(const std::vector<LiveRange>& a, const std::vector<LiveRange>& b,
                const CallSpan& call) {
  bool meet = false;
  for (const LiveRange& x : a) {
    for (const LiveRange& y : b) {
      const int64_t lower = std::max(x.lower, y.lower);
      const int64_t upper = std::min(x.upper, y.upper);
      if (lower >= upper) continue;
      if (lower < call.lower || upper > call.upper) return false;
      meet = true;
    }
  }
  return meet;
}

/// True if the buffer is live on both sides of a tick, so that it holds values there.
bool HoldsAcross(const std::vector<LiveRange>& ranges, int64_t tick) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const LiveRange& range) {
    return range.lower < tick && tick < range.upper;
  });
}

/// The allocation of an argument if it may take part, otherwise null.
const Allocation* Candidate(const Liveness& liveness, const CallSpan& call, size_t argument) {
  const int32_t index = call.arguments[argument].allocation;
  if (index < 0 || !call.arguments[argument].is_start) return nullptr;
  // Another argument that points into it could also access it.
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const auto& [other, is_start, chosen] = call.arguments[i];
    if (i != argument && other == index) return nullptr;
    if (std::find(chosen.begin(), chosen.end(), index) != chosen.end()) return nullptr;
  }
  const Allocation& allocation = liveness.allocations[static_cast<size_t>(index)];
  const bool is_planned = allocation.unplanned == Unplanned::kPlanned && !allocation.is_constant;
  return is_planned ? &allocation : nullptr;
}

}  // namespace

std::vector<DyingPair> FindDyingPairs(const IRModule& module, const Liveness& liveness) {
  std::vector<DyingPair> pairs;
  for (size_t c = 0; c < liveness.calls.size(); ++c) {
    const CallSpan& call = liveness.calls[c];
    const Function* callee = module.Find(call.callee);
    if (callee == nullptr || callee->FindAttr(attr_key::kCompiler) != nullptr) continue;
    const size_t count = std::min<size_t>(call.arguments.size(), callee->func->params.size());
    for (size_t i = 0; i < count; ++i) {
      for (size_t j = 0; j < count; ++j) {
        if (i == j || Candidate(liveness, call, i) == nullptr ||
            Candidate(liveness, call, j) == nullptr)
          continue;
        const auto dying = static_cast<size_t>(call.arguments[i].allocation);
        const auto begun = static_cast<size_t>(call.arguments[j].allocation);
        if (HoldsAcross(liveness.ranges[dying], call.upper) ||
            HoldsAcross(liveness.ranges[begun], call.lower) ||
            !MeetWithin(liveness.ranges[dying], liveness.ranges[begun], call))
          continue;
        pairs.push_back({c, dying, begun, i, j});
      }
    }
  }
  return pairs;
}

std::pair<FunctionBuffer, FunctionBuffer> BuffersOf(const PrimFunc& callee, const DyingPair& pair,
                                                    const Liveness& liveness) {
  const auto buffer = [&](size_t param, size_t allocation) {
    const Buffer* of = callee.buffers[param];
    return FunctionBuffer{of != nullptr ? of->data : callee.params[param],
                          liveness.allocations[allocation].size_bytes};
  };
  return {buffer(pair.dying_param, pair.dying), buffer(pair.begun_param, pair.begun)};
}

}  // namespace tenon
