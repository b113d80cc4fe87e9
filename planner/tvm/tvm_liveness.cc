#include "planner/tvm/tvm_liveness.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "fmt/format.h"
#include "support/status_macros.h"

namespace tenon::planner {
namespace {

struct Event {
  int64_t tick;
  bool is_end;
  int32_t buffer;
};

absl::StatusOr<std::vector<Event>> SortedEvents(std::span<const Buffer> buffers,
                                                std::span<const ClosedInterval> intervals) {
  std::vector<Event> events;
  events.reserve(intervals.size() * 2);
  for (const ClosedInterval& interval : intervals) {
    if (interval.buffer < 0 || static_cast<size_t>(interval.buffer) >= buffers.size()) {
      return absl::InvalidArgumentError(
          fmt::format("an interval names buffer {}, but there are {} buffers", interval.buffer,
                      buffers.size()));
    }
    if (interval.first > interval.last) {
      return absl::InvalidArgumentError(fmt::format("buffer `{}` has the interval [{}, {}]",
                                                    buffers[Index(interval.buffer)].name,
                                                    interval.first, interval.last));
    }
    events.push_back({interval.first, false, interval.buffer});
    events.push_back({interval.last, true, interval.buffer});
  }
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.tick != b.tick ? a.tick < b.tick : a.is_end < b.is_end;
  });
  return events;
}

class Sweep {
 public:
  Sweep(std::span<const Buffer> buffers, TvmLiveness* out) : buffers_(buffers), out_(out) {}

  absl::Status Start(int32_t buffer) {
    ConflictLists& conflicts = out_->conflicts;
    for (int32_t other : open_) {
      conflicts[Index(other)].push_back(buffer);
      if (other != buffer) conflicts[Index(buffer)].push_back(other);
    }
    entries_ += 2 * static_cast<int64_t>(open_.size());
    if (entries_ > kMaxConflictEntries) {
      return absl::UnimplementedError("TVM's conflict lists have more than 2^27 entries");
    }
    if (__builtin_add_overflow(open_bytes_, buffers_[Index(buffer)].size, &open_bytes_) ||
        open_bytes_ > kMaxBytes) {
      return absl::UnimplementedError(
          "the buffers that TVM takes to be live at once exceed 2^62 bytes");
    }
    out_->memory_pressure = std::max(out_->memory_pressure, open_bytes_);
    if (std::find(open_.begin(), open_.end(), buffer) == open_.end()) open_.push_back(buffer);
    return absl::OkStatus();
  }

  void End(int32_t buffer) {
    open_bytes_ -= buffers_[Index(buffer)].size;
    auto it = std::find(open_.begin(), open_.end(), buffer);
    if (it != open_.end()) open_.erase(it);
  }

 private:
  std::span<const Buffer> buffers_;
  TvmLiveness* out_;
  std::vector<int32_t> open_;
  int64_t open_bytes_ = 0;
  int64_t entries_ = 0;
};

absl::Status SeparateConstants(std::span<const Buffer> buffers, ConflictLists* conflicts) {
  std::vector<int32_t> constants;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].kind == BufferKind::kConstant) constants.push_back(static_cast<int32_t>(i));
  }
  const auto count = static_cast<int64_t>(constants.size());
  if (count * count > kMaxConflictEntries) {
    return absl::UnimplementedError("TVM's conflict lists have more than 2^27 entries");
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    std::vector<int32_t>& list = (*conflicts)[i];
    if (buffers[i].kind != BufferKind::kConstant) {
      std::erase_if(list,
                    [&](int32_t c) { return buffers[Index(c)].kind == BufferKind::kConstant; });
      continue;
    }
    list.clear();
    for (int32_t other : constants) {
      if (other != static_cast<int32_t>(i)) list.push_back(other);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TvmLiveness> DeriveTvmConflicts(std::span<const Buffer> buffers,
                                               std::span<const ClosedInterval> intervals) {
  TvmLiveness liveness;
  liveness.conflicts.resize(buffers.size());
  TENON_ASSIGN_OR(std::vector<Event> events, SortedEvents(buffers, intervals));
  Sweep sweep(buffers, &liveness);
  for (const Event& event : events) {
    if (event.is_end) {
      sweep.End(event.buffer);
    } else {
      TENON_TRY(sweep.Start(event.buffer));
    }
  }
  TENON_TRY(SeparateConstants(buffers, &liveness.conflicts));
  return liveness;
}

absl::StatusOr<TvmLiveness> DeriveTvmConflicts(std::span<const Buffer> buffers) {
  std::vector<ClosedInterval> intervals;
  for (size_t i = 0; i < buffers.size(); ++i) {
    for (const Lifetime& life : buffers[i].lifetimes) {
      if (life.lower >= life.upper) continue;
      intervals.push_back({static_cast<int32_t>(i), life.lower, life.upper - 1});
    }
  }
  return DeriveTvmConflicts(buffers, intervals);
}

std::vector<Relation> RelationsFromConflicts(const ConflictLists& conflicts, OneSided one_sided) {
  absl::flat_hash_set<std::pair<int32_t, int32_t>> listed;
  for (size_t i = 0; i < conflicts.size(); ++i) {
    for (int32_t other : conflicts[i]) listed.insert({static_cast<int32_t>(i), other});
  }
  std::vector<std::pair<int32_t, int32_t>> pairs;
  for (const auto& [a, b] : listed) {
    const bool both = listed.contains({b, a});
    if (a == b || (!both && one_sided == OneSided::kIgnore) || (both && b < a)) continue;
    pairs.push_back(std::minmax(a, b));
  }
  std::sort(pairs.begin(), pairs.end());
  std::vector<Relation> relations;
  relations.reserve(pairs.size());
  for (const auto& [a, b] : pairs) {
    relations.push_back({.kind = RelationKind::kDisjoint, .a = a, .b = b, .allowed = {}});
  }
  return relations;
}

}  // namespace tenon::planner
