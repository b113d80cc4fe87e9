#include "interp/kernels.h"

namespace tenon::interp {

Fault NotKernel(Slot* regs, const Instr& instr) {
  for (int i = 0; i < instr.lanes; ++i) regs[instr.d + i] = regs[instr.a + i] == 0;
  return Fault::kNone;
}

Fault SelectKernel(Slot* regs, const Instr& instr) {
  const int step = instr.shift_b == 1 ? 0 : 1;
  for (int i = 0; i < instr.lanes; ++i) {
    const int32_t from = regs[instr.a + i * step] != 0 ? instr.b : instr.c;
    regs[instr.d + i] = regs[from + i];
  }
  return Fault::kNone;
}

Fault RampKernel(Slot* regs, const Instr& instr) {
  const uint64_t base = static_cast<uint64_t>(regs[instr.a]);
  const uint64_t stride = static_cast<uint64_t>(regs[instr.b]);
  for (int i = 0; i < instr.lanes; ++i) {
    const uint64_t value = base + stride * static_cast<uint64_t>(i);
    regs[instr.d + i] = WrapInt(static_cast<Slot>(value), instr.shift, instr.is_signed);
  }
  return Fault::kNone;
}

namespace {

/// Shifts are defined here for counts below 64 only; others are faults.
bool BadCount(Slot count) { return count < 0 || count > 63; }

Slot ToInt32(Slot value) { return WrapInt(value, 32, true); }

/// The shortcut for a multiplier of one half in q31: a shift alone, in int32, whatever q is.
Fault PowerOfTwo(Slot x, Slot s, Slot* result) {
  const Slot exponent = s - 1;
  if (exponent > 0) {
    if (exponent > 31) return Fault::kShiftRange;
    *result = ToInt32(static_cast<Slot>(static_cast<uint64_t>(x) << exponent));
    return Fault::kNone;
  }
  const Slot n = -exponent;
  if (n > 31) return Fault::kShiftRange;
  if (n == 0) {
    // TVM has no answer here; the value times one half times two is itself.
    *result = x;
    return Fault::kNone;
  }
  *result = ToInt32(x + (Slot{1} << (n - 1))) >> n;
  return Fault::kNone;
}

/// round(x * y * 2^(left - right - q)), half toward plus infinity. The product wraps in int64, so
/// what is shifted by 64 or more rounds to 0. (TVM shifts an int64 by the count, whatever it is;
/// models have channels, all but dead, with such counts.)
Fault Scale(Slot x, Slot y, Slot left, Slot right, Slot q, Slot* result) {
  const Slot total = right + q;
  if (BadCount(left) || total < 1) return Fault::kShiftRange;
  if (total > 63) {
    *result = 0;
    return Fault::kNone;
  }
  uint64_t t = static_cast<uint64_t>(x) << left;
  t *= static_cast<uint64_t>(y);
  t += uint64_t{1} << (total - 1);
  *result = ToInt32(static_cast<Slot>(t) >> total);
  return Fault::kNone;
}

}  // namespace

Fault QMultiplyShiftKernel(Slot* regs, const Instr& instr) {
  for (int i = 0; i < instr.lanes; ++i) {
    const Slot x = regs[instr.a + i];
    const Slot y = regs[instr.b + i];
    const Slot q = regs[instr.c + i];
    const Slot s = regs[instr.e + i];
    Slot result = 0;
    const Fault fault = y == (Slot{1} << 30)
                            ? PowerOfTwo(x, s, &result)
                            : Scale(x, y, s > 0 ? s : 0, s < 0 ? -s : 0, q, &result);
    if (fault != Fault::kNone) return fault;
    regs[instr.d + i] = result;
  }
  return Fault::kNone;
}

Fault QMultiplyShiftPerAxisKernel(Slot* regs, const Instr& instr) {
  for (int i = 0; i < instr.lanes; ++i) {
    Slot result = 0;
    const Fault fault = Scale(regs[instr.a + i], regs[instr.b + i], regs[instr.c + i],
                              regs[instr.e + i], regs[instr.f + i], &result);
    if (fault != Fault::kNone) return fault;
    regs[instr.d + i] = result;
  }
  return Fault::kNone;
}

Fault Dp4aKernel(Slot* regs, const Instr& instr) {
  uint64_t sum = static_cast<uint64_t>(regs[instr.c]);
  for (int i = 0; i < 4; ++i) sum += static_cast<uint64_t>(regs[instr.a + i] * regs[instr.b + i]);
  regs[instr.d] = WrapInt(static_cast<Slot>(sum), instr.shift, instr.is_signed);
  return Fault::kNone;
}

Fault LaneMaskKernel(Slot* regs, const Instr& instr) {
  const Slot base = regs[instr.a];
  const Slot limit = regs[instr.b];
  for (int i = 0; i < instr.lanes; ++i) {
    regs[instr.d + i] = base < limit && static_cast<uint64_t>(i) < static_cast<uint64_t>(limit) -
                                                                       static_cast<uint64_t>(base);
  }
  return Fault::kNone;
}

}  // namespace tenon::interp
