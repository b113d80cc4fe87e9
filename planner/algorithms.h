#ifndef TENON_PLANNER_ALGORITHMS_H_
#define TENON_PLANNER_ALGORITHMS_H_

// Internal: the algorithms that PlanMemory selects. Each takes a valid problem and returns
// placements that the caller checks. Callers outside the planner use planner.h.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "planner/exact/search_budget.h"
#include "planner/planner.h"
#include "planner/problem/access_cost.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// Placements, or the buffer for which the algorithm found no room.
struct Attempt {
  std::vector<Placement> placements;
  std::optional<int32_t> no_room_for;
  /// Bounds of the pools that are better than those known before; may be empty.
  std::vector<LowerBound> bounds = {};
  /// True if a limit ended the algorithm before it had a plan.
  bool stopped = false;
  /// With `no_room_for`: true if no choice of pools fits, which is proven.
  bool nothing_fits = false;
  /// True if no choice of pools is cheaper.
  bool cost_is_least = false;
  /// No choice of pools costs less; zero if that is all that is known.
  Price cost_bound = {};
  /// A pool that is proven to be smaller than its bound in `bounds`: nothing fits.
  std::optional<int32_t> refused_pool = std::nullopt;
  /// For each pool the method that found its size (docs/internals/planner.md); empty: the algorithm
  /// itself.
  std::vector<std::string_view> found_by = {};
};

/// Places each buffer above all its placed conflicts, as TVM's greedy_by_size does. The order is
/// size, number of conflicts, then name, all descending. TVM may return to a pool that it has found
/// too small, at a place where the buffer overlaps a conflict; this algorithm does not.
/// Unimplemented: fixed offsets, and relations that forbid a pair from being placed apart.
absl::StatusOr<Attempt> GreedyBySize(const Problem& problem, const PlanOptions& options);

/// GreedyBySize with the order number of conflicts, size, then name.
absl::StatusOr<Attempt> GreedyByConflicts(const Problem& problem, const PlanOptions& options);

/// TVM's hill_climb: first-fit over an order that random swaps around the topmost buffers change.
/// Swaps are accepted by chance, with glibc's rand_r from seed 0. Unlike TVM, it ends when a buffer
/// has a single distinct neighbour; TVM then looks for a different one forever.
absl::StatusOr<Attempt> HillClimb(const Problem& problem, const PlanOptions& options);

/// With more buffers than this, `optimal` avoids pairwise work and searches only cores exactly.
inline constexpr size_t kFewBuffers = 4096;

/// GapFit's choice among holes that are large enough.
enum class Fit : uint8_t { kFirst, kBest, kEither };

/// First-fit and best-fit into holes, over several orders, then moves of the topmost buffers. Stops
/// when every pool meets its bound, or when the budget's time is over and a plan exists. If
/// `persist`, moves continue until the budget is spent.
absl::StatusOr<Attempt> GapFit(const Problem& problem, const std::vector<LowerBound>& bounds,
                               Fit fit, const PlanOptions& options, SearchBudget* budget,
                               bool persist = false);

/// GapFit, then exact search within the limits of `options` (packing.h, general_search.h). Exact
/// search handles the pools whose buffers have no other candidate and that it can solve.
absl::StatusOr<Attempt> Optimal(const Problem& problem, const std::vector<LowerBound>& bounds,
                                const PlanOptions& options);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_ALGORITHMS_H_
