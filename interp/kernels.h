#ifndef TENON_INTERP_KERNELS_H_
#define TENON_INTERP_KERNELS_H_

#include <string_view>

#include "interp/code.h"
#include "ir/op.h"

// Kernels: the computation of one instruction, over its lanes. Integer kernels take the width from
// Instr::shift. All results are total except divisions by zero and shifts by the width or more.

namespace tenon::interp {

/// `value` truncated to the low 64 - shift bits and extended again.
inline Slot WrapInt(Slot value, int shift, bool is_signed) {
  const uint64_t moved = static_cast<uint64_t>(value) << shift;
  return is_signed ? static_cast<Slot>(moved) >> shift : static_cast<Slot>(moved >> shift);
}

/// The kernel of kAdd to kOr for operands of `dtype`; null if there is none.
Kernel BinaryKernel(NodeKind kind, DataType dtype);
/// The kernel of an integer builtin (shifts, bits) with one or two operands, or null.
Kernel IntegerKernel(OpKind op, DataType dtype);
/// The kernel of a float builtin (one to three operands), or null.
Kernel MathKernel(OpKind op, DataType dtype);

/// Conversion by value; null if it changes nothing.
Kernel CastKernel(DataType from, DataType to);
/// Conversion of bits: b lanes of `from` to d lanes of `to`.
Kernel ReinterpretKernel(DataType from, DataType to);

Fault NotKernel(Slot* regs, const Instr& instr);
/// d = a ? b : c lane by lane; shift_b = 1: a is a scalar.
Fault SelectKernel(Slot* regs, const Instr& instr);
/// d[l] = a + l * b.
Fault RampKernel(Slot* regs, const Instr& instr);
/// The operands are x in a, y in b, q in c, s in e.
Fault QMultiplyShiftKernel(Slot* regs, const Instr& instr);
/// The operands are x in a, y in b, left shift in c, right shift in e, q in f.
Fault QMultiplyShiftPerAxisKernel(Slot* regs, const Instr& instr);
/// d = c + sum of a[k] * b[k]: four int8 lanes.
Fault Dp4aKernel(Slot* regs, const Instr& instr);
/// d[l] = a + l < b.
Fault LaneMaskKernel(Slot* regs, const Instr& instr);

}  // namespace tenon::interp

#endif  // TENON_INTERP_KERNELS_H_
