#ifndef TENON_PLANNER_EXPLAIN_MISFIT_H_
#define TENON_PLANNER_EXPLAIN_MISFIT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/problem/problem.h"

namespace tenon::planner {

/// Buffers that have one candidate, the same pool, and whose rules contradict each other. Without
/// any one of them, the rules of the others agree, unless a limit ended the search.
struct Contradiction {
  int32_t pool = 0;
  std::vector<int32_t> buffers;
};

/// Why a problem does not fit, and the smallest changes of sizes after which it would.
struct Misfit {
  /// The pool that is smaller than `bound`; -1 if no such pool is known.
  int32_t pool = -1;
  LowerBound bound;
  /// A buffer that is larger than all its pools; otherwise one for which the algorithm found no
  /// room.
  std::optional<int32_t> buffer;
  bool buffer_is_too_large = false;
  /// True if the search tried all choices of pools and none fits.
  bool nothing_fits = false;
  /// Rules that no offsets satisfy, however large a pool is.
  std::optional<Contradiction> contradiction;

  /// A new capacity of a pool.
  struct Capacity {
    int32_t pool = 0;
    int64_t bytes = 0;
    /// True if every smaller capacity is proven not to suffice.
    bool is_least = false;
  };
  /// Each entry alone, with all other capacities unchanged, makes everything fit: a plan was found.
  /// The smallest increase comes first.
  std::vector<Capacity> one_pool;
  /// If `one_pool` is empty: capacities that suffice together.
  std::vector<Capacity> all_pools;

  /// A reduction of a buffer's size by `bytes`.
  struct Shrink {
    int32_t buffer = 0;
    int64_t bytes = 0;
    /// True if a plan was found; otherwise all bounds fit, but no plan is known.
    bool has_plan = false;
  };
  /// The smallest reduction of a single buffer after which all bounds fit. Nullopt if no reduction
  /// suffices, or if the obstacle is not a bound by live bytes.
  std::optional<Shrink> one_buffer;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXPLAIN_MISFIT_H_
