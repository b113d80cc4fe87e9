#ifndef TENON_ANALYSIS_ARG_REDUCTION_H_
#define TENON_ANALYSIS_ARG_REDUCTION_H_

#include <optional>

#include "analysis/stages.h"
#include "analysis/value_graph.h"

// Internal to analysis/: the place of the greatest or the least element, as TVM's argmax and argmin
// find it. Two stages of one nest keep the place and the value:
//   place[x] = Select(value < best[x] or (best[x] == value and place[x] < k), place[x], k)
//   best[x] = Select(value < best[x], best[x], value)

namespace tenon {

/// True if `stage` and the next stage share their loops but store to two tensors, and each of them
/// keeps its old value under a condition that reads these tensors.
bool IsArgReduction(const Stages& stages, size_t stage);

/// The comparison that the two stages make; `place` and `value` are nodes of the ValueGraph.
struct ArgReduction {
  /// kMax or kMin.
  NodeKind kind = NodeKind::kMax;
  /// True if the greatest place of equal values wins; false if the least place wins.
  bool takes_greatest = false;
  /// The place and the value of one iteration.
  int place = -1;
  int value = -1;
};

/// Reads the values that the two stages store. `kept_place` and `kept_value` are the nodes of the
/// elements that the stages replace. Returns nullopt if the values do not have the form above.
std::optional<ArgReduction> MatchArgReduction(const ValueGraph& graph, int place, int value,
                                              int kept_place, int kept_value);

}  // namespace tenon

#endif  // TENON_ANALYSIS_ARG_REDUCTION_H_
