#ifndef TENON_PLANNER_ALGORITHMS_H_
#define TENON_PLANNER_ALGORITHMS_H_

// Internal: the algorithms behind PlanMemory. Each takes a valid problem and returns placements
// that the caller checks; use planner.h from outside.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "planner/exact/search_budget.h"
#include "planner/planner.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// Placements, or the buffer for which the algorithm saw no room.
struct Attempt {
  std::vector<Placement> placements;
  std::optional<int32_t> no_room_for;
  /// Better bounds of the pools than those known before, if not empty.
  std::vector<LowerBound> bounds = {};
  /// A limit ended it before there was a plan.
  bool stopped = false;
  /// With `no_room_for`: it is proven that no choice of pools fits.
  bool nothing_fits = false;
  /// No choice of pools is cheaper.
  bool cost_is_least = false;
  /// It is proven that this pool is smaller than its bound in `bounds`: nothing fits.
  std::optional<int32_t> refused_pool = std::nullopt;
  /// For each pool the method that found its size (docs/planning.md); empty: the algorithm itself.
  std::vector<std::string_view> found_by = {};
};

/// Places each buffer above all its placed conflicts, as TVM's greedy_by_size does: in order of
/// size, number of conflicts and name, all descending. Unlike TVM it does not use a pool that it
/// has found too small at a place where the buffer would overlap a conflict.
/// Unimplemented: fixed offsets, and relations that keep a pair from lying apart.
absl::StatusOr<Attempt> GreedyBySize(const Problem& problem, const PlanOptions& options);

/// The same in order of number of conflicts, size and name.
absl::StatusOr<Attempt> GreedyByConflicts(const Problem& problem, const PlanOptions& options);

/// TVM's hill_climb: first-fit over an order that is changed by swaps around the buffers on top,
/// accepted by chance, with glibc's rand_r from seed 0. Unlike TVM it ends where all neighbours of
/// a buffer are one and the same, where TVM looks for a different one forever.
absl::StatusOr<Attempt> HillClimb(const Problem& problem, const PlanOptions& options);

/// Among more buffers than these `optimal` looks at them one by one, and searches cores alone.
inline constexpr size_t kFewBuffers = 4096;

/// How GapFit chooses among the holes that are large enough.
enum class Fit : uint8_t { kFirst, kBest, kEither };

/// First-fit and best-fit into holes, over several orders, then moves of the buffers on top; stops
/// as soon as every pool meets its bound, or the budget's time is over and there is a plan.
/// `persist`: moves go on until the budget is spent.
absl::StatusOr<Attempt> GapFit(const Problem& problem, const std::vector<LowerBound>& bounds,
                               Fit fit, const PlanOptions& options, SearchBudget* budget,
                               bool persist = false);

/// GapFit, then exact search within the limits of `options` for pools whose buffers can be nowhere
/// else and which are in its reach (packing.h, general_search.h).
absl::StatusOr<Attempt> Optimal(const Problem& problem, const std::vector<LowerBound>& bounds,
                                const PlanOptions& options);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_ALGORITHMS_H_
