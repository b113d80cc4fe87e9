#ifndef TENON_PASSES_MEMORY_OVERLAP_RECORD_H_
#define TENON_PASSES_MEMORY_OVERLAP_RECORD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/module.h"
#include "planner/problem/problem.h"

namespace tenon {

/// A plan's record of two allocations that may overlap: an entry of the member `overlaps` of
/// `tenon.memory_plan`.
struct OverlapRecord {
  /// The called function, and the names of the allocations.
  std::string function;
  std::string dying;
  std::string begun;
  /// offset(begun) - offset(dying), in bytes; INT64_MIN and INT64_MAX mean unbounded.
  std::vector<planner::DifferenceRange> allowed;
  int64_t distance = 0;
  /// The store, the later access and the loop that limit the range of the distance: from above, or
  /// from below if it has no upper limit.
  std::string bound;
};

/// The records of a module's plan; records that are not understood are left out.
std::vector<OverlapRecord> ReadOverlapRecords(const IRModule& module);
const Attr* OverlapRecordsAttr(NodeBuilder& builder, const std::vector<OverlapRecord>& records);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_OVERLAP_RECORD_H_
