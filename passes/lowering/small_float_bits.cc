// All arithmetic is on integers, and valid for vectors. A float64 is rounded to odd first, since
// rounding it to float32 and then to a smaller format would round twice.

#include "passes/lowering/small_float_bits.h"

#include <cmath>

#include "ir/builtins.h"
#include "support/half.h"

namespace tenon {

namespace {

/// The layout of a format's exponent and fraction.
struct Format {
  int bits;      ///< in total
  int fraction;  ///< bits of the fraction
  int bias;
  bool has_infinity;

  int shift() const { return 23 - fraction; }
  /// The pattern of infinity, or of the NaN of a format without infinity, without sign.
  int64_t top() const {
    const int64_t ones = (int64_t{1} << (bits - 1)) - 1;
    return has_infinity ? ones >> fraction << fraction : ones;
  }
};

Format FormatOf(DataType dtype) {
  if (dtype.is_bfloat16()) return {16, 7, 127, true};
  if (dtype.code() == TypeCode::kE4M3Float) return {8, 3, 7, false};
  if (dtype.code() == TypeCode::kE5M2Float) return {8, 2, 15, true};
  return {16, 10, 15, true};
}

constexpr int64_t kInfinityBits = 0x7f800000;

const Expr* ShiftLeft(const IntrinBuilder& make, const Expr* value, int amount) {
  return make.Call(OpKind::kShiftLeft, {value, make.Int(value->dtype, amount)});
}

const Expr* Less(const IntrinBuilder& make, const Expr* a, int64_t b) {
  return make.Binary(NodeKind::kLT, a, make.Int(a->dtype, b));
}

/// Rounds a float64 to float32, to odd if inexact. Rounding again to a smaller format then gives
/// the same result as rounding once (Boldo and Melquiond, 2008).
const Expr* NarrowToOdd(const IntrinBuilder& make, const Expr* value) {
  const int lanes = value->dtype.lanes();
  const DataType single = DataType::Float(32, lanes);
  const DataType word = DataType::UInt(32, lanes);
  return make.Share(value, [&](const Expr* x) {
    return make.Share(make.Convert(single, x), [&](const Expr* near) {
      const Expr* back = make.Convert(x->dtype, near);
      const Expr* inexact = make.Binary(NodeKind::kAnd, make.Binary(NodeKind::kNE, back, x),
                                        make.Binary(NodeKind::kEQ, x, x));
      const Expr* bits = make.Reinterpret(word, near);
      const Expr* one = make.Int(word, 1);
      const Expr* too_large = make.Binary(NodeKind::kGT, make.Call(OpKind::kFabs, {back}),
                                          make.Call(OpKind::kFabs, {x}));
      // The neighbour of `near` on the other side of x; one of the two is odd.
      return make.Share(bits, [&](const Expr* b) {
        const Expr* other = make.Choose(too_large, make.Sub(b, one), make.Add(b, one));
        const Expr* odd = make.Choose(make.Binary(NodeKind::kEQ, make.And(b, one), one), b, other);
        return make.Reinterpret(single, make.Choose(inexact, odd, b));
      });
    });
  });
}

}  // namespace

bool IsSmallFloat(DataType dtype) { return dtype.is_floating() && dtype.bits() < 32; }

DataType BitsOf(DataType dtype) { return DataType::UInt(dtype.bits(), dtype.lanes()); }

int64_t SmallFloatPattern(DataType dtype, double value) {
  if (dtype.is_bfloat16()) return BFloat16FromDouble(value);
  if (dtype.code() == TypeCode::kE4M3Float) return Float8E4M3FromDouble(value);
  if (dtype.code() == TypeCode::kE5M2Float) return Float8E5M2FromDouble(value);
  return Float16FromDouble(value);
}

double SmallFloatValue(DataType dtype, int64_t pattern) {
  const auto half = static_cast<uint16_t>(pattern);
  const auto byte = static_cast<uint8_t>(pattern);
  if (dtype.is_bfloat16()) return FloatFromBFloat16(half);
  if (dtype.code() == TypeCode::kE4M3Float) return FloatFromFloat8E4M3(byte);
  if (dtype.code() == TypeCode::kE5M2Float) return FloatFromFloat8E5M2(byte);
  return FloatFromFloat16(half);
}

const Expr* DecodeSmallFloat(const IntrinBuilder& make, DataType dtype, const Expr* bits) {
  const Format format = FormatOf(dtype);
  const DataType word = DataType::UInt(32, dtype.lanes());
  const DataType single = DataType::Float(32, dtype.lanes());
  return make.Share(make.Convert(word, bits), [&](const Expr* all) {
    const int64_t sign_bit = int64_t{1} << (format.bits - 1);
    const Expr* sign = ShiftLeft(make, make.And(all, make.Int(word, sign_bit)), 32 - format.bits);
    return make.Share(make.And(all, make.Int(word, sign_bit - 1)), [&](const Expr* code) {
      const Expr* moved = ShiftLeft(make, code, format.shift());
      const Expr* normal = make.Add(moved, make.Int(word, int64_t{127 - format.bias} << 23));
      // Subnormals: multiples of the least subnormal number; exact in float32.
      const Expr* small =
          make.Mul(make.Convert(single, code),
                   make.Float(single, std::ldexp(1, 1 - format.bias - format.fraction)));
      const Expr* finite = normal;
      if (format.bias != 127) {
        finite = make.Choose(Less(make, code, int64_t{1} << format.fraction),
                             make.Reinterpret(word, small), normal);
      }
      const Expr* special = make.Int(word, kInfinityBits | 0x400000);
      if (format.has_infinity) {
        const Expr* payload = make.Or(moved, special);
        special = make.Choose(make.Binary(NodeKind::kEQ, code, make.Int(word, format.top())),
                              make.Int(word, kInfinityBits), payload);
      }
      const Expr* magnitude = make.Choose(Less(make, code, format.top()), finite, special);
      return make.Reinterpret(single, make.Or(sign, magnitude));
    });
  });
}

const Expr* EncodeSmallFloat(const IntrinBuilder& make, DataType dtype, const Expr* value) {
  if (value->dtype.bits() == 64) value = NarrowToOdd(make, value);
  const Format format = FormatOf(dtype);
  const DataType word = DataType::UInt(32, dtype.lanes());
  const DataType single = value->dtype;
  const int shift = format.shift();
  return make.Share(make.Reinterpret(word, value), [&](const Expr* all) {
    const int64_t sign_bit = int64_t{1} << (format.bits - 1);
    const Expr* sign = make.And(make.ShiftRight(all, 32 - format.bits), make.Int(word, sign_bit));
    return make.Share(make.And(all, make.Int(word, 0x7fffffff)), [&](const Expr* magnitude) {
      // Half of the last place, minus one if the result would be even.
      const Expr* odd = make.And(make.ShiftRight(magnitude, shift), make.Int(word, 1));
      const Expr* raised =
          make.Add(magnitude, make.Add(make.Int(word, (int64_t{1} << (shift - 1)) - 1), odd));
      const int64_t rebias = int64_t{127 - format.bias} << 23;
      const Expr* code = make.ShiftRight(make.Sub(raised, make.Int(word, rebias)), shift);
      if (format.bias != 127) {
        // Below the smallest normal number, the pattern counts multiples of the least subnormal
        // number.
        const Expr* scaled =
            make.Mul(make.Reinterpret(single, magnitude),
                     make.Float(single, std::ldexp(1, format.bias - 1 + format.fraction)));
        const Expr* fractions =
            make.nodes().New<Cast>(make.range(), word, make.Call(OpKind::kNearbyint, {scaled}));
        const int64_t smallest = int64_t{128 - format.bias} << 23;
        code = make.Choose(Less(make, magnitude, smallest), fractions, code);
      }
      const Expr* top = make.Int(word, format.top());
      const Expr* nan = top;
      if (format.has_infinity) {
        const int64_t payload = (int64_t{1} << format.fraction) - 1;
        nan = make.Or(make.Int(word, format.top() | (payload + 1) >> 1),
                      make.And(make.ShiftRight(magnitude, shift), make.Int(word, payload)));
      }
      const Expr* is_nan = make.Binary(NodeKind::kGT, magnitude, make.Int(word, kInfinityBits));
      const Expr* finite = make.Share(code, [&](const Expr* c) {
        // Values that round beyond the largest number, and infinity itself.
        const Expr* large = make.Binary(NodeKind::kGE, magnitude, make.Int(word, kInfinityBits));
        return make.Choose(make.Binary(NodeKind::kOr, large, make.Binary(NodeKind::kGT, c, top)),
                           top, c);
      });
      return make.Convert(BitsOf(dtype), make.Or(sign, make.Choose(is_nan, nan, finite)));
    });
  });
}

}  // namespace tenon
