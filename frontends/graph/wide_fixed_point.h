#ifndef TENON_FRONTENDS_GRAPH_WIDE_FIXED_POINT_H_
#define TENON_FRONTENDS_GRAPH_WIDE_FIXED_POINT_H_

#include <cstdint>
#include <vector>

#include "frontends/graph/fixed_point.h"

// Functions of int32 numbers in the fixed-point arithmetic of gemmlowp
// (https://github.com/google/gemmlowp, fixedpoint/fixedpoint.h). Unless a number says otherwise, it
// has 31 bits after the point.

namespace tenon::graph {

/// Differences have 5 bits before the point, and sums of exponentials 12.
inline constexpr int kDifferenceBits = 5;
inline constexpr int kSumBits = 12;

/// The product, rounded.
int32_t Product(int32_t a, int32_t b);

/// Differences of quantised numbers times their scale and a factor.
class Differences {
 public:
  Differences(double scale, double beta);

  /// False for a magnitude whose exponential is too small to count.
  bool Counts(int difference) const { return difference <= most_; }
  /// The greatest magnitude that counts.
  int64_t most() const { return static_cast<int64_t>(most_); }
  /// The product for -`difference`, with 26 bits after the point; 0 if it does not count.
  int32_t operator()(int difference) const;
  FixedPoint scale() const { return scale_; }

 private:
  FixedPoint scale_;
  double most_ = 0;
};

/// The exponential of each difference from 0 to -255, as bytes of int32; 0 if it is too small to
/// count.
std::vector<uint8_t> ExpTable(double scale, double beta);

/// The product as an int64, rounded.
Value RoundedProduct(Value a, Value b);
/// `x * 2^bits`, saturated to int32.
Value Saturated(Value x, int bits);

/// Sets `reciprocal` to 1 / `sum`, where the sum is shifted to [1, 2). `sum` is a variable, and
/// `zeros` is the number of its leading zeros.
void WriteReciprocal(Code& code, const Array& reciprocal, Value sum, Value zeros);
/// The same for 1 / (1 + `above_one`), an int64 from 0 on below 1.
void WriteReciprocal(Code& code, const Array& reciprocal, Value above_one);

/// The logarithm of a variable `sum` with 12 bits before the point, at least 1. The result is a
/// variable with 26 bits after the point.
Value LogOfSum(Code& code, Value sum);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_WIDE_FIXED_POINT_H_
