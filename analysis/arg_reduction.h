#ifndef TENON_ANALYSIS_ARG_REDUCTION_H_
#define TENON_ANALYSIS_ARG_REDUCTION_H_

#include <optional>

#include "analysis/stages.h"
#include "analysis/value_graph.h"

// Internal to analysis/: reductions to the place of the greatest or least element, like TVM's
// argmax and argmin. Two stages of one nest keep the place and the value:
//   place[x] = Select(value < best[x] or (best[x] == value and place[x] < k), place[x], k)
//   best[x] = Select(value < best[x], best[x], value)

namespace tenon {

/// True if the stage and the next one, in the same loops, store to different tensors. Each must
/// choose between its tensor's element and another value by a comparison that reads both tensors.
bool IsArgReduction(const Stages& stages, size_t stage);

/// The comparison of the two stages, as nodes of its values.
struct ArgReduction {
  /// kMax or kMin.
  NodeKind kind = NodeKind::kMax;
  /// Ties go to the greatest place if true, otherwise to the least.
  bool takes_greatest = false;
  /// The place and the value of one iteration.
  int place = -1;
  int value = -1;
};

/// Matches the values that the two stages store. `kept_place` and `kept_value` are the nodes of the
/// elements that they replace. Nullopt if the stages do not have the form above.
std::optional<ArgReduction> MatchArgReduction(const ValueGraph& graph, int place, int value,
                                              int kept_place, int kept_value);

}  // namespace tenon

#endif  // TENON_ANALYSIS_ARG_REDUCTION_H_
