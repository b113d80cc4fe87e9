#ifndef TENON_IR_STREAM_RECORD_H_
#define TENON_IR_STREAM_RECORD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/module.h"

// The attribute `tenon.streaming`: among which groups stream-operators has chosen.

namespace tenon {

/// The calls `first`, ..., `last` of the entry as it was: one alone, or a group of several.
struct StreamSegment {
  int64_t first = 0;
  int64_t last = 0;
  /// The estimated bytes of workspace while they run.
  int64_t bytes = 0;
  /// The function of the group, if it was chosen.
  std::string name = {};
};

struct StreamRecord {
  /// The number of calls of the entry.
  int64_t calls = 0;
  /// A peak up to this size was good enough.
  int64_t enough_bytes = 0;
  /// All segments among which the pass has chosen.
  std::vector<StreamSegment> candidates;
  /// The chosen ones in order. Together they have all calls.
  std::vector<StreamSegment> cut;
};

/// The record of a module; nullopt if it has none that can be read.
std::optional<StreamRecord> ReadStreamRecord(const IRModule& module);
const Attr* StreamRecordAttr(NodeBuilder& builder, const StreamRecord& record);

}  // namespace tenon

#endif  // TENON_IR_STREAM_RECORD_H_
