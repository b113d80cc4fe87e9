#ifndef TENON_PASSES_MEMORY_OVERLAP_RELATIONS_H_
#define TENON_PASSES_MEMORY_OVERLAP_RELATIONS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/function_buffer.h"
#include "analysis/safe_distances.h"
#include "planner/problem/problem.h"

// The allowed overlap of an input that dies in a call with an output that begins in it.

namespace tenon {

/// The overlaps that a plan may use.
enum class OverlapMode : uint8_t {
  kOff,
  /// An output may begin at the first byte of an input.
  kInPlace,
  kOn,
};

/// The mode of a name: off, in-place, on.
std::optional<OverlapMode> ParseOverlapMode(std::string_view name);

/// The safe distances of two buffers of a function, one of which dies while the other begins, for
/// these parameters. A function that runs operators row by row brings its own:
/// `tenon.row_distances`.
SafeDistances DistancesOfParams(const PrimFunc& func, size_t dying_param,
                                const FunctionBuffer& dying, size_t begun_param,
                                const FunctionBuffer& begun);

/// The distances of a pair that a plan may use. All differences of the two offsets are multiples of
/// `alignment`, and so are the ends of the ranges. Empty if no allowed difference lets the two
/// share a byte: their lifetimes then suffice.
std::vector<planner::DifferenceRange> AllowedDifferences(const SafeDistances& distances,
                                                         int64_t dying_bytes, int64_t begun_bytes,
                                                         int64_t alignment, OverlapMode mode);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_OVERLAP_RELATIONS_H_
