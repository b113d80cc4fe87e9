#ifndef TENON_ANALYSIS_SAFE_DISTANCES_H_
#define TENON_ANALYSIS_SAFE_DISTANCES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/function_buffer.h"
#include "ir/function.h"

// How far two buffers of one function have to lie apart when one dies while the other begins.

namespace tenon {

/// The two accesses that keep a distance from being allowed: a store to the buffer that begins, and
/// a later access to the buffer that dies.
struct DistanceBound {
  SourceRange store;
  SourceRange access;
  /// The loop in whose later iteration the access follows the store; null when the access follows
  /// in the same iteration of all common loops.
  const Var* loop = nullptr;
  /// The loop's counter is divided: the least significant part that differs counts this many
  /// iterations a step.
  int64_t weight = 1;
};

/// A closed range of allowed distances, in bytes.
struct AllowedDistances {
  static constexpr int64_t kUnbounded = int64_t{1} << 62;

  /// -kUnbounded and kUnbounded stand for no end.
  int64_t first = -kUnbounded;
  int64_t last = kUnbounded;
  /// The indices in SafeDistances::bounds of the pairs that forbid first - 1 and last + 1, or -1.
  int32_t below = -1;
  int32_t above = -1;
};

struct SafeDistances {
  /// Ascending and apart. Never empty: two buffers that share no byte are always allowed.
  std::vector<AllowedDistances> allowed;
  std::vector<DistanceBound> bounds;
  /// Why only buffers that share no byte are allowed; empty when the accesses decided.
  std::string_view disjoint_because;

  bool Contains(int64_t distance) const {
    for (const AllowedDistances& range : allowed) {
      if (range.first <= distance && distance <= range.last) return true;
    }
    return false;
  }
};

/// The distances, offset(begun) - offset(dying) in bytes, at which `func` computes what it computes
/// when the two share no byte. The function is lowered: flat buffers, no blocks. Before the call
/// `dying` holds what the function reads, after it nobody reads that; before the call `begun` holds
/// nothing that anybody reads.
///
/// A distance is allowed when no byte of `dying` is accessed after a store to `begun` has changed
/// it. For each store and each access, the loops around both are split in digits, most significant
/// first. The access follows the store when its first differing digit is larger, or when all are
/// equal and it stands after the store. For each digit the least and the greatest distance of such
/// accesses are those of an affine function over a box and a triangle. All of a store's loads come
/// before it, whatever its lanes.
///
/// Conditions are ignored, which only forbids more. An index that is not affine reaches what its
/// bounds allow, or the whole buffer. Only buffers that share no byte are allowed where a pointer
/// escapes, and where one of the two is accessed in a parallel, thread or vectorized loop, in a
/// `while`, or in a loop whose bounds depend on anything but counters.
SafeDistances SafeDistancesOf(const PrimFunc& func, const FunctionBuffer& dying,
                              const FunctionBuffer& begun);

}  // namespace tenon

#endif  // TENON_ANALYSIS_SAFE_DISTANCES_H_
