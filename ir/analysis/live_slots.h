#ifndef TENON_IR_ANALYSIS_LIVE_SLOTS_H_
#define TENON_IR_ANALYSIS_LIVE_SLOTS_H_

#include <limits>
#include <utility>
#include <vector>

#include "ir/analysis/live_flow.h"

// Internal to ir/analysis/liveness*.cc.

namespace tenon::liveness_internal {

/// All bytes of an allocation, whatever its size.
inline constexpr ByteRange kAllBytes{std::numeric_limits<int64_t>::min(),
                                     std::numeric_limits<int64_t>::max()};

/// An allocation whose body is being run.
struct Slot {
  /// Index of its entry among the allocations.
  int32_t index = 0;
  int64_t size = 0;
  /// Its size is known, so that overwrites can be recognized.
  bool sized = false;
  /// A pointer to it escaped, so that later uses are unknown.
  bool escaped = false;
  /// The caller of the entry reads it after the run.
  bool goes_out = false;
  /// Used in the current parallel loop.
  bool in_parallel = false;
  bool read_in_parallel = false;
  /// Number of regions that enclose its scope.
  int32_t root_depth = 0;
  std::vector<Access> accesses = {};
};

/// Records the accesses to open allocations, and their regions.
class Slots {
 public:
  int32_t count() const { return static_cast<int32_t>(slots_.size()); }
  Slot& at(int32_t slot) { return slots_[static_cast<size_t>(slot)]; }
  const Slot& at(int32_t slot) const { return slots_[static_cast<size_t>(slot)]; }

  void EnterRegion(RegionKind kind, int64_t start) { path_.push_back({kind, start, -1}); }
  void LeaveRegion(int64_t end);

  int32_t Open(int32_t index, int64_t size, bool sized);
  /// Closes the allocation that was opened last, at `now`. Returns the ranges in which it was live.
  std::vector<LiveRange> Close(int64_t now);

  /// Adds an access in the current region.
  void Add(int32_t slot, Access access);

 private:
  /// An open region; it gets its index at the first access in it.
  struct Step {
    RegionKind kind;
    int64_t start;
    int32_t index;
  };

  int32_t CurrentRegion(int32_t root_depth);
  /// Merges two consecutive accesses if one access can express both; false if not.
  static bool Join(Access& last, const Access& next, const ByteRange& all);
  int64_t StartOfLoops(const Slot& slot) const;

  std::vector<Slot> slots_;
  std::vector<Step> path_;
  std::vector<Region> regions_;
  /// Number of steps of the path that have an index.
  size_t known_ = 0;
};

}  // namespace tenon::liveness_internal

#endif  // TENON_IR_ANALYSIS_LIVE_SLOTS_H_
