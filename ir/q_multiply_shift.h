#ifndef TENON_IR_Q_MULTIPLY_SHIFT_H_
#define TENON_IR_Q_MULTIPLY_SHIFT_H_

#include <cstdint>
#include <optional>

// The meaning of the builtins q_multiply_shift and q_multiply_shift_per_axis.

namespace tenon {

/// The multiplier that q_multiply_shift treats as one half for every q.
inline constexpr int64_t kQOneHalf = int64_t{1} << 30;

/// round(x * y * 2^(left - right - q)), half toward plus infinity, wrapped to int32: a lane of
/// q_multiply_shift_per_axis. The product wraps in int64, so a right shift by 64 or more gives 0.
/// (TVM shifts an int64 by any count; models contain such counts in nearly dead channels.) Nullopt
/// for an undefined shift.
inline std::optional<int64_t> QMultiplyShiftPerAxis(int64_t x, int64_t y, int64_t left,
                                                    int64_t right, int64_t q) {
  const int64_t total = right + q;
  if (left < 0 || left > 63 || total < 1) return std::nullopt;
  if (total > 63) return 0;
  uint64_t product = static_cast<uint64_t>(x) << left;
  product *= static_cast<uint64_t>(y);
  product += uint64_t{1} << (total - 1);
  return static_cast<int32_t>(static_cast<int64_t>(product) >> total);
}

/// The shortcut for a multiplier of one half in q31: only a shift, in int32, for every q.
inline std::optional<int64_t> QMultiplyByOneHalf(int64_t x, int64_t s) {
  const int64_t exponent = s - 1;
  if (exponent > 31 || exponent < -31) return std::nullopt;
  if (exponent > 0) return static_cast<int32_t>(static_cast<uint64_t>(x) << exponent);
  // TVM does not define 0. The value times one half times two is the value itself.
  if (exponent == 0) return x;
  const int64_t n = -exponent;
  return static_cast<int32_t>(x + (int64_t{1} << (n - 1))) >> n;
}

/// round(x * y * 2^(s - q)), as above: a lane of q_multiply_shift.
inline std::optional<int64_t> QMultiplyShift(int64_t x, int64_t y, int64_t q, int64_t s) {
  if (y == kQOneHalf) return QMultiplyByOneHalf(x, s);
  return QMultiplyShiftPerAxis(x, y, s > 0 ? s : 0, s < 0 ? -s : 0, q);
}

}  // namespace tenon

#endif  // TENON_IR_Q_MULTIPLY_SHIFT_H_
