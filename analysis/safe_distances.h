#ifndef TENON_ANALYSIS_SAFE_DISTANCES_H_
#define TENON_ANALYSIS_SAFE_DISTANCES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/function_buffer.h"
#include "ir/function.h"

// The safe distances between two buffers of a function, one of which dies while the other begins.

namespace tenon {

/// The two accesses that forbid a distance: a store to the buffer that begins, and a later access
/// to the buffer that dies.
struct DistanceBound {
  SourceRange store;
  SourceRange access;
  /// The loop in whose later iteration the access follows the store; null if the access follows in
  /// the same iteration of all common loops.
  const Var* loop = nullptr;
  /// If the loop's counter is split: the number of iterations per step of the least significant
  /// digit that differs.
  int64_t weight = 1;
};

/// A closed range of allowed distances, in bytes.
struct AllowedDistances {
  static constexpr int64_t kUnbounded = int64_t{1} << 62;

  /// -kUnbounded and kUnbounded mean that there is no limit.
  int64_t first = -kUnbounded;
  int64_t last = kUnbounded;
  /// The indices in SafeDistances::bounds of the pairs that forbid first - 1 and last + 1, or -1.
  int32_t below = -1;
  int32_t above = -1;
};

struct SafeDistances {
  /// Ascending and disjoint. Never empty: sharing no byte is always allowed.
  std::vector<AllowedDistances> allowed;
  std::vector<DistanceBound> bounds;
  /// Why the buffers must not share bytes; empty if the accesses decided.
  std::string_view disjoint_because;

  bool Contains(int64_t distance) const {
    for (const AllowedDistances& range : allowed) {
      if (range.first <= distance && distance <= range.last) return true;
    }
    return false;
  }
};

/// The distances, offset(begun) - offset(dying) in bytes, at which `func` gives the same results as
/// for buffers that share no byte. The function is lowered: flat buffers, no blocks. Nothing reads
/// `dying` after the call, and nothing reads the previous contents of `begun`.
///
/// A distance is allowed if no byte of `dying` is accessed after a store to `begun` has changed it.
/// For each store and access, the loops around both are split into digits, the most significant
/// first. The access follows the store if its first differing digit is larger. If all digits are
/// equal, it follows if it comes later in the text. For each digit, the least and greatest
/// distances of such accesses are those of an affine function over a box and a triangle. All loads
/// of a store's value come before the store, whatever its lanes.
///
/// Conditions are ignored, which can only forbid more distances. An index that is not affine
/// reaches everything within its bounds, or the whole buffer. Distances with shared bytes are
/// forbidden in three cases. A pointer escapes; one of the buffers is accessed in a parallel,
/// thread or vectorized loop or in a `while`; or one is accessed in a loop whose bounds depend on
/// anything but counters.
SafeDistances SafeDistancesOf(const PrimFunc& func, const FunctionBuffer& dying,
                              const FunctionBuffer& begun);

}  // namespace tenon

#endif  // TENON_ANALYSIS_SAFE_DISTANCES_H_
