#ifndef TENON_ARITH_INTERVAL_H_
#define TENON_ARITH_INTERVAL_H_

#include <algorithm>
#include <cstdint>
#include <limits>

#include "ir/dtype.h"

namespace tenon {

/// The integers from `min` to `max`, inclusive. The two ends of int64_t mean minus and plus
/// infinity, so a finite bound never has these values. Every operation gives a set that contains
/// the exact (unwrapped) result, and never overflows. `min > max` is the empty set: the query's
/// place is never reached.
struct Interval {
  static constexpr int64_t kMinusInf = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kPlusInf = std::numeric_limits<int64_t>::max();

  int64_t min = kMinusInf;
  int64_t max = kPlusInf;

  static constexpr Interval Everything() { return {}; }
  static constexpr Interval Point(int64_t value) { return {value, value}; }
  static constexpr Interval Empty() { return {kPlusInf, kMinusInf}; }
  /// The values of an integer dtype (of each lane). The upper bound of uint64 is infinity.
  static Interval OfDType(DataType dtype);

  bool has_min() const { return min != kMinusInf; }
  bool has_max() const { return max != kPlusInf; }
  bool is_empty() const { return min > max; }
  /// True for one finite value.
  bool is_point() const { return min == max && has_min() && has_max(); }
  /// True if both ends are finite.
  bool is_bounded() const { return has_min() && has_max(); }
  bool Contains(int64_t value) const { return min <= value && value <= max; }
  bool Contains(const Interval& other) const {
    return other.is_empty() || (min <= other.min && other.max <= max);
  }

  friend bool operator==(const Interval&, const Interval&) = default;
};

Interval Intersect(const Interval& a, const Interval& b);
/// The smallest interval that contains both.
Interval Unite(const Interval& a, const Interval& b);

Interval operator+(const Interval& a, const Interval& b);
Interval operator-(const Interval& a, const Interval& b);
Interval operator-(const Interval& a);
Interval operator*(const Interval& a, const Interval& b);
Interval MinOf(const Interval& a, const Interval& b);
Interval MaxOf(const Interval& a, const Interval& b);

/// Quotients rounded toward minus infinity and their remainders, for all divisors except 0.
Interval FloorDivide(const Interval& a, const Interval& b);
Interval FloorRemainder(const Interval& a, const Interval& b);
/// Quotients rounded toward zero and their remainders, for all divisors except 0.
Interval TruncDivide(const Interval& a, const Interval& b);
Interval TruncRemainder(const Interval& a, const Interval& b);

/// True if all values of `exact` lie in an integer dtype, so that computing in it does not wrap.
/// False for unbounded intervals.
bool FitsDType(const Interval& exact, DataType dtype);

/// floor(a / b) and its remainder; b is not 0, and a / b is not INT64_MIN / -1.
int64_t FloorDivide(int64_t a, int64_t b);
int64_t FloorRemainder(int64_t a, int64_t b);

}  // namespace tenon

#endif  // TENON_ARITH_INTERVAL_H_
