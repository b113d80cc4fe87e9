#ifndef TENON_PLANNER_PLANNER_H_
#define TENON_PLANNER_PLANNER_H_

// The planner's interface: plans a problem with a named algorithm and checks the plan.

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

/// The default algorithm: it uses gaps, and its result includes a lower bound.
inline constexpr std::string_view kDefaultAlgorithm = "optimal";

struct PlanOptions {
  /// If an algorithm finds no plan within the capacities, try `first_fit` before giving up. That
  /// attempt also obeys the conflict lists of the problem, in both directions.
  bool fall_back = true;
  /// Attempts of hill_climb; the default is TVM's.
  int64_t hill_climb_attempts = 500;
  /// Limit on search steps (visits of a conflicting buffer) after the first placement. The same
  /// limit gives the same plan on every machine.
  int64_t work_limit = 200'000'000;
  /// Limit on placements that the exact search of `optimal` tries. With more than 256 buffers each
  /// try counts more. The same limit gives the same plan on every machine, unless `time_limit` or
  /// `stop` ends the search first.
  int64_t node_limit = 2'000'000;
  /// Seconds after which `optimal`, `first_fit` and `best_fit` return their best plan. They check
  /// the clock between steps. The first plan ignores the limit unless it takes tens of millions of
  /// steps.
  std::optional<double> time_limit = std::nullopt;
  /// Polled by the same algorithms; returning true ends the search like `time_limit`.
  std::function<bool()> stop = nullptr;
  /// If nothing fits, search for the smallest sufficient size changes for the message. This plans
  /// several more times. Ignored for more than 50,000 buffers.
  bool explain = true;
  /// If not null, receives the message's facts when nothing fits (planner/explain/misfit.h).
  Misfit* misfit = nullptr;
  /// If not null, receives the number of placements that searches tried, those of parts included.
  int64_t* nodes = nullptr;
  /// Called by `optimal` when its search finds a smaller pool size or a better bound; `size` is
  /// INT64_MAX until a plan exists.
  std::function<void(int64_t size, int64_t bound)> progress = nullptr;
};

/// The algorithm of plans whose buffers all have fixed offsets: nothing was searched. The bounds of
/// these plans are those of the problem without the offsets. PlanMemory does not accept the name.
inline constexpr std::string_view kGiven = "given";
/// True if all buffers of the problem, at least one, have fixed offsets.
bool IsGiven(const Problem& problem);

/// All algorithm names that PlanMemory accepts, the default first.
std::span<const std::string_view> AlgorithmNames();

/// An algorithm's properties that matter to callers.
struct AlgorithmTraits {
  std::string_view name;
  /// True for TVM's algorithm of that name: it reads Problem::conflicts, and keeps every use of a
  /// constant where TVM keeps it.
  bool is_tvm = false;
  /// True if the algorithm handles fixed offsets, and relations that forbid placing a pair apart.
  bool supports_relations = true;
};

/// Null if PlanMemory does not know the name.
const AlgorithmTraits* Traits(std::string_view algorithm);

/// True if `algorithm` is one of TVM's.
bool IsTvmAlgorithm(std::string_view algorithm);

/// Plans with the named algorithm; the returned plan has passed CheckPlan.
///
/// InvalidArgument: the problem breaks a rule of problem.h, or the name is unknown (the message
/// lists the known names). Unimplemented: the algorithm does not support a relation or fixed offset
/// of the problem. ResourceExhausted: nothing fits, which is proven. The message has the missing
/// bytes, the buffers that are live at the peak, and the smallest changes of sizes that would fit;
/// or the rules that contradict each other in every pool.
/// NotFound: the algorithm found no plan that fits, or was stopped before it had one; the message
/// says what would fit. Internal: the checker refused the plan.
absl::StatusOr<Plan> PlanMemory(const Problem& problem, std::string_view algorithm,
                                const PlanOptions& options = {});

/// True if `status` came from PlanMemory and it is proven that no plan exists.
bool IsProvenInfeasible(const absl::Status& status);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_PLANNER_H_
