#include "frontends/graph/plain/scaled_result.h"

#include <fmt/format.h>

#include "frontends/graph/plain/plain.h"
#include "frontends/graph/refusals.h"
#include "ir/builtins.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

constexpr size_t kLeftScale = 1, kRightScale = 4, kOutputScale = 6, kOutputZero = 7;

/// The number of a constant with one float32 or float16; 0 for other tensors.
float KnownScale(const Tensor& tensor) {
  if (!tensor.data || tensor.elements() != 1) return 0;
  return tensor.dtype == kFloat32 || tensor.dtype == kFloat16 ? tensor.FloatAt(0) : 0;
}

}  // namespace

absl::StatusOr<ScaledResult::Scale> ScaledResult::ScaleOf(OperatorCode& code, size_t input,
                                                          int64_t channels) {
  const Tensor& tensor = code.input(input);
  if (!IsOneOf(tensor.dtype, kFloats) || tensor.dtype == kFloat64) return UnsupportedTypes(code);
  Scale scale;
  scale.count = tensor.elements();
  const bool is_row = tensor.rank() == 1 && tensor.shape[0] == channels;
  if (scale.count != 1 && !is_row)
    return code.Unsupported(
        fmt::format("scales of {} for {} channels", tensor.TypeText(), channels));
  return scale;
}

absl::StatusOr<ScaledResult> ScaledResult::Make(OperatorCode& code, int64_t left, int64_t right) {
  const DataType dtype = code.output().dtype;
  if (!IsOneOf(dtype, kIntegers) || dtype.bits() != 8 || code.input(kOutputZero).dtype != dtype)
    return UnsupportedTypes(code);
  if (code.input(kOutputZero).elements() != 1)
    return code.Unsupported("an output with more than one zero point");
  ScaledResult made;
  made.code_ = &code;
  TENON_ASSIGN_OR(made.left_, ScaleOf(code, kLeftScale, left));
  TENON_ASSIGN_OR(made.right_, ScaleOf(code, kRightScale, right));
  TENON_ASSIGN_OR(made.output_, ScaleOf(code, kOutputScale, 1));
  const float a = KnownScale(code.input(kLeftScale));
  const float b = KnownScale(code.input(kRightScale));
  const float y = KnownScale(code.input(kOutputScale));
  made.is_known_ = a > 0 && b > 0 && y > 0;
  if (made.is_known_) {
    const float product = a * b;
    made.factor_ = product / y;
    return made;
  }
  made.left_.numbers = code.Flat(code.In(kLeftScale), {made.left_.count});
  made.right_.numbers = code.Flat(code.In(kRightScale), {made.right_.count});
  made.output_.numbers = code.Flat(code.In(kOutputScale), {1});
  return made;
}

Value ScaledResult::Scale::At(Value channel) const {
  return Cast(kFloat32, numbers({count == 1 ? channel.code->Int(0) : channel}));
}

Value ScaledResult::operator()(Value sum, Value left, Value right) const {
  OperatorCode& code = *code_;
  const Value factor = is_known_ ? code.Number(kFloat32, double{factor_})
                                 : Div(left_.At(left) * right_.At(right), output_.At(right));
  const Tensor& zero = code.input(kOutputZero);
  const Value zero_point = zero.HasIntegers()
                               ? code.Int(zero.IntegerAt(0))
                               : Cast(kInt32, code.Flat(code.In(kOutputZero), {1})({code.Int(0)}));
  return NearestInteger(Cast(kFloat32, sum) * factor, zero_point, code.output().dtype);
}

Value NearestInteger(Value steps, Value zero, bool is_zero_inside, Interval interval,
                     DataType dtype) {
  Code& code = *steps.code;
  const Value nearest = is_zero_inside ? CallOf(OpKind::kRoundeven, steps + zero)
                                       : CallOf(OpKind::kRoundeven, steps) + zero;
  const Value low = code.Number(kFloat32, static_cast<double>(interval.low));
  const Value high = code.Number(kFloat32, static_cast<double>(interval.high));
  // Max gives the second operand for NaN, so it becomes the least integer.
  return Cast(dtype, Min(Max(nearest, low), high));
}

Value NearestInteger(Value steps, Value zero_point, DataType dtype) {
  return NearestInteger(steps, Cast(kFloat32, zero_point), false, RangeOf(dtype), dtype);
}

Value IsOdd(Value number) {
  return CallOf(OpKind::kBitwiseAnd, number, number.code->Integer(number.dtype(), 1));
}

}  // namespace tenon::graph::plain
