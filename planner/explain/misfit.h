#ifndef TENON_PLANNER_EXPLAIN_MISFIT_H_
#define TENON_PLANNER_EXPLAIN_MISFIT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/problem/problem.h"

namespace tenon::planner {

/// Why a problem does not fit, and the smallest changes of sizes after which it would.
struct Misfit {
  /// The pool that is smaller than `bound`; -1 when no pool is known to be.
  int32_t pool = -1;
  LowerBound bound;
  /// A buffer that is larger than all its pools, or else one for which the algorithm saw no room.
  std::optional<int32_t> buffer;
  bool buffer_is_too_large = false;
  /// All choices of pools for the buffers have been looked at, and none fits.
  bool nothing_fits = false;

  /// Another capacity of a pool.
  struct Capacity {
    int32_t pool = 0;
    int64_t bytes = 0;
    /// It is proven that none below it will do.
    bool is_least = false;
  };
  /// Pools of which each alone, with that capacity and all others as they are, lets everything fit:
  /// a plan was found. Those that grow least come first.
  std::vector<Capacity> one_pool;
  /// If there is none: pools that would do together.
  std::vector<Capacity> all_pools;

  /// A buffer that is smaller by so many bytes.
  struct Shrink {
    int32_t buffer = 0;
    int64_t bytes = 0;
    /// A plan was found; else all bounds fit, but no plan is known.
    bool has_plan = false;
  };
  /// The buffer that has to shrink least, alone, for all bounds to fit; nothing where none is
  /// enough, or where no bound by live bytes is in the way.
  std::optional<Shrink> one_buffer;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXPLAIN_MISFIT_H_
