// argmax and argmin: the index must count the iterations from 0, and the start value must be worse
// than any finite value. Otherwise the result would differ.

#include <algorithm>
#include <limits>

#include "analysis/contraction.h"
#include "byoc/recognise/recognise.h"

namespace tenon {

namespace {

/// True if the index counts the iterations of the loops, in some order: 0, 1, ..., each once.
bool CountsIterations(const Computation& all, const LinearIndex& index,
                      const std::vector<int>& loops) {
  if (index.offset != 0 || index.divisor != 1 || index.terms.size() != loops.size()) return false;
  std::vector<int> inner_first = ByStride(loops, index);
  std::reverse(inner_first.begin(), inner_first.end());
  int64_t next = 1;
  for (const int loop : inner_first) {
    if (index.stride(loop) != next) return false;
    next *= all.loops[static_cast<size_t>(loop)].extent;
  }
  return true;
}

/// True if no finite value is worse than the start of the reduction.
bool StartsWithTheWorst(const Step& start, NodeKind node) {
  const double sign = node == NodeKind::kMax ? 1 : -1;
  if (start.kind == StepKind::kReal) {
    const double largest = start.dtype.bits() == 32
                               ? static_cast<double>(std::numeric_limits<float>::max())
                               : std::numeric_limits<double>::max();
    return start.real * sign <= -largest;
  }
  if (start.kind != StepKind::kInteger) return false;
  const int bits = start.dtype.bits();
  if (start.dtype.is_uint()) {
    const auto last = static_cast<int64_t>(bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1);
    return start.integer == (node == NodeKind::kMax ? 0 : last);
  }
  const int64_t least = std::numeric_limits<int64_t>::min() >> (64 - bits);
  return start.integer == (node == NodeKind::kMax ? least : -(least + 1));
}

}  // namespace

std::optional<OpInfo> RecogniseArg(const Computation& all) {
  const std::vector<int> reductions = Reductions(all);
  if (reductions.size() != 1 || all.stores.size() != 1) return std::nullopt;
  const auto at = [&](int step) -> const Step& { return all.steps[static_cast<size_t>(step)]; };
  const Step& best = at(reductions[0]);
  if (best.kind != StepKind::kArgReduce) return std::nullopt;
  const Step& place = at(best.args[2]);
  const bool counts = place.kind == StepKind::kIndex
                          ? CountsIterations(all, place.linear, best.loops)
                          : best.loops.empty();
  if (!counts || !StartsWithTheWorst(at(best.args[1]), best.node)) return std::nullopt;
  OpInfo info = ClaimOf(best.node == NodeKind::kMax ? "argmax" : "argmin", all);
  NameAxis(info.computation, "i", all.stores[0].loops);
  NameAxis(info.computation, "k", best.loops);
  return info;
}

}  // namespace tenon
