// DIV: the quotient of two tensors. Those of int32 are cut toward zero.

#include "frontends/graph/broadcast.h"
#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"
#include "frontends/graph/wide_fixed_point.h"
#include "ir/builtins.h"

namespace tenon::graph {

namespace {

/// Quotients of quantised numbers: a reciprocal in fixed point, then one rescaling by its exponent
/// and the scales.
absl::Status BuildQuantizedDiv(OperatorCode& code) {
  const Tensor& output = code.output();
  if (!HasScale(code.input(0)) || !HasScale(code.input(1)) || !HasScale(output))
    return UnsupportedScales(code);
  const absl::StatusOr<Interval> interval = ActivationInterval(code, output);
  if (!interval.ok()) return interval.status();
  // In float arithmetic, like TensorFlow Lite.
  const float scales = code.input(1).quantization.scale() * output.quantization.scale();
  const FixedPoint scale = ToFixedPoint(double{code.input(0).quantization.scale() / scales});
  const auto centred = [&](size_t index, const std::vector<Value>& at) {
    return Cast(kInt32, BroadcastElement(code, index, at)) -
           code.input(index).quantization.zero_point();
  };
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    const Value zero = code.Int(0);
    const Value signed_divisor = code.Once(Divisor(centred(1, at)));
    const Value divisor = code.Once(Max(signed_divisor, zero - signed_divisor));
    const Value signed_dividend = code.Once(centred(0, at));
    const Value dividend =
        code.Once(Select(signed_divisor < zero, zero - signed_dividend, signed_dividend));
    const Value zeros = code.Once(CallOf(OpKind::kClz, divisor));
    const Array reciprocal = code.Scalar("reciprocal", kInt32);
    WriteReciprocal(code, reciprocal, divisor, zeros);
    // The dividend, shifted until its highest bit is the one below its sign.
    const Value magnitude = Select(dividend < zero, zero - dividend - 1, dividend);
    const Value spare = code.Once(CallOf(OpKind::kClz, magnitude) - 1);
    const Value shifted = Cast(kInt32, Cast(kInt64, dividend) << Cast(kInt64, spare));
    const Value quotient = code.Once(Cast(kInt32, RoundedProduct(shifted, code.Get(reciprocal))));
    const Value right = code.Int(31 - scale.shift) - zeros + spare;
    const Value multiplier = code.Int(scale.multiplier);
    const Value result = RescaleTwice(quotient, multiplier, 0, Max(Min(right, 31), 0), 0, {}) +
                         output.quantization.zero_point();
    return Cast(output.dtype, Max(Min(result, interval->high), interval->low));
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status BuildDiv(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 2); !status.ok()) return status;
  if (absl::Status status = CheckBroadcast(code); !status.ok()) return status;
  const DataType dtype = code.output().dtype;
  if (code.input(0).dtype != dtype || code.input(1).dtype != dtype) return UnsupportedTypes(code);
  if (dtype.is_integer() && dtype.bits() <= 16) return BuildQuantizedDiv(code);
  if (dtype != kFloat32 && dtype != kInt32) return UnsupportedTypes(code);
  if (const auto probe = Activate(code, code.Number(dtype, 0)); !probe.ok()) return probe.status();
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    const Value divisor = BroadcastElement(code, 1, at);
    return *Activate(
        code, Div(BroadcastElement(code, 0, at), dtype == kInt32 ? Divisor(divisor) : divisor));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
