// Two times for each byte decide: the first write and the last access. One walk thus answers for
// all distances, and a clash is found by comparing the times of two bytes at one address.

#include "analysis/access_trace.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "analysis/access_program.h"
#include "support/check.h"

namespace tenon {

namespace {

/// Notes the source ranges of the accesses. Returns why their order is not known, or an empty text.
std::string_view Survey(const Items& items, std::vector<SourceRange>& ranges) {
  std::string_view refusal;
  const auto inside = [&](const Items& of) {
    const std::string_view why = Survey(of, ranges);
    if (refusal.empty()) refusal = why;
  };
  for (const Item& item : items) {
    std::visit(
        [&](const auto& what) {
          using T = std::decay_t<decltype(what)>;
          if constexpr (std::is_same_v<T, AccessItem>) {
            ranges[static_cast<size_t>(what.number)] = what.range;
          } else if constexpr (std::is_same_v<T, LoopItem>) {
            inside(what.items);
            if (what.order != LoopOrder::kSerial)
              refusal = "an access is in code whose order is not known";
          } else if constexpr (std::is_same_v<T, BranchItem>) {
            inside(what.then_items);
            inside(what.else_items);
          } else {
            refusal = "a pointer escapes";
          }
        },
        item.what);
  }
  return refusal;
}

/// Runs the compiled program.
class Walker {
 public:
  Walker(std::vector<int64_t>& slots, std::vector<AccessTrace::ByteTimes>& times, int64_t limit)
      : slots_(slots), times_(times), limit_(limit) {}

  void Run(const Items& items) {
    for (const Item& item : items) {
      if (const auto* access = std::get_if<AccessItem>(&item.what)) {
        Access(*access);
      } else if (const auto* loop = std::get_if<LoopItem>(&item.what)) {
        Loop(*loop);
      } else {
        Branch(std::get<BranchItem>(item.what));
      }
      if (steps > limit_) return;
    }
  }

  int64_t steps = 0;

 private:
  int64_t At(SlotId slot) const { return slots_[static_cast<size_t>(slot)]; }

  void Branch(const BranchItem& branch) {
    if (!branch.condition || At(*branch.condition) != 0) Run(branch.then_items);
    if (!branch.condition || At(*branch.condition) == 0) Run(branch.else_items);
  }

  void Loop(const LoopItem& loop) {
    const int64_t min = At(loop.min);
    int64_t extent = At(loop.extent);
    // Identical iterations are represented by the first and the last one.
    if (loop.index.is_plain) extent = std::min<int64_t>(extent, 2);
    for (int64_t i = 0; i < extent && steps <= limit_; ++i) {
      ++steps;
      StartIteration(loop.index, min + i, slots_);
      Run(loop.items);
    }
  }

  void Access(const AccessItem& access) {
    ++steps;
    for (const PointsTo& to : access.pointer) {
      AccessTrace::ByteTimes& times = times_[static_cast<size_t>(to.root)];
      if (access.anywhere || !to.offset) {
        TouchAny(times, access);
        continue;
      }
      const int64_t offset = At(*to.offset);
      for (const SlotId slot : access.elements) {
        int64_t element = At(slot);
        for (int64_t lane = 0; lane < access.lanes; ++lane, element += access.step)
          Touch(times, access, offset, element);
      }
    }
    // The loads of a store have the store's time, and come before it.
    if (access.is_store) ++now_;
  }

  void TouchAny(AccessTrace::ByteTimes& times, const AccessItem& access) {
    if (access.is_store && now_ < times.any_first_write) {
      times.any_first_write = now_;
      times.any_first_writer = access.number;
    }
    times.any_last_access = now_;
    times.any_last_accessor = access.number;
  }

  void Touch(AccessTrace::ByteTimes& times, const AccessItem& access, int64_t offset,
             int64_t element) {
    const auto size = static_cast<int64_t>(times.first_write.size());
    int64_t byte = 0;
    // An access outside of the buffer is an error at every distance.
    if (__builtin_mul_overflow(element, access.width, &byte) ||
        __builtin_add_overflow(byte, offset, &byte) || byte < 0 || byte >= size)
      return;
    const auto first = static_cast<size_t>(byte);
    const auto end = static_cast<size_t>(std::min(byte + access.width, size));
    for (size_t i = first; i < end; ++i) {
      if (access.is_store && times.first_write[i] == AccessTrace::kNever) {
        times.first_write[i] = now_;
        times.first_writer[i] = access.number;
      }
      times.last_access[i] = now_;
      times.last_accessor[i] = access.number;
    }
  }

  std::vector<int64_t>& slots_;
  std::vector<AccessTrace::ByteTimes>& times_;
  int64_t limit_;
  int64_t now_ = 0;
};

}  // namespace

absl::StatusOr<AccessTrace> AccessTrace::Of(const PrimFunc& func,
                                            std::span<const FunctionBuffer> buffers,
                                            const Options& options) {
  std::vector<const Var*> tracked;
  for (const FunctionBuffer& buffer : buffers) tracked.push_back(buffer.data);
  AccessProgram program(func, tracked);
  AccessTrace trace;
  trace.ranges_.resize(static_cast<size_t>(program.accesses));
  if (program.refusal.empty()) program.refusal = Survey(program.items, trace.ranges_);
  if (!program.refusal.empty())
    return absl::FailedPreconditionError(
        absl::string_view(program.refusal.data(), program.refusal.size()));
  for (const FunctionBuffer& buffer : buffers) {
    const auto size = static_cast<size_t>(std::max<int64_t>(buffer.size_bytes, 0));
    ByteTimes& times = trace.times_.emplace_back();
    times.first_write.assign(size, kNever);
    times.last_access.assign(size, -1);
    times.first_writer.assign(size, -1);
    times.last_accessor.assign(size, -1);
  }
  Walker walker(program.slots, trace.times_, options.max_steps);
  walker.Run(program.items);
  if (walker.steps > options.max_steps)
    return absl::ResourceExhaustedError("the walk takes too many steps");
  trace.steps_ = walker.steps;
  return trace;
}

std::optional<AccessTrace::Clash> AccessTrace::FindClash(size_t dying, size_t begun,
                                                         int64_t distance) const {
  TENON_CHECK(dying < times_.size() && begun < times_.size());
  const ByteTimes& reads = times_[dying];
  const ByteTimes& writes = times_[begun];
  const auto dying_size = static_cast<int64_t>(reads.last_access.size());
  const auto begun_size = static_cast<int64_t>(writes.first_write.size());
  for (int64_t y = std::max<int64_t>(0, -distance); y < std::min(begun_size, dying_size - distance);
       ++y) {
    const auto to = static_cast<size_t>(y);
    const auto from = static_cast<size_t>(y + distance);
    const bool any_write = writes.any_first_write < writes.first_write[to];
    const bool any_access = reads.any_last_access > reads.last_access[from];
    const int64_t written = any_write ? writes.any_first_write : writes.first_write[to];
    const int64_t accessed = any_access ? reads.any_last_access : reads.last_access[from];
    // At equal times, the access is a load of the storing statement, and comes first.
    if (written >= accessed) continue;
    const int32_t writer = any_write ? writes.any_first_writer : writes.first_writer[to];
    const int32_t accessor = any_access ? reads.any_last_accessor : reads.last_accessor[from];
    return Clash{y, ranges_[static_cast<size_t>(writer)], y + distance,
                 ranges_[static_cast<size_t>(accessor)]};
  }
  return std::nullopt;
}

}  // namespace tenon
