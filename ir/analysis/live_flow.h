#ifndef TENON_IR_ANALYSIS_LIVE_FLOW_H_
#define TENON_IR_ANALYSIS_LIVE_FLOW_H_

#include <cstdint>
#include <vector>

#include "ir/analysis/byte_range.h"
#include "ir/analysis/liveness.h"

// Internal to ir/analysis/liveness*.cc.

namespace tenon::liveness_internal {

/// Intervals of the clock that a statement controls, each inside its parent.
enum class RegionKind : uint8_t {
  kLoop,       ///< the body of a loop that runs at least once
  kMaybeLoop,  ///< the body of a loop that may run zero times
  kWhile,      ///< holds a kCondition and a kBody
  kCondition,  ///< runs once more than the body
  kBody,
  kBranch,  ///< holds at most two kArm; one of them runs
  kArm,
};

struct Region {
  RegionKind kind = RegionKind::kLoop;
  /// Index of the enclosing region, or -1.
  int32_t parent = -1;
  /// Number of enclosing regions.
  int32_t depth = 0;
  int64_t start = 0;
  int64_t end = 0;
};

/// The largest number of byte ranges of one allocation that are tracked separately.
inline constexpr int64_t kMostStretches = 64;

/// An access to the bytes of one allocation in [start, end): `read` happens before `overwritten`.
/// Both are empty if the allocation is only in use, or if an unknown part of it is written. An
/// access with end = start announces that the following statements overwrite before they read.
struct Access {
  int64_t start = 0;
  int64_t end = 0;
  /// The innermost region, or -1.
  int32_t region = -1;
  ByteRange read;
  ByteRange overwritten;
};

/// The times at which an allocation of `size` bytes, in a scope with `root_depth` enclosing
/// regions, is live, given all its accesses in program order. It is live throughout each access. It
/// is also live between two accesses of one run of the scope if bytes that were touched before may
/// be read later without being overwritten first. The algorithm is backward liveness and forward
/// reachability over the tree of regions, for each of up to kMostStretches byte ranges that
/// overwrites separate. The result is sorted, disjoint and without adjacent ranges.
std::vector<LiveRange> FlowOf(const std::vector<Region>& regions, int32_t root_depth,
                              const std::vector<Access>& accesses, int64_t size);

}  // namespace tenon::liveness_internal

#endif  // TENON_IR_ANALYSIS_LIVE_FLOW_H_
