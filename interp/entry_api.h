#ifndef TENON_INTERP_ENTRY_API_H_
#define TENON_INTERP_ENTRY_API_H_

#include "interp/code.h"

// Builtins of entry functions, as instructions of the machine (kHost). Operands are in
// CallInfo::args; the result goes to Instr::d. A struct is an array of pointers of 8 bytes.

namespace tenon::interp {

bool EntryField(Machine& machine, Slot* regs, const Instr& instr);
bool SetEntryField(Machine& machine, Slot* regs, const Instr& instr);
bool EntryData(Machine& machine, Slot* regs, const Instr& instr);
bool CopyBytes(Machine& machine, Slot* regs, const Instr& instr);
bool ZstdDecompress(Machine& machine, Slot* regs, const Instr& instr);
bool AtomicCas(Machine& machine, Slot* regs, const Instr& instr);
bool AtomicStore(Machine& machine, Slot* regs, const Instr& instr);

}  // namespace tenon::interp

#endif  // TENON_INTERP_ENTRY_API_H_
