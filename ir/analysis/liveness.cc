#include "ir/analysis/liveness.h"

#include <fmt/format.h>

#include "ir/analysis/liveness_clock.h"
#include "ir/attributes.h"
#include "support/check.h"

namespace tenon {

namespace liveness_internal {

namespace {

bool IsParallel(ForKind kind) {
  return kind == ForKind::kParallel || kind == ForKind::kVectorized ||
         kind == ForKind::kThreadBinding;
}

}  // namespace

void Clock::VisitAllocate(const Allocate* allocate) {
  const MapAttr* notes = allocate->annotations;
  // An input of the entry exists before it runs, an output after it has run. All inputs exist at
  // the same time: the clock does not advance between their allocations.
  const bool is_input = notes != nullptr && notes->Find(attr_key::kInputTensor) != nullptr;
  if (!is_input) Tick(allocate);
  Evaluate([&] {
    for (const Expr* extent : allocate->extents) Visit(extent);
    Visit(allocate->condition);
  });
  const int32_t index = table_.Enter(allocate, frame_->function->name);
  TENON_CHECK(index >= 0 && static_cast<size_t>(index) < liveness_.allocations.size());
  Allocation& entry = table_.at(index);
  if (parallel_depth_ > 0 && entry.unplanned == Unplanned::kPlanned)
    entry.unplanned = Unplanned::kParallelLoop;
  const bool sized = entry.unplanned == Unplanned::kPlanned;
  const int32_t slot = slots_.Open(index, entry.size_bytes, sized);
  frame_->slot_of[allocate->buffer_var] = slot;
  frame_->offset_of[allocate->buffer_var] = 0;
  slots_.at(slot).goes_out = notes != nullptr && notes->Find(attr_key::kOutputTensor) != nullptr;
  if (is_input) TouchSlot(slot, {});
  Visit(allocate->body);
  // The caller reads it after the last statement, not in it. A pointer that escaped may also be
  // used until then.
  if (slots_.at(slot).goes_out || slots_.at(slot).escaped) ++now_;
  if (slots_.at(slot).goes_out) TouchSlot(slot, kAllBytes);
  frame_->slot_of.erase(allocate->buffer_var);
  liveness_.ranges.resize(liveness_.allocations.size());
  std::vector<LiveRange>& ranges = liveness_.ranges[static_cast<size_t>(index)];
  for (const LiveRange& range : slots_.Close(now_)) {
    if (!ranges.empty() && ranges.back().upper >= range.lower) {
      ranges.back().upper = std::max(ranges.back().upper, range.upper);
    } else {
      ranges.push_back(range);
    }
  }
}

void Clock::VisitFor(const For* loop) {
  Tick(loop);
  Evaluate([&] {
    Visit(loop->min);
    Visit(loop->extent);
  });
  const int64_t* min = AsIntImm(loop->min);
  const int64_t* extent = AsIntImm(loop->extent);
  const bool runs = extent != nullptr && *extent > 0;
  // If its bounds need no evaluation, a loop begins with its head.
  const int64_t start = min != nullptr && extent != nullptr ? now_ : now_ + 1;
  NoteOverwrites(loop, start);
  int64_t last = 0;
  if (runs && min != nullptr && !__builtin_add_overflow(*min, *extent - 1, &last))
    index_ranges_[loop->loop_var] = {*min, last};
  const auto body = [&] {
    slots_.EnterRegion(runs ? RegionKind::kLoop : RegionKind::kMaybeLoop, start);
    Visit(loop->body);
    ++now_;  // the jump back: loop-carried values are also live here
    slots_.LeaveRegion(now_ + 1);
  };
  if (IsParallel(loop->for_kind)) {
    RunParallel(body);
  } else {
    body();
  }
  index_ranges_.erase(loop->loop_var);
}

void Clock::VisitWhile(const While* loop) {
  slots_.EnterRegion(RegionKind::kWhile, now_ + 1);
  slots_.EnterRegion(RegionKind::kCondition, now_ + 1);
  Tick(loop);
  Evaluate([&] { Visit(loop->condition); });
  slots_.LeaveRegion(now_ + 1);
  slots_.EnterRegion(RegionKind::kBody, now_ + 1);
  Visit(loop->body);
  ++now_;
  slots_.LeaveRegion(now_ + 1);
  slots_.LeaveRegion(now_ + 1);
}

void Clock::VisitBufferStore(const BufferStore* store) {
  Tick(store);
  Evaluate([&] {
    VisitBuffer(store->buffer);
    for (const Expr* index : store->indices) Visit(index);
    if (store->value->dtype.is_handle()) {
      VisitEscaping(store->value);
    } else {
      Visit(store->value);
    }
    Visit(store->predicate);
    const int32_t slot = SlotOf(store->buffer->data);
    if (slot < 0) return;
    if (const std::optional<ByteRange> bytes = OverwrittenBy(store, slot)) {
      AddOverwrite(slot, *bytes);
    } else {
      TouchSlot(slot, {});
    }
  });
}

void Clock::VisitBufferLoad(const BufferLoad* load) {
  VisitBuffer(load->buffer);
  for (const Expr* index : load->indices) Visit(index);
  Visit(load->predicate);
  const int32_t slot = SlotOf(load->buffer->data);
  if (slot < 0) return;
  const std::optional<int64_t> offset = OffsetOf(load->buffer->data);
  const auto bytes =
      offset ? BytesReached(load->buffer, load->indices, index_ranges_) : std::nullopt;
  TouchSlot(slot, bytes ? Moved(*bytes, *offset) : kAllBytes);
}

void Clock::VisitIfThenElse(const IfThenElse* branch) {
  Tick(branch);
  Evaluate([&] { Visit(branch->condition); });
  slots_.EnterRegion(RegionKind::kBranch, now_ + 1);
  for (const Stmt* arm : {branch->then_case, branch->else_case}) {
    slots_.EnterRegion(RegionKind::kArm, now_ + 1);
    Visit(arm);
    slots_.LeaveRegion(now_ + 1);
  }
  slots_.LeaveRegion(now_ + 1);
}

void Clock::Tick(const Stmt* stmt) {
  ++now_;
  if (now_ < kMostTicks) {
    // The tick of a jump back belongs to the loop that ends, not to the next statement.
    std::vector<const Stmt*>& stmts = liveness_.tick_stmts;
    stmts.resize(static_cast<size_t>(now_), stmts.empty() ? nullptr : stmts.back());
    stmts.push_back(stmt);
  } else if (ok_) {
    ok_ = false;
    diagnostics_.Error(
        DiagnosticKind::kPass, stmt->range,
        fmt::format("calls unfold to more than {} statements; memory cannot be planned",
                    kMostTicks));
  }
}

void Clock::EnterFunction(Frame& frame, bool certain) {
  if (!ok_) return;
  if (!active_.insert(frame.function->name).second) {
    ok_ = false;
    diagnostics_.Error(
        DiagnosticKind::kPass, frame.function->func->range,
        fmt::format("`{}` calls itself; memory cannot be planned", frame.function->name.view()));
    return;
  }
  if (reached_.insert(frame.function->name).second)
    liveness_.reached.push_back(frame.function->name);
  frame.slots = slots_.count();
  Frame* const caller = std::exchange(frame_, &frame);
  std::vector<int32_t>* const statement = std::exchange(statement_, nullptr);
  const int escaping = std::exchange(escaping_, 0);
  const int32_t floor = overwrite_floor_;
  if (!certain) overwrite_floor_ = frame.slots;
  TENON_CHECK(frame.function->func->body != nullptr);
  Visit(frame.function->func->body);
  overwrite_floor_ = floor;
  frame_ = caller;
  statement_ = statement;
  escaping_ = escaping;
  const bool was_active = active_.erase(frame.function->name) == 1;
  TENON_CHECK(was_active);
}

}  // namespace liveness_internal

std::optional<Liveness> ComputeLiveness(const IRModule& module, const Function& entry,
                                        Diagnostics& diagnostics, const LivenessOptions& options) {
  Liveness liveness;
  liveness_internal::AllocationTable table(liveness.allocations);
  if (!liveness_internal::Clock(module, liveness, table, diagnostics, options).Run(entry))
    return std::nullopt;
  liveness.ranges.resize(liveness.allocations.size());
  liveness.uses.resize(liveness.allocations.size());
  liveness_internal::ComputeTvmIntervals(module, entry, table, liveness);
  return liveness;
}

}  // namespace tenon
