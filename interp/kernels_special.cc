#include <optional>

#include "interp/kernels.h"
#include "ir/q_multiply_shift.h"

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

Fault Give(std::optional<int64_t> value, Slot* result) {
  if (!value.has_value()) return Fault::kShiftRange;
  *result = *value;
  return Fault::kNone;
}

}  // namespace

Fault QMultiplyShiftKernel(Slot* regs, const Instr& instr) {
  for (int i = 0; i < instr.lanes; ++i) {
    const auto value =
        QMultiplyShift(regs[instr.a + i], regs[instr.b + i], regs[instr.c + i], regs[instr.e + i]);
    const Fault fault = Give(value, &regs[instr.d + i]);
    if (fault != Fault::kNone) return fault;
  }
  return Fault::kNone;
}

Fault QMultiplyShiftPerAxisKernel(Slot* regs, const Instr& instr) {
  for (int i = 0; i < instr.lanes; ++i) {
    const auto value =
        QMultiplyShiftPerAxis(regs[instr.a + i], regs[instr.b + i], regs[instr.c + i],
                              regs[instr.e + i], regs[instr.f + i]);
    const Fault fault = Give(value, &regs[instr.d + i]);
    if (fault != Fault::kNone) return fault;
  }
  return Fault::kNone;
}

Fault Dp4aKernel(Slot* regs, const Instr& instr) {
  uint64_t sum = static_cast<uint64_t>(regs[instr.c]);
  for (int i = 0; i < instr.lanes; ++i)
    sum += static_cast<uint64_t>(regs[instr.a + i] * regs[instr.b + i]);
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
