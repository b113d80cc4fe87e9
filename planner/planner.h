#ifndef TENON_PLANNER_PLANNER_H_
#define TENON_PLANNER_PLANNER_H_

// The way in: a problem and the name of an algorithm give a checked plan, or say why not.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

struct Misfit;

/// What to use when nobody chose: gaps are used, and the answer carries its bound.
inline constexpr std::string_view kDefaultAlgorithm = "optimal";

struct PlanOptions {
  /// When an algorithm finds no plan within the capacities, try `first_fit` before giving up. It
  /// then keeps the conflict lists of the problem as well, in both directions.
  bool fall_back = true;
  /// Attempts of hill_climb; TVM's number.
  int64_t hill_climb_attempts = 500;
  /// Bound on the steps (visits of a conflicting buffer) that searching may take beyond a first
  /// placement. The same limit gives the same plan everywhere.
  int64_t work_limit = 200'000'000;
  /// Placements that the exact search of `optimal` may try; among more than 256 buffers each counts
  /// for more. The same limit gives the same plan everywhere, as long as neither `time_limit` nor
  /// `stop` ends the search before.
  int64_t node_limit = 2'000'000;
  /// Seconds after which `optimal`, `first_fit` and `best_fit` give the best they have. Looked at
  /// between steps of the search, which starts with a first plan whatever the limit, unless that
  /// takes tens of millions of steps.
  std::optional<double> time_limit = std::nullopt;
  /// Asked now and then by the same; true ends the search like `time_limit`.
  std::function<bool()> stop = nullptr;
  /// When nothing fits, look for the smallest changes of sizes that would, for the message: that
  /// plans again a number of times. Not among more than 50,000 buffers.
  bool explain = true;
  /// Receives what the message says when nothing fits (planner/explain/misfit.h), if not null.
  Misfit* misfit = nullptr;
  /// Told by `optimal` when its search finds a smaller size of a pool or a better bound of it; the
  /// size is INT64_MAX before there is a plan.
  std::function<void(int64_t size, int64_t bound)> progress = nullptr;
};

/// All names that PlanMemory knows, the default first.
std::span<const std::string_view> AlgorithmNames();

/// What callers need to know of an algorithm.
struct AlgorithmTraits {
  std::string_view name;
  /// TVM's algorithm of that name: it reads Problem::conflicts, and leaves every use of a constant
  /// where TVM leaves it.
  bool is_tvm = false;
  /// Fixed offsets, and relations that keep a pair from lying apart, are in its reach.
  bool supports_relations = true;
};

/// Null: PlanMemory does not know the name.
const AlgorithmTraits* Traits(std::string_view algorithm);

/// `algorithm` is one of TVM's.
bool IsTvmAlgorithm(std::string_view algorithm);

/// Plans with the algorithm of that name; the plan has passed CheckPlan.
///
/// InvalidArgument: the problem breaks a rule of problem.h, or the name is not known (the message
/// lists those that are). Unimplemented: the algorithm does not support a relation or fixed offset
/// of the problem. ResourceExhausted: proven that nothing fits; the message has the missing bytes,
/// the buffers that are live at the peak, and the smallest changes of sizes that would fit.
/// NotFound: this algorithm found nothing that fits, or was
/// stopped before it had a plan; the message says what would fit. Internal: the
/// checker refused the plan.
absl::StatusOr<Plan> PlanMemory(const Problem& problem, std::string_view algorithm,
                                const PlanOptions& options = {});

/// `status` came from PlanMemory and no plan exists at all.
bool IsProvenInfeasible(const absl::Status& status);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_PLANNER_H_
