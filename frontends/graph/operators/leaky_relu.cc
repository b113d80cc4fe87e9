// LEAKY_RELU: x if it is positive, and otherwise alpha * x.

#include <cmath>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"

namespace tenon::graph {

absl::Status BuildLeakyRelu(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  const double alpha = code.attributes().Real("alpha");
  if (x.dtype != output.dtype) return UnsupportedTypes(code);
  if (x.dtype == DataType::Float(32)) {
    const Value zero = code.Number(x.dtype, 0);
    const Value slope = code.Number(x.dtype, alpha);
    WriteEach(code, [&](Value value) { return Select(zero < value, value, value * slope); });
    return absl::OkStatus();
  }
  if (!HasScale(x) || !HasScale(output)) return UnsupportedScales(code);
  // In float arithmetic, like TensorFlow Lite.
  const float from = x.quantization.scale();
  const float to = output.quantization.scale();
  const FixedPoint positive = ToFixedPoint(double{from / to});
  const FixedPoint negative = ToFixedPoint(double{from * static_cast<float>(std::abs(alpha)) / to});
  const int64_t zero_point = output.quantization.zero_point();
  const auto rescaled = [&](int32_t centred) {
    if (centred >= 0) return int64_t{RescaleTwice(centred, positive)} + zero_point;
    const int64_t scaled = RescaleTwice(centred, negative);
    return (alpha < 0 ? -scaled : scaled) + zero_point;
  };
  if (x.dtype.bits() == 8) {
    WriteByTable(code, [&](int64_t value) {
      return rescaled(static_cast<int32_t>(value - x.quantization.zero_point()));
    });
    return absl::OkStatus();
  }
  const Interval range = RangeOf(output.dtype);
  WriteEach(code, [&](Value value) {
    const Value centred = Cast(DataType::Int(32), value) - x.quantization.zero_point();
    const Value scaled = RescaleTwice(centred, negative);
    const Value result = Select(centred < 0, alpha < 0 ? code.Int(0) - scaled : scaled,
                                RescaleTwice(centred, positive)) +
                         zero_point;
    return Cast(output.dtype, Max(Min(result, range.high), range.low));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
