#ifndef TENON_FRONTENDS_GRAPH_PLAIN_SCALED_RESULT_H_
#define TENON_FRONTENDS_GRAPH_PLAIN_SCALED_RESULT_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "frontends/graph/operator_code.h"
#include "frontends/graph/plain/products.h"
#include "frontends/graph/quantized.h"

namespace tenon::graph::plain {

/// The factors of QLinearConv and QLinearMatMul; their scales stand before their zero points.
inline constexpr FactorInputs kQuantizedInputs = {
    .left = 0, .right = 3, .left_zero = 2, .right_zero = 5};

/// Conversion of integer sums to the output's integers, as in onnxruntime: the sum in float32,
/// times one float32 factor, to the nearest integer with ties to even, plus the zero point,
/// clamped. The factor is the product of the factors' scales, over the output's scale.
class ScaledResult {
 public:
  /// `left` and `right` are the channels that may have scales.
  static absl::StatusOr<ScaledResult> Make(OperatorCode& code, int64_t left, int64_t right);

  Value operator()(Value sum, Value left, Value right) const;

 private:
  /// An input of one number, or of one for each channel.
  struct Scale {
    Array numbers;
    int64_t count = 1;

    Value At(Value channel) const;
  };
  static absl::StatusOr<Scale> ScaleOf(OperatorCode& code, size_t input, int64_t channels);

  OperatorCode* code_ = nullptr;
  Scale left_, right_, output_;
  /// The factor, if all scales are constants with one number.
  bool is_known_ = false;
  float factor_ = 0;
};

/// The integer of a float32, clamped to an interval of a dtype: the nearest one, with ties to even.
/// The float32 `zero` is added before (`is_zero_inside`) or after a number goes to an integer.
Value NearestInteger(Value steps, Value zero, bool is_zero_inside, Interval interval,
                     DataType dtype);

/// A real number's integer: the nearest one, with ties to even, plus a zero point, clamped to the
/// dtype. `steps` is a float32, and the zero point an integer.
Value NearestInteger(Value steps, Value zero_point, DataType dtype);

/// 1 if an integer is odd, otherwise 0.
Value IsOdd(Value number);

}  // namespace tenon::graph::plain

#endif  // TENON_FRONTENDS_GRAPH_PLAIN_SCALED_RESULT_H_
