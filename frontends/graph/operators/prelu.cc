// PRELU: x if it is positive, and otherwise alpha * x, with an alpha for each element. For int16,
// alphas are int8.

#include "frontends/graph/broadcast.h"
#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"

namespace tenon::graph {

absl::Status BuildPrelu(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 2); !status.ok()) return status;
  if (absl::Status status = CheckBroadcast(code); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& alpha = code.input(1);
  const Tensor& output = code.output();
  if (x.dtype != output.dtype) return UnsupportedTypes(code);
  if (x.dtype == kFloat32 && alpha.dtype == kFloat32) {
    WriteElements(code, 0, [&](const std::vector<Value>& at) {
      const Value value = BroadcastElement(code, 0, at);
      const Value product = value * BroadcastElement(code, 1, at);
      return Select(code.Number(kFloat32, 0) <= value, value, product);
    });
    return absl::OkStatus();
  }
  const bool is_typed = alpha.dtype == (x.dtype == kInt16 ? kInt8 : x.dtype);
  if (!is_typed || !HasScale(x) || !HasScale(alpha) || !HasScale(output))
    return UnsupportedScales(code);
  // In float arithmetic, like TensorFlow Lite.
  const float from = x.quantization.scale();
  const float to = output.quantization.scale();
  const Rescaler positive(code, ToFixedPoint(double{from / to}));
  const Rescaler negative(code, ToFixedPoint(double{from * alpha.quantization.scale() / to}));
  const ScaleIntegers zero_points(code, "inputs",
                                  {x.quantization.zero_point(), alpha.quantization.zero_point()});
  const OutputStep step(code, output.quantization.zero_point(), RangeOf(output.dtype));
  const auto centred = [&](size_t i, const std::vector<Value>& at) {
    return Cast(kInt32, BroadcastElement(code, i, at)) - zero_points[i];
  };
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    const Value value = code.Once(centred(0, at));
    const Value product = code.Once(value * centred(1, at));
    return step(Select(value < 0, negative(product), positive(value)));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
