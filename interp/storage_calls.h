#ifndef TENON_INTERP_STORAGE_CALLS_H_
#define TENON_INTERP_STORAGE_CALLS_H_

#include "interp/code.h"

// Builtins for storage, as instructions of the machine (kHost). Operands are in CallInfo::args; the
// result goes to Instr::d.

namespace tenon::interp {

bool AllocWorkspace(Machine& machine, Slot* regs, const Instr& instr);
bool FreeWorkspace(Machine& machine, Slot* regs, const Instr& instr);
bool AccessPointer(Machine& machine, Slot* regs, const Instr& instr);

}  // namespace tenon::interp

#endif  // TENON_INTERP_STORAGE_CALLS_H_
