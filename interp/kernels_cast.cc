#include <cmath>
#include <cstring>

#include "interp/float_format.h"
#include "interp/kernels.h"

namespace tenon::interp {
namespace {

Fault WrapKernel(Slot* regs, const Instr& instr) {
  for (int i = 0; i < instr.lanes; ++i) {
    regs[instr.d + i] = WrapInt(regs[instr.a + i], instr.shift, instr.is_signed);
  }
  return Fault::kNone;
}

Fault IntToBool(Slot* regs, const Instr& instr) {
  for (int i = 0; i < instr.lanes; ++i) regs[instr.d + i] = regs[instr.a + i] != 0;
  return Fault::kNone;
}

/// Converts an integer to a double that rounds to any smaller format exactly as the integer would.
/// With more than 53 bits, the lowest kept bit is set if any lower bit was set (a sticky bit).
double OddDouble(uint64_t magnitude) {
  if (magnitude >> 53 != 0) {
    const bool sticky = (magnitude & 0x7ff) != 0;
    magnitude = (magnitude & ~uint64_t{0xfff}) | (magnitude & 0x800) | (sticky ? 0x800 : 0);
  }
  return static_cast<double>(magnitude);
}

template <class F, bool Signed>
Slot IntToFloatValue(Slot value) {
  if constexpr (std::is_same_v<F, F64> || std::is_same_v<F, F32>) {
    if constexpr (Signed) return F::Put(static_cast<typename F::C>(value));
    return F::Put(static_cast<typename F::C>(static_cast<uint64_t>(value)));
  } else {
    const bool negative = Signed && value < 0;
    const uint64_t bits = static_cast<uint64_t>(value);
    const double magnitude = OddDouble(negative ? 0 - bits : bits);
    return F::FromDouble(negative ? -magnitude : magnitude);
  }
}

template <class F, bool Signed>
Fault IntToFloat(Slot* regs, const Instr& instr) {
  for (int i = 0; i < instr.lanes; ++i) {
    regs[instr.d + i] = IntToFloatValue<F, Signed>(regs[instr.a + i]);
  }
  return Fault::kNone;
}

/// Toward zero, saturating; NaN gives 0.
Slot Saturate(double value, int bits, bool is_signed) {
  if (std::isnan(value)) return 0;
  value = std::trunc(value);
  if (is_signed) {
    const double limit = std::ldexp(1.0, bits - 1);
    if (value >= limit) return static_cast<Slot>((uint64_t{1} << (bits - 1)) - 1);
    if (value < -limit) return static_cast<Slot>(~uint64_t{0} << (bits - 1));
    return static_cast<Slot>(value);
  }
  if (value <= 0) return 0;
  if (value >= std::ldexp(1.0, bits)) return static_cast<Slot>(~uint64_t{0} >> (64 - bits));
  return static_cast<Slot>(static_cast<uint64_t>(value));
}

template <class F>
Fault FloatToInt(Slot* regs, const Instr& instr) {
  for (int i = 0; i < instr.lanes; ++i) {
    const double value = static_cast<double>(F::Get(regs[instr.a + i]));
    regs[instr.d + i] = Saturate(value, 64 - instr.shift, instr.is_signed);
  }
  return Fault::kNone;
}

template <class F>
Fault FloatToBool(Slot* regs, const Instr& instr) {
  for (int i = 0; i < instr.lanes; ++i) {
    // Like `value != 0`: NaN is true.
    regs[instr.d + i] = F::Get(regs[instr.a + i]) != 0;
  }
  return Fault::kNone;
}

template <class From, class To>
Fault FloatToFloat(Slot* regs, const Instr& instr) {
  for (int i = 0; i < instr.lanes; ++i) {
    regs[instr.d + i] = To::FromDouble(static_cast<double>(From::Get(regs[instr.a + i])));
  }
  return Fault::kNone;
}

// Converts lanes of f bytes at a to lanes of e bytes at d, through memory order.
Fault ReinterpretLanes(Slot* regs, const Instr& instr) {
  const int from_bytes = instr.f;
  const int to_bytes = instr.e;
  const int from_lanes = instr.lanes * to_bytes / from_bytes;
  std::vector<uint8_t> bytes(static_cast<size_t>(from_lanes) * static_cast<size_t>(from_bytes));
  for (int i = 0; i < from_lanes; ++i) {
    std::memcpy(bytes.data() + i * from_bytes, &regs[instr.a + i], static_cast<size_t>(from_bytes));
  }
  for (int i = 0; i < instr.lanes; ++i) {
    Slot value = 0;
    std::memcpy(&value, bytes.data() + i * to_bytes, static_cast<size_t>(to_bytes));
    regs[instr.d + i] = WrapInt(value, instr.shift, instr.is_signed);
  }
  return Fault::kNone;
}

}  // namespace

Kernel CastKernel(DataType from, DataType to) {
  if (from.is_floating()) {
    return WithFloatFormat(from, [&](auto source) -> Kernel {
      using From = decltype(source);
      if (to.is_bool()) return FloatToBool<From>;
      if (!to.is_floating()) return FloatToInt<From>;
      if (from.element() == to.element()) return nullptr;
      return WithFloatFormat(
          to, [](auto target) -> Kernel { return FloatToFloat<From, decltype(target)>; });
    });
  }
  if (to.is_floating()) {
    return WithFloatFormat(to, [&](auto target) -> Kernel {
      using To = decltype(target);
      if (from.is_int()) return IntToFloat<To, true>;
      return IntToFloat<To, false>;
    });
  }
  if (to.is_bool()) return from.is_bool() ? nullptr : IntToBool;
  // Widening keeps the extended value, unless a negative number becomes unsigned.
  const bool same_sign =
      from.is_int() == to.is_int() || (!from.is_int() && to.bits() > from.bits());
  if (to.bits() == 64 || (same_sign && to.bits() >= from.bits())) return nullptr;
  return WrapKernel;
}

Kernel ReinterpretKernel(DataType from, DataType to) {
  if (from.element() == to.element()) return nullptr;
  if (from.lanes() == to.lanes()) return to.bits() == 64 ? nullptr : WrapKernel;
  return ReinterpretLanes;
}

}  // namespace tenon::interp
