#include "fmt/format.h"
#include "interp/machine.h"
#include "ir/analysis/model_entry.h"
#include "support/check.h"

// The machine's error messages: at the statement, with the calls that led there.

namespace tenon::interp {

bool Machine::Fail(DiagnosticKind kind, std::string message) {
  const auto range_of = [](const Frame& frame) {
    TENON_CHECK(frame.code != nullptr);
    if (frame.instr == nullptr) return frame.code->function->func->range;
    return frame.code->ranges[static_cast<size_t>(frame.instr - frame.code->code.data())];
  };
  const SourceRange range = frame_ == nullptr ? SourceRange{} : range_of(*frame_);
  Diagnostic& diagnostic = diagnostics_.Error(kind, range, std::move(message));
  if (frame_ == nullptr) return false;
  constexpr int kMostNotes = 20;
  int notes = 0;
  // Entry functions are not in the user's text.
  for (const Frame* frame = frame_; frame->caller != nullptr && notes < kMostNotes &&
                                    EntryFunctionOf(*frame->caller->code->function).empty();
       frame = frame->caller, ++notes) {
    Diagnostics::AddNote(diagnostic, range_of(*frame->caller),
                         fmt::format("`{}` was called here", frame->code->name));
  }
  return false;
}

bool Machine::FailFault(Fault fault) {
  if (fault == Fault::kDivisionByZero) {
    return Fail(DiagnosticKind::kDivisionByZero, "an integer is divided by zero");
  }
  return Fail(DiagnosticKind::kShiftRange, "a shift is negative or by the width or more");
}

bool Machine::FailIndex(const struct Access& access, int dim, Slot index, Slot span, Slot extent) {
  const std::string what = span == 1 ? fmt::format("index {}", index)
                                     : fmt::format("indices {} to {}", index, index + span - 1);
  const std::string where = access.dims.size() > 1 ? fmt::format(" in dimension {}", dim) : "";
  return Fail(DiagnosticKind::kOutOfBounds,
              fmt::format("{} of `{}`{}, whose extent is {}", what, access.buffer, where, extent));
}

std::string_view Machine::BufferName(std::string_view buffer, const Allocation& allocation) const {
  return allocation.name.empty() ? buffer : allocation.name;
}

bool Machine::FailBytes(const struct Access& access, const Allocation* allocation, Slot pointer,
                        int64_t index, int64_t bytes) {
  if (allocation == nullptr) {
    return Fail(DiagnosticKind::kNullPointer, fmt::format("`{}` is at {} pointer", access.buffer,
                                                          pointer == 0 ? "a null" : "an invalid"));
  }
  if ((allocation->flags & Allocation::kAlive) == 0) {
    return Fail(DiagnosticKind::kDeadAllocation,
                fmt::format("`{}` points to storage `{}`, whose scope has ended", access.buffer,
                            allocation->name));
  }
  const int64_t element = int64_t{access.element_bytes} * access.buffer_lanes;
  return Fail(
      DiagnosticKind::kOutOfBounds,
      fmt::format(
          "element {} of `{}` ({} bytes, {} to access, {} bytes from the pointer "
          "at {}) is outside `{}`, which has {} bytes",
          index, access.buffer, element, bytes,
          static_cast<int64_t>(static_cast<uint64_t>(index) * static_cast<uint64_t>(element)),
          Memory::Offset(pointer), BufferName(access.buffer, *allocation), allocation->size));
}

bool Machine::FailUndefined(const struct Access& access, const Allocation& allocation, Slot index) {
  return Fail(DiagnosticKind::kUninitialisedRead,
              fmt::format("element {} of `{}` is read, but nothing was stored there in `{}`", index,
                          access.buffer, BufferName(access.buffer, allocation)));
}

bool Machine::FailWrite(const struct Access& access) {
  return Fail(DiagnosticKind::kWriteToConstant,
              fmt::format("a store through `{}` to constant data", access.buffer));
}

}  // namespace tenon::interp
