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

/// The stage stores to one tensor and the next stage, in the same loops, to another one; each of
/// them chooses between what is there and something else, by what is in both.
bool IsArgReduction(const Stages& stages, size_t stage);

/// What the two stages compare, by the nodes of its values.
struct ArgReduction {
  /// kMax or kMin.
  NodeKind kind = NodeKind::kMax;
  /// Of equal values, the one with the greatest place counts, and not the one with the least.
  bool takes_greatest = false;
  /// The place and the value of one iteration.
  int place = -1;
  int value = -1;
};

/// Reads the values that two stages store. `kept_place` and `kept_value` are the nodes of the
/// elements that they replace. nullopt when these are computed in another way than above.
std::optional<ArgReduction> MatchArgReduction(const ValueGraph& graph, int place, int value,
                                              int kept_place, int kept_value);

}  // namespace tenon

#endif  // TENON_ANALYSIS_ARG_REDUCTION_H_
