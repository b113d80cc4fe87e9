// Add, Sub and Mul of integers with scales.

#include <cmath>

#include "frontends/graph/broadcast.h"
#include "frontends/graph/elementwise.h"
#include "frontends/graph/plain/plain.h"
#include "frontends/graph/plain/quantized_builders.h"
#include "frontends/graph/plain/scaled_result.h"
#include "frontends/graph/refusals.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

float RealOf(const Quantization& of, int64_t value) {
  return of.scale() * static_cast<float>(value - of.zero_point());
}

/// Whether onnxruntime sees input 0 as the number that is repeated: it adds repeated numbers first.
bool IsRepeated(const OperatorView& op) {
  const std::vector<int64_t>& shape = op.output().shape;
  const std::vector<int64_t>& own = op.input(0).shape;
  for (size_t i = 1; i <= shape.size(); ++i) {
    if (shape[shape.size() - i] == 1) continue;
    return i > own.size() || own[own.size() - i] == 1;
  }
  return false;
}

/// QLinearAdd of onnxruntime on x86-64: two fused products, on top of a constant with the zero
/// points. `y` is added first.
FloatPair SumOf(const Quantization& x, const Quantization& y, const Quantization& output) {
  const float of_x = x.scale() / output.scale();
  const float of_y = y.scale() / output.scale();
  const auto zero_x = static_cast<float>(x.zero_point());
  const float zero_y = of_y * static_cast<float>(y.zero_point());
  const float zeros = std::fma(of_x, zero_x, zero_y);
  const float start = static_cast<float>(output.zero_point()) - zeros;
  FloatPair pair;
  pair.result = [=](int64_t a, int64_t b) {
    const float first = std::fma(of_y, static_cast<float>(b), start);
    return NearestEven(std::fma(of_x, static_cast<float>(a), first));
  };
  pair.of_x = of_x;
  pair.of_y = of_y;
  pair.start = start;
  return pair;
}

/// A difference of real numbers, which QuantizeLinear makes an integer of. The output's zero point
/// is added to the result.
FloatPair DifferenceOf(const Quantization& x, const Quantization& y, const Quantization& output) {
  FloatPair pair;
  pair.result = [=](int64_t a, int64_t b) {
    return NearestEven((RealOf(x, a) - RealOf(y, b)) / output.scale());
  };
  pair.of_x = double{x.scale()} / double{output.scale()};
  pair.of_y = -double{y.scale()} / double{output.scale()};
  pair.start = -pair.of_x * static_cast<double>(x.zero_point()) -
               pair.of_y * static_cast<double>(y.zero_point());
  return pair;
}

/// The same in float32, for pairs without products of integers.
Value InFloats(OperatorCode& code, Value x, Value y, bool is_difference) {
  const auto real = [&](Value value, size_t input) {
    const Quantization& of = code.input(input).quantization;
    return Cast(kFloat32, Cast(kInt32, value) - of.zero_point()) *
           code.Number(kFloat32, double{of.scale()});
  };
  const Quantization& output = code.output().quantization;
  const Value a = real(x, 0);
  const Value b = real(y, 1);
  const Value steps =
      Div(is_difference ? a - b : a + b, code.Number(kFloat32, double{output.scale()}));
  const Value zero = code.Number(kFloat32, static_cast<double>(output.zero_point()));
  return NearestInteger(steps, zero, !is_difference, ResultInterval(code), code.output().dtype);
}

absl::Status BuildSum(OperatorCode& code) {
  const bool is_difference = code.op().kind == "sub";
  const bool is_swapped = !is_difference && IsRepeated(code);
  const Tensor& x = code.input(is_swapped ? 1 : 0);
  const Tensor& y = code.input(is_swapped ? 0 : 1);
  const Quantization& output = code.output().quantization;
  const FloatPair pair = is_difference ? DifferenceOf(x.quantization, y.quantization, output)
                                       : SumOf(x.quantization, y.quantization, output);
  const Interval interval = ResultInterval(code);
  const int64_t outside = is_difference ? output.zero_point() : 0;
  const Interval inside = {interval.low - outside, interval.high - outside};
  const std::optional<PairProducts> products =
      ExactPairs(pair, RangeOf(x.dtype).low, RangeOf(y.dtype).low, inside.low, inside.high);
  if (!products)
    code.Note("no sum of integers equals the float32 arithmetic of onnxruntime for these scales");
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    const Value first = BroadcastElement(code, 0, at);
    const Value second = BroadcastElement(code, 1, at);
    if (!products) return InFloats(code, first, second, is_difference);
    const Value a = Cast(kInt64, is_swapped ? second : first);
    const Value b = Cast(kInt64, is_swapped ? first : second);
    const Value t = a * products->of_x + b * products->of_y + products->addend;
    const Value result = ShiftedResult(t, products->shift, products->tie_bits, inside);
    return ClampedResult(result, outside, interval, code.output().dtype);
  });
  return absl::OkStatus();
}

absl::Status BuildProduct(OperatorCode& code) {
  const Quantization& x = code.input(0).quantization;
  const Quantization& y = code.input(1).quantization;
  FloatRule rule;
  const float product = x.scale() * y.scale();
  rule.factor = product / code.output().quantization.scale();
  rule.zero_point = code.output().quantization.zero_point();
  rule.is_zero_inside = true;
  const int64_t most = MostCentred(code.input(0)) * MostCentred(code.input(1));
  const QuantizedResult result(code, {rule}, {{-most, most}});
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    const Value a = Cast(kInt32, BroadcastElement(code, 0, at)) - x.zero_point();
    const Value b = Cast(kInt32, BroadcastElement(code, 1, at)) - y.zero_point();
    return result(a * b, code.Int(0));
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status BuildQuantizedBinary(OperatorCode& code) {
  TENON_TRY(CheckScales(code, {0, 1}));
  for (const Tensor* tensor : {&code.input(0), &code.input(1), &code.output()})
    if (tensor->dtype.bits() != 8) return UnsupportedTypes(code);
  return code.op().kind == "mul" ? BuildProduct(code) : BuildSum(code);
}

}  // namespace tenon::graph::plain
