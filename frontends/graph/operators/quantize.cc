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
    const Value scale = ScaleNumber(code, output.quantization.scale());
    const ScaleIntegers numbers(code, "output",
                                {zero_point, range.low - zero_point, range.high - zero_point});
    WriteEach(code, [&](Value value) {
      const Value steps = CallOf(OpKind::kRound, Div(value, scale));
      // NaN stays, and the cast gives 0: TensorFlow Lite leaves its result open.
      const Value clamped =
          code.has_replaceable_scales()
              ? Max(Cast(kFloat32, numbers[1]), Min(Cast(kFloat32, numbers[2]), steps))
              : AtLeast(range.low - zero_point, AtMost(range.high - zero_point, steps));
      return Cast(output.dtype, Cast(kInt32, clamped) + numbers[0]);
    });
    return absl::OkStatus();
  }
  const FixedPoint fixed =
      ToFixedPoint(double{x.quantization.scale()} / double{output.quantization.scale()});
  const Rescaler rescale(code, fixed);
  const ScaleIntegers zero_points(code, "zero_points", {x.quantization.zero_point(), zero_point});
  WriteEach(code, [&](Value value) {
    const Value centred = Cast(kInt32, value) - zero_points[0];
    const Value result = rescale(centred) + zero_points[1];
    if (output.dtype == kInt32) return result;
    return Cast(output.dtype, Max(Min(result, range.high), range.low));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
