// A quotient whose divisor is the sum of the dividends, which contain a maximum. Steps are compared
// up to a renaming of loops, because the sum has its own loop.

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/contraction.h"
#include "byoc/recognise/recognise.h"

namespace tenon {

namespace {

/// Compares steps up to a renaming of loops.
class Same {
 public:
  explicit Same(const Computation& all) : all_(all) {}

  /// Maps loops of the first step to loops of the second one.
  absl::flat_hash_map<int, int> loops;

  bool Steps(int a, int b) {
    if (!equal_.insert({a, b}).second) return true;
    const Step& x = At(all_, a);
    const Step& y = At(all_, b);
    if (x.kind != y.kind || x.dtype != y.dtype || x.node != y.node || x.op != y.op ||
        x.integer != y.integer || x.args.size() != y.args.size() ||
        x.loops.size() != y.loops.size()) {
      return false;
    }
    if (x.kind == StepKind::kReal && x.real != y.real) return false;
    for (size_t i = 0; i < x.loops.size(); ++i) {
      if (Extent(x.loops[i]) != Extent(y.loops[i])) return false;
      loops[x.loops[i]] = y.loops[i];
    }
    if (x.kind == StepKind::kIndex && !Indices(x.linear, y.linear)) return false;
    if (x.kind == StepKind::kRead) {
      const ComputationAccess& from = all_.accesses[static_cast<size_t>(x.access)];
      const ComputationAccess& to = all_.accesses[static_cast<size_t>(y.access)];
      if (from.operand != to.operand || !Indices(from.element, to.element)) return false;
    }
    for (size_t i = 0; i < x.args.size(); ++i) {
      if (!Steps(x.args[i], y.args[i])) return false;
    }
    return true;
  }

 private:
  int64_t Extent(int loop) const { return all_.loops[static_cast<size_t>(loop)].extent; }

  bool Indices(const LinearIndex& a, const LinearIndex& b) {
    if (a.offset != b.offset || a.divisor != b.divisor || a.terms.size() != b.terms.size())
      return false;
    return std::all_of(a.terms.begin(), a.terms.end(), [&](const auto& term) {
      const auto found = loops.find(term.first);
      return b.stride(found == loops.end() ? term.first : found->second) == term.second;
    });
  }

  const Computation& all_;
  /// Pairs that are equal, or under comparison: the first unequal pair ends the comparison.
  absl::flat_hash_set<std::pair<int, int>> equal_;
};

/// The loops of the output that match the loops of the sum: the same extents, in the same order.
std::optional<std::vector<int>> AxisOf(const Computation& all, int quotient, int sum) {
  const Step& reduce = At(all, sum);
  std::vector<std::vector<int>> choices = {{}};
  for (const int loop : reduce.loops) {
    std::vector<std::vector<int>> next;
    for (const std::vector<int>& choice : choices) {
      for (const int kept : all.stores[0].loops) {
        if (std::find(choice.begin(), choice.end(), kept) != choice.end()) continue;
        if (all.loops[static_cast<size_t>(kept)].extent !=
            all.loops[static_cast<size_t>(loop)].extent) {
          continue;
        }
        next.push_back(choice);
        next.back().push_back(kept);
      }
    }
    choices = std::move(next);
    if (choices.size() > 24) return std::nullopt;
  }
  for (const std::vector<int>& choice : choices) {
    Same same(all);
    for (size_t i = 0; i < choice.size(); ++i) same.loops[reduce.loops[i]] = choice[i];
    if (same.Steps(reduce.args[1], At(all, quotient).args[0])) return choice;
  }
  return std::nullopt;
}

}  // namespace

std::optional<OpInfo> RecogniseSoftmax(const Computation& all) {
  if (all.stores.size() != 1 || all.steps.size() > 256) return std::nullopt;
  for (size_t i = 0; i < all.steps.size(); ++i) {
    const Step& quotient = all.steps[i];
    if (quotient.kind != StepKind::kNode || quotient.node != NodeKind::kDiv) continue;
    const int sum = quotient.args[1];
    if (At(all, sum).kind != StepKind::kReduce || At(all, sum).node != NodeKind::kAdd) continue;
    const std::vector<bool> below = StepsBelow(all, At(all, sum).args[1]);
    bool maximum = false;
    for (size_t k = 0; k < below.size(); ++k) {
      maximum = maximum || (below[k] && all.steps[k].kind == StepKind::kReduce &&
                            all.steps[k].node == NodeKind::kMax);
    }
    const std::optional<std::vector<int>> axis = AxisOf(all, static_cast<int>(i), sum);
    if (!axis || !maximum) continue;
    OpInfo info = ClaimOf("softmax", all);
    std::vector<int> kept;
    for (const int loop : all.stores[0].loops) {
      if (std::find(axis->begin(), axis->end(), loop) == axis->end()) kept.push_back(loop);
    }
    // Maxima have loops of their own, in any order.
    std::vector<int> others;
    for (size_t loop = 0; loop < all.loops.size(); ++loop) others.push_back(static_cast<int>(loop));
    NameAxis(info.computation, "r", others);
    NameAxis(info.computation, "i", kept);
    NameAxis(info.computation, "j", *axis);
    NameAxis(info.computation, "k", At(all, sum).loops);
    return info;
  }
  return std::nullopt;
}

}  // namespace tenon
