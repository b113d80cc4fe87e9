#include "interp/entry_api.h"

#include <cstring>
#include <span>

#include "fmt/format.h"
#include "interp/machine.h"
#include "support/codec.h"

namespace tenon::interp {

namespace {

/// The bytes of an int32 flag that operand 0 points to; null after an error.
uint8_t* Flag(Machine& machine, const Slot* regs, const Instr& instr, bool write) {
  return machine.Access(regs[instr.call->args[0]], sizeof(int32_t), write);
}

void Store(uint8_t* flag, Slot value) {
  const auto number = static_cast<int32_t>(value);
  std::memcpy(flag, &number, sizeof number);
}

/// The bytes of a pointer and a size, which are operands; null after an error.
uint8_t* Bytes(Machine& machine, const Slot* regs, const Instr& instr, size_t pointer, size_t size,
               bool write) {
  const Slot bytes = regs[instr.call->args[size]];
  if (bytes < 0) {
    machine.Fail(DiagnosticKind::kOutOfBounds, fmt::format("a copy of {} bytes", bytes));
    return nullptr;
  }
  return machine.Access(regs[instr.call->args[pointer]], bytes, write);
}

/// The place of field number `args[1]` in the struct at `args[0]`; null after an error.
uint8_t* FieldAt(Machine& machine, const Slot* regs, const Instr& instr, bool write) {
  const CallInfo& info = *instr.call;
  constexpr Slot kMostFields = Slot{1} << 20;
  const Slot field = regs[info.args[1]];
  if (field < 0 || field > kMostFields) {
    machine.Fail(DiagnosticKind::kOutOfBounds, fmt::format("field {} of a struct", field));
    return nullptr;
  }
  return machine.Access(regs[info.args[0]] + field * static_cast<Slot>(sizeof(Slot)), sizeof(Slot),
                        write);
}

}  // namespace

bool EntryField(Machine& machine, Slot* regs, const Instr& instr) {
  const uint8_t* from = FieldAt(machine, regs, instr, /*write=*/false);
  if (from == nullptr) return false;
  std::memcpy(&regs[instr.d], from, sizeof(Slot));
  return true;
}

bool SetEntryField(Machine& machine, Slot* regs, const Instr& instr) {
  uint8_t* to = FieldAt(machine, regs, instr, /*write=*/true);
  if (to == nullptr) return false;
  std::memcpy(to, &regs[instr.call->args[2]], sizeof(Slot));
  regs[instr.d] = 0;
  return true;
}

bool EntryData(Machine& machine, Slot* regs, const Instr& instr) {
  regs[instr.d] = machine.EntryPointer(instr.call->name);
  return regs[instr.d] != 0;
}

bool CopyBytes(Machine& machine, Slot* regs, const Instr& instr) {
  const Slot bytes = regs[instr.call->args[2]];
  const uint8_t* from = Bytes(machine, regs, instr, 1, 2, /*write=*/false);
  if (from == nullptr) return false;
  uint8_t* to = Bytes(machine, regs, instr, 0, 2, /*write=*/true);
  if (to == nullptr) return false;
  if (bytes > 0) std::memcpy(to, from, static_cast<size_t>(bytes));
  regs[instr.d] = 0;
  return true;
}

bool ZstdDecompress(Machine& machine, Slot* regs, const Instr& instr) {
  const CallInfo& info = *instr.call;
  const uint8_t* from = Bytes(machine, regs, instr, 2, 3, /*write=*/false);
  if (from == nullptr) return false;
  uint8_t* to = Bytes(machine, regs, instr, 0, 1, /*write=*/true);
  if (to == nullptr) return false;
  const absl::Status status =
      Decompress(Codec::kZstd, {from, static_cast<size_t>(regs[info.args[3]])},
                 {to, static_cast<size_t>(regs[info.args[1]])});
  regs[instr.d] = status.ok() ? 0 : -1;
  return true;
}

bool AtomicCas(Machine& machine, Slot* regs, const Instr& instr) {
  uint8_t* flag = Flag(machine, regs, instr, /*write=*/true);
  if (flag == nullptr) return false;
  int32_t seen = 0;
  std::memcpy(&seen, flag, sizeof seen);
  if (seen == static_cast<int32_t>(regs[instr.call->args[1]]))
    Store(flag, regs[instr.call->args[2]]);
  regs[instr.d] = seen;
  return true;
}

bool AtomicStore(Machine& machine, Slot* regs, const Instr& instr) {
  uint8_t* flag = Flag(machine, regs, instr, /*write=*/true);
  if (flag == nullptr) return false;
  Store(flag, regs[instr.call->args[1]]);
  regs[instr.d] = 0;
  return true;
}

}  // namespace tenon::interp
