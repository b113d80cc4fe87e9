// QUANTIZE: real numbers, or integers of another scale, as integers of the output's scale.

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"
#include "ir/builtins.h"

namespace tenon::graph {

namespace {

/// True for integers of at most 32 bits with one scale.
bool HasOneScale(const Tensor& tensor) {
  return HasScale(tensor) ||
         (HasScales(tensor) && !tensor.quantization.is_per_axis() && tensor.dtype == kInt32);
}

}  // namespace

absl::Status BuildQuantize(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  if (x.dtype == kFloat32 ? !HasScale(output) : !HasOneScale(x) || !HasOneScale(output))
    return UnsupportedScales(code);
  const Interval range = RangeOf(output.dtype);
  const int64_t zero_point = output.quantization.zero_point();
  if (x.dtype == kFloat32) {
    const Value scale = code.Number(kFloat32, double{output.quantization.scale()});
    WriteEach(code, [&](Value value) {
      const Value steps = CallOf(OpKind::kRound, Div(value, scale));
      // NaN stays, and the cast gives 0: TensorFlow Lite leaves its result open.
      const Value clamped = AtLeast(range.low - zero_point, AtMost(range.high - zero_point, steps));
      return Cast(output.dtype, Cast(kInt32, clamped) + zero_point);
    });
    return absl::OkStatus();
  }
  const FixedPoint fixed =
      ToFixedPoint(double{x.quantization.scale()} / double{output.quantization.scale()});
  WriteEach(code, [&](Value value) {
    const Value centred = Cast(kInt32, value) - x.quantization.zero_point();
    const Value result = RescaleTwice(centred, fixed) + zero_point;
    if (output.dtype == kInt32) return result;
    return Cast(output.dtype, Max(Min(result, range.high), range.low));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
