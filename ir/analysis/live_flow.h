#ifndef TENON_IR_ANALYSIS_LIVE_FLOW_H_
#define TENON_IR_ANALYSIS_LIVE_FLOW_H_

#include <cstdint>
#include <vector>

#include "ir/analysis/index_form.h"
#include "ir/analysis/liveness.h"

// Internal to ir/analysis/liveness*.cc.

namespace tenon::liveness_internal {

/// Stretches of the clock that run under control of a statement, each inside of its parent.
enum class RegionKind : uint8_t {
  kLoop,       ///< the body of a loop that runs at least once
  kMaybeLoop,  ///< the body of one that may run never
  kWhile,      ///< holds a kCondition and a kBody
  kCondition,  ///< runs once more than the body
  kBody,
  kBranch,  ///< holds at most two kArm, of which one runs
  kArm,
};

struct Region {
  RegionKind kind = RegionKind::kLoop;
  /// Index of the region around, or -1.
  int32_t parent = -1;
  /// Regions around it.
  int32_t depth = 0;
  int64_t start = 0;
  int64_t end = 0;
};

/// Stretches of bytes of one allocation that are told apart.
inline constexpr int64_t kMostStretches = 64;

/// What happens to the bytes of one allocation in [start, end): `read` before `overwritten`; both
/// may be empty, when it is only in use or some unknown part is written. With end = start it is a
/// note that what follows overwrites, before it reads.
struct Access {
  int64_t start = 0;
  int64_t end = 0;
  /// The innermost region, or -1.
  int32_t region = -1;
  ByteRange read;
  ByteRange overwritten;
};

/// When an allocation of `size` bytes, in a scope with `root_depth` regions around, holds bytes
/// that are needed, given all its accesses in the order of the program. It does throughout each
/// access, and between two accesses of one run of the scope if bytes that were touched before may
/// be read later without being overwritten first: backward liveness and forward reachability over
/// the tree of regions, for each of up to kMostStretches stretches of bytes that overwrites tell
/// apart. Sorted, disjoint, not touching.
std::vector<LiveRange> FlowOf(const std::vector<Region>& regions, int32_t root_depth,
                              const std::vector<Access>& accesses, int64_t size);

}  // namespace tenon::liveness_internal

#endif  // TENON_IR_ANALYSIS_LIVE_FLOW_H_
