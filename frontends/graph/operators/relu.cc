// RELU, RELU6 and RELU_N1_TO_1: numbers clamped to an interval. Integers are brought to the
// output's scale first.

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"

namespace tenon::graph {

absl::Status BuildRelu(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  if (x.dtype != output.dtype) return UnsupportedTypes(code);
  if (x.dtype == DataType::Float(32)) {
    if (const auto probe = Activate(code, code.Number(x.dtype, 0)); !probe.ok())
      return probe.status();
    WriteEach(code, [&](Value value) { return *Activate(code, value); });
    return absl::OkStatus();
  }
  if (!HasScale(x) || !HasScale(output)) return UnsupportedScales(code);
  const absl::StatusOr<Interval> interval = ActivationInterval(code, output);
  if (!interval.ok()) return interval.status();
  // In float arithmetic, like TensorFlow Lite.
  const float scale = x.quantization.scale() / output.quantization.scale();
  const FixedPoint fixed = ToFixedPoint(double{scale});
  WriteEach(code, [&](Value value) {
    const Value centred = Cast(DataType::Int(32), value) - x.quantization.zero_point();
    const Value result = RescaleTwice(centred, fixed) + output.quantization.zero_point();
    return Cast(output.dtype, Max(Min(result, interval->high), interval->low));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
