#ifndef TENON_INTERP_FLOAT_FORMAT_H_
#define TENON_INTERP_FLOAT_FORMAT_H_

#include <bit>

#include "interp/code.h"
#include "support/half.h"

// Floating formats as traits: C is the type used for arithmetic; Put rounds to the format.

namespace tenon::interp {

struct F64 {
  using C = double;
  static C Get(Slot bits) { return std::bit_cast<double>(bits); }
  static Slot Put(C value) { return std::bit_cast<Slot>(value); }
  static Slot FromDouble(double value) { return Put(value); }
};
struct F32 {
  using C = float;
  static C Get(Slot bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
  static Slot Put(C value) { return static_cast<Slot>(std::bit_cast<uint32_t>(value)); }
  static Slot FromDouble(double value) { return Put(static_cast<float>(value)); }
};
struct F16 {
  using C = float;
  static C Get(Slot bits) { return FloatFromFloat16(static_cast<uint16_t>(bits)); }
  static Slot Put(C value) { return Float16FromDouble(static_cast<double>(value)); }
  static Slot FromDouble(double value) { return Float16FromDouble(value); }
};
struct BF16 {
  using C = float;
  static C Get(Slot bits) { return FloatFromBFloat16(static_cast<uint16_t>(bits)); }
  static Slot Put(C value) { return BFloat16FromDouble(static_cast<double>(value)); }
  static Slot FromDouble(double value) { return BFloat16FromDouble(value); }
};
struct E4M3 {
  using C = float;
  static C Get(Slot bits) { return FloatFromFloat8E4M3(static_cast<uint8_t>(bits)); }
  static Slot Put(C value) { return Float8E4M3FromDouble(static_cast<double>(value)); }
  static Slot FromDouble(double value) { return Float8E4M3FromDouble(value); }
};
struct E5M2 {
  using C = float;
  static C Get(Slot bits) { return FloatFromFloat8E5M2(static_cast<uint8_t>(bits)); }
  static Slot Put(C value) { return Float8E5M2FromDouble(static_cast<double>(value)); }
  static Slot FromDouble(double value) { return Float8E5M2FromDouble(value); }
};

/// Calls `f` with the traits of a floating dtype; returns a default result for other dtypes.
template <class F>
auto WithFloatFormat(DataType dtype, F&& f) -> decltype(f(F32())) {
  if (dtype.is_float() && dtype.bits() == 64) return f(F64());
  if (dtype.is_float() && dtype.bits() == 32) return f(F32());
  if (dtype.is_float() && dtype.bits() == 16) return f(F16());
  if (dtype.is_bfloat16()) return f(BF16());
  if (dtype.code() == TypeCode::kE4M3Float) return f(E4M3());
  if (dtype.code() == TypeCode::kE5M2Float) return f(E5M2());
  return {};
}

}  // namespace tenon::interp

#endif  // TENON_INTERP_FLOAT_FORMAT_H_
