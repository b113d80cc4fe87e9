#include "ir/analysis/live_slots.h"

#include <algorithm>

#include "support/check.h"

namespace tenon::liveness_internal {

void Slots::LeaveRegion(int64_t end) {
  TENON_CHECK(!path_.empty());
  if (const int32_t index = path_.back().index; index >= 0)
    regions_[static_cast<size_t>(index)].end = end;
  path_.pop_back();
  known_ = std::min(known_, path_.size());
}

int32_t Slots::Open(int32_t index, int64_t size, bool sized) {
  Slot slot;
  slot.index = index;
  slot.size = size;
  slot.sized = sized;
  slot.root_depth = static_cast<int32_t>(path_.size());
  slots_.push_back(std::move(slot));
  return count() - 1;
}

int32_t Slots::CurrentRegion(int32_t root_depth) {
  TENON_CHECK(root_depth >= 0 && static_cast<size_t>(root_depth) <= path_.size());
  if (static_cast<size_t>(root_depth) == path_.size()) return -1;
  for (; known_ < path_.size(); ++known_) {
    Step& step = path_[known_];
    step.index = static_cast<int32_t>(regions_.size());
    const int32_t parent = known_ == 0 ? -1 : path_[known_ - 1].index;
    regions_.push_back({step.kind, parent, static_cast<int32_t>(known_), step.start, step.start});
  }
  return path_.back().index;
}

void Slots::Add(int32_t slot, Access access) {
  Slot& to = at(slot);
  access.region = CurrentRegion(to.root_depth);
  const ByteRange all{0, to.size};
  if (to.sized) {
    for (ByteRange* bytes : {&access.read, &access.overwritten}) {
      *bytes = {std::max(bytes->first, all.first), std::min(bytes->end, all.end)};
    }
  }
  if (!to.accesses.empty() && Join(to.accesses.back(), access, to.sized ? all : kAllBytes)) return;
  to.accesses.push_back(access);
}

bool Slots::Join(Access& last, const Access& next, const ByteRange& all) {
  if (last.region != next.region || last.start == last.end || next.start < last.start ||
      !next.overwritten.empty()) {
    return false;
  }
  if (next.read.empty()) {
    // Nothing needs to be live between two writes.
    if (!last.read.empty() || !last.overwritten.empty() || next.start > last.end) return false;
  } else if (next.read == all && last.overwritten.empty()) {
    last.read = all;
  } else if (!last.read.Covers(next.read) && !last.overwritten.Covers(next.read)) {
    return false;
  }
  // Bytes that are read again, or were written just before, are live in between.
  last.end = std::max(last.end, next.end);
  return true;
}

/// The start of the outermost loop that contains the first access, or of that access.
int64_t Slots::StartOfLoops(const Slot& slot) const {
  TENON_CHECK(!slot.accesses.empty());
  int64_t start = slot.accesses.front().start;
  for (const Access& access : slot.accesses) start = std::min(start, access.start);
  for (int32_t at = slot.accesses.front().region; at >= 0;) {
    const Region& region = regions_[static_cast<size_t>(at)];
    if (region.depth < slot.root_depth) break;
    const bool loop = region.kind == RegionKind::kLoop || region.kind == RegionKind::kMaybeLoop ||
                      region.kind == RegionKind::kWhile;
    if (loop) start = std::min(start, region.start);
    at = region.parent;
  }
  return start;
}

std::vector<LiveRange> Slots::Close(int64_t now) {
  TENON_CHECK(!slots_.empty());
  Slot slot = std::move(slots_.back());
  slots_.pop_back();
  std::vector<LiveRange> ranges;
  if (slot.escaped && !slot.accesses.empty()) {
    ranges.push_back({StartOfLoops(slot), now + 1});
  } else {
    ranges = FlowOf(regions_, slot.root_depth, slot.accesses, slot.size);
  }
  if (slots_.empty()) {
    regions_.clear();
    known_ = 0;
    for (Step& step : path_) step.index = -1;
  }
  return ranges;
}

}  // namespace tenon::liveness_internal
