#include "arith/interval.h"

#include <initializer_list>

namespace tenon {

namespace {

constexpr int64_t kMinusInf = Interval::kMinusInf;
constexpr int64_t kPlusInf = Interval::kPlusInf;

bool IsInf(int64_t value) { return value == kMinusInf || value == kPlusInf; }

/// `a + b`, saturating; infinities of different signs never meet.
int64_t AddBound(int64_t a, int64_t b) {
  if (IsInf(a)) return a;
  if (IsInf(b)) return b;
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return a < 0 ? kMinusInf : kPlusInf;
  return result;
}

int64_t NegateBound(int64_t a) {
  if (a == kMinusInf) return kPlusInf;
  if (a == kPlusInf) return kMinusInf;
  return -a;
}

/// `a * b`, saturating, with 0 * infinity = 0.
int64_t MulBound(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  int64_t result = 0;
  if (IsInf(a) || IsInf(b) || __builtin_mul_overflow(a, b, &result)) {
    return (a < 0) == (b < 0) ? kPlusInf : kMinusInf;
  }
  return result;
}

/// floor(a / b) of bounds, b > 0 or infinite: a finite a over infinity is 0 or -1.
int64_t FloorDivBound(int64_t a, int64_t b) {
  if (IsInf(a)) return a;
  if (b == kPlusInf) return a < 0 ? -1 : 0;
  return FloorDivide(a, b);
}

int64_t TruncDivBound(int64_t a, int64_t b) {
  if (IsInf(a)) return a;
  if (b == kPlusInf) return 0;
  return a / b;
}

Interval Hull(std::initializer_list<int64_t> values) {
  return {std::min(values), std::max(values)};
}

/// The positive and the negative divisors, the latter negated.
Interval PositivePart(const Interval& b) { return Intersect(b, {1, kPlusInf}); }
Interval NegatedNegativePart(const Interval& b) { return Intersect(-b, {1, kPlusInf}); }

/// Applies `divide` to the positive divisors, and to the negative ones with both signs flipped.
template <class F>
Interval BySignOfDivisor(const Interval& a, const Interval& b, F&& divide) {
  if (a.is_empty()) return Interval::Empty();
  Interval result = Interval::Empty();
  const Interval positive = PositivePart(b);
  const Interval negative = NegatedNegativePart(b);
  if (!positive.is_empty()) result = Unite(result, divide(a, positive));
  if (!negative.is_empty()) result = Unite(result, divide(-a, negative));
  return result;
}

}  // namespace

int64_t FloorDivide(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t FloorRemainder(int64_t a, int64_t b) {
  if (b == -1) return 0;
  const int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

Interval Interval::OfDType(DataType dtype) {
  const int bits = dtype.bits();
  if (!dtype.is_integer() || bits < 1) return Everything();
  if (dtype.is_uint()) {
    return {0, bits >= 63 ? kPlusInf : static_cast<int64_t>((uint64_t{1} << bits) - 1)};
  }
  if (bits >= 64) return Everything();
  return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
}

Interval Intersect(const Interval& a, const Interval& b) {
  return {std::max(a.min, b.min), std::min(a.max, b.max)};
}

Interval Unite(const Interval& a, const Interval& b) {
  if (a.is_empty()) return b;
  if (b.is_empty()) return a;
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

Interval operator+(const Interval& a, const Interval& b) {
  if (a.is_empty() || b.is_empty()) return Interval::Empty();
  return {a.has_min() && b.has_min() ? AddBound(a.min, b.min) : kMinusInf,
          a.has_max() && b.has_max() ? AddBound(a.max, b.max) : kPlusInf};
}

Interval operator-(const Interval& a) {
  if (a.is_empty()) return Interval::Empty();
  return {NegateBound(a.max), NegateBound(a.min)};
}

Interval operator-(const Interval& a, const Interval& b) { return a + -b; }

Interval operator*(const Interval& a, const Interval& b) {
  if (a.is_empty() || b.is_empty()) return Interval::Empty();
  return Hull({MulBound(a.min, b.min), MulBound(a.min, b.max), MulBound(a.max, b.min),
               MulBound(a.max, b.max)});
}

Interval MinOf(const Interval& a, const Interval& b) {
  if (a.is_empty() || b.is_empty()) return Interval::Empty();
  return {std::min(a.min, b.min), std::min(a.max, b.max)};
}

Interval MaxOf(const Interval& a, const Interval& b) {
  if (a.is_empty() || b.is_empty()) return Interval::Empty();
  return {std::max(a.min, b.min), std::max(a.max, b.max)};
}

Interval FloorDivide(const Interval& a, const Interval& b) {
  return BySignOfDivisor(a, b, [](const Interval& x, const Interval& y) {
    return Hull({FloorDivBound(x.min, y.min), FloorDivBound(x.min, y.max),
                 FloorDivBound(x.max, y.min), FloorDivBound(x.max, y.max)});
  });
}

Interval TruncDivide(const Interval& a, const Interval& b) {
  return BySignOfDivisor(a, b, [](const Interval& x, const Interval& y) {
    return Hull({TruncDivBound(x.min, y.min), TruncDivBound(x.min, y.max),
                 TruncDivBound(x.max, y.min), TruncDivBound(x.max, y.max)});
  });
}

Interval FloorRemainder(const Interval& a, const Interval& b) {
  if (a.is_empty()) return Interval::Empty();
  Interval result = Interval::Empty();
  const Interval positive = PositivePart(b);
  if (!positive.is_empty()) {
    // If a is less than every divisor, it is its own remainder.
    if (a.min >= 0 && a.max < positive.min) {
      result = a;
    } else {
      result = {0, positive.has_max() ? positive.max - 1 : kPlusInf};
      if (a.min >= 0) result.max = std::min(result.max, a.max);
    }
  }
  const Interval negative = NegatedNegativePart(b);
  if (!negative.is_empty()) {
    result = Unite(result, {negative.has_max() ? 1 - negative.max : kMinusInf, 0});
  }
  return result;
}

Interval TruncRemainder(const Interval& a, const Interval& b) {
  if (a.is_empty()) return Interval::Empty();
  const Interval positive = PositivePart(b);
  const Interval negative = NegatedNegativePart(b);
  const Interval divisor = Unite(positive, negative);
  if (divisor.is_empty()) return Interval::Empty();
  if (a.min >= 0 && a.max < divisor.min) return a;
  const int64_t most = divisor.has_max() ? divisor.max - 1 : kPlusInf;
  return {a.min >= 0 ? 0 : std::max(a.min, NegateBound(most)),
          a.max <= 0 ? 0 : std::min(a.max, most)};
}

bool FitsDType(const Interval& exact, DataType dtype) {
  if (exact.is_empty()) return true;
  if (!exact.is_bounded()) return false;
  if (dtype.is_uint() && dtype.bits() >= 63) return exact.min >= 0;
  return Interval::OfDType(dtype).Contains(exact);
}

}  // namespace tenon
