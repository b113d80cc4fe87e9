#ifndef TENON_INTERP_KERNELS_H_
#define TENON_INTERP_KERNELS_H_

#include <string_view>

#include "interp/code.h"
#include "ir/op.h"

// Kernels: what one instruction computes, over its lanes. Integers take the width from
// Instr::shift. All results are total but for divisions by zero and shifts by the width or more.

namespace tenon::interp {

/// `value` cut to the low 64 - shift bits and extended again.
inline Slot WrapInt(Slot value, int shift, bool is_signed) {
  const uint64_t moved = static_cast<uint64_t>(value) << shift;
  return is_signed ? static_cast<Slot>(moved) >> shift : static_cast<Slot>(moved >> shift);
}

/// kAdd to kOr for operands of `dtype`; null where there is none.
Kernel BinaryKernel(NodeKind kind, DataType dtype);
/// Builtins on integers (shifts, bits) with one or two operands, or null.
Kernel IntegerKernel(OpKind op, DataType dtype);
/// Builtins on floats (one to three operands), or null.
Kernel MathKernel(OpKind op, DataType dtype);
/// The builtin that a libm function (`expf`) or LLVM intrinsic (`llvm.exp.f32`) stands for;
/// kUnknown when none does.
OpKind MathOpOfName(std::string_view name);

/// Conversion by value; null when it changes nothing.
Kernel CastKernel(DataType from, DataType to);
/// Conversion of bits: b lanes of `from` to d lanes of `to`.
Kernel ReinterpretKernel(DataType from, DataType to);

Fault NotKernel(Slot* regs, const Instr& instr);
/// d = a ? b : c lane by lane; shift_b = 1: a is a scalar.
Fault SelectKernel(Slot* regs, const Instr& instr);
/// d[l] = a + l * b.
Fault RampKernel(Slot* regs, const Instr& instr);
/// d = lane (imm 0: b constant) c of the vector at a.
Fault ExtractKernel(Slot* regs, const Instr& instr);
/// x a, y b, q c, s e.
Fault QMultiplyShiftKernel(Slot* regs, const Instr& instr);
/// x a, y b, left shift c, right shift e, q f.
Fault QMultiplyShiftPerAxisKernel(Slot* regs, const Instr& instr);
/// d = c + sum of a[k] * b[k]: four int8 lanes.
Fault Dp4aKernel(Slot* regs, const Instr& instr);
/// d[l] = a + l < b.
Fault LaneMaskKernel(Slot* regs, const Instr& instr);

}  // namespace tenon::interp

#endif  // TENON_INTERP_KERNELS_H_
