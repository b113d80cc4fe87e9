#ifndef TENON_PASSES_STREAMING_CHOOSE_GROUPS_H_
#define TENON_PASSES_STREAMING_CHOOSE_GROUPS_H_

#include <vector>

#include "ir/stream_record.h"
#include "passes/streaming/stream_group.h"

namespace tenon {

struct StreamChoice {
  /// In the order of the entry.
  std::vector<StreamGroup> groups;
  /// The segments of `record.cut` have no names yet.
  StreamRecord record;
};

/// The groups with which the entry is estimated to need the least memory, or `enough_bytes` if that
/// is more. Among these, groups with the fewest operators and copies.
///
/// The estimate adds up what is live in a call or a group, and knows how far the result of a single
/// call can overlap an operand that dies in it. The plan decides later.
///
/// With `is_fed`, the result of the first call is only rows in a group; no groups at all if that is
/// impossible.
StreamChoice ChooseStreamGroups(StreamPlanner& planner, const StreamProgram& program,
                                int64_t enough_bytes, bool is_fed);

}  // namespace tenon

#endif  // TENON_PASSES_STREAMING_CHOOSE_GROUPS_H_
