#ifndef TENON_INTERP_PACKED_API_H_
#define TENON_INTERP_PACKED_API_H_

#include "interp/code.h"

// Builtins for storage and packed arguments, as instructions of the machine (kHost). Operands are
// in CallInfo::args; the result goes to Instr::d.
//
// Records have the memory layout of DLPack and TVM 0.15 to 0.19 on a 64-bit host: a DLTensor takes
// 48 bytes, a TVMValue 8, a type code 4, an extent 8.

namespace tenon::interp {

bool StackAlloca(Machine& machine, Slot* regs, const Instr& instr);
bool StackMakeShape(Machine& machine, Slot* regs, const Instr& instr);
bool StackMakeArray(Machine& machine, Slot* regs, const Instr& instr);
bool StructGet(Machine& machine, Slot* regs, const Instr& instr);
bool StructSet(Machine& machine, Slot* regs, const Instr& instr);
bool CallPackedLowered(Machine& machine, Slot* regs, const Instr& instr);
bool AllocWorkspace(Machine& machine, Slot* regs, const Instr& instr);
bool FreeWorkspace(Machine& machine, Slot* regs, const Instr& instr);
bool AccessPointer(Machine& machine, Slot* regs, const Instr& instr);

}  // namespace tenon::interp

#endif  // TENON_INTERP_PACKED_API_H_
