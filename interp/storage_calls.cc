#include "interp/storage_calls.h"

#include <algorithm>

#include "fmt/format.h"
#include "interp/machine.h"

namespace tenon::interp {

bool AllocWorkspace(Machine& machine, Slot* regs, const Instr& instr) {
  const Slot size = regs[instr.call->args[2]];
  regs[instr.d] = machine.FrameAllocate(size, "workspace");
  return regs[instr.d] != 0;
}

bool FreeWorkspace(Machine& machine, Slot* regs, const Instr& instr) {
  const Slot pointer = regs[instr.call->args[2]];
  if (machine.Access(pointer, 0, true) == nullptr) return false;
  // Usually the most recent allocation.
  std::vector<Slot>& made = machine.memory().frame_allocations;
  const auto found = std::find(made.rbegin(), made.rend(), pointer);
  if (found == made.rend())
    return machine.Fail(DiagnosticKind::kNullPointer, "the freed pointer is not a workspace");
  machine.memory().Free(pointer);
  // Another allocation may reuse the number from now on.
  *found = 0;
  if (found == made.rbegin()) made.pop_back();
  regs[instr.d] = 0;
  return true;
}

// The operands are data and the offset in elements of imm bytes.
bool AccessPointer(Machine& machine, Slot* regs, const Instr& instr) {
  const CallInfo& info = *instr.call;
  const Slot pointer = regs[info.args[0]];
  int64_t offset;
  const Allocation* allocation = machine.memory().Find(pointer);
  if (allocation == nullptr) {
    return machine.Fail(DiagnosticKind::kNullPointer, "an access pointer from a null pointer");
  }
  if (__builtin_mul_overflow(regs[info.args[1]], info.imm, &offset) ||
      __builtin_add_overflow(offset, Memory::Offset(pointer), &offset) || offset < 0 ||
      offset > allocation->size) {
    return machine.Fail(DiagnosticKind::kOutOfBounds,
                        fmt::format("an access pointer at element {} is outside `{}`, which has {} "
                                    "bytes",
                                    regs[info.args[1]], allocation->name, allocation->size));
  }
  regs[instr.d] = static_cast<Slot>(static_cast<uint64_t>(pointer) +
                                    static_cast<uint64_t>(offset - Memory::Offset(pointer)));
  return true;
}

Slot Machine::FrameAllocate(int64_t size, std::string_view name) {
  const Slot pointer = memory_.Allocate(size, name, false);
  if (pointer == 0) {
    Fail(DiagnosticKind::kMemoryLimit,
         fmt::format("`{}` of {} bytes is more than the {} bytes that a run may use", name, size,
                     memory_.limit()));
    return 0;
  }
  memory_.frame_allocations.push_back(pointer);
  return pointer;
}

}  // namespace tenon::interp
