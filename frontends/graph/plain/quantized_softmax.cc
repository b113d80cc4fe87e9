// Softmax of integers with scales, and tables of 256 numbers.

#include <bit>
#include <cmath>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/plain/plain.h"
#include "frontends/graph/plain/quantized_builders.h"
#include "frontends/graph/refusals.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

/// Exponentials have so many bits after the point.
constexpr int kExpBits = 30;

/// exp(-difference * scale) for each difference of two integers of 8 bits.
Array ExpTable(OperatorCode& code, double scale) {
  std::vector<int32_t> values;
  for (int difference = 0; difference < 256; ++difference) {
    const double exponential = std::exp(-difference * scale);
    values.push_back(static_cast<int32_t>(std::lround(std::ldexp(exponential, kExpBits))));
  }
  return IntConstant(code, "exponential", values);
}

/// The nearest integer to a quotient of an int64 and a variable, with ties to even; both from 0 on.
Value RoundedQuotient(Value number, Value divisor) {
  Code& code = *number.code;
  const Value twice = code.Once(number * 2 + divisor);
  const Value whole = code.Once(Div(twice, divisor * 2));
  const Value is_tie = twice == whole * (divisor * 2);
  const Value is_odd = FloorMod(whole, 2) == code.Integer(kInt64, 1);
  return Select(is_tie && is_odd, whole - 1, whole);
}

}  // namespace

// onnxruntime rounds the number of the output's steps in 1 down, and saturates results of uint8
// only. Here results of int8 saturate too.
absl::Status BuildQuantizedSoftmax(OperatorCode& code, const std::vector<int64_t>& seen) {
  TENON_TRY(CheckScales(code, {0}));
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  if (x.dtype.bits() != 8 || output.dtype.bits() != 8) return UnsupportedTypes(code);
  const float steps = std::floor(1.0F / output.quantization.scale());
  constexpr float kMostSteps = 1 << 24;
  if (!(steps <= kMostSteps)) return ScalesTooFarApart(code);
  const Array table = ExpTable(code, double{x.quantization.scale()});
  const Array from = code.Flat(code.In(0), seen);
  const Array to = code.Flat(code.Out(), seen);
  const int64_t others[] = {seen[0], seen[2]};
  code.Grid("i", others, [&](const std::vector<Value>& at) {
    const Array most = code.Scalar("most", kInt32);
    const Array sum = code.Scalar("sum", kInt64);
    const auto element = [&](Value c) { return Cast(kInt32, from({at[0], c, at[1]})); };
    const auto exponential = [&](Value c) {
      return Cast(kInt64, table({code.Get(most) - element(c)}));
    };
    code.Set(most, code.Int(RangeOf(x.dtype).low));
    code.Set(sum, code.Integer(kInt64, 0));
    code.For("c", seen[1], [&](Value c) { code.Set(most, Max(code.Get(most), element(c))); });
    code.For("c", seen[1], [&](Value c) { code.Set(sum, code.Get(sum) + exponential(c)); });
    code.For("c", seen[1], [&](Value c) {
      const Value quotient =
          RoundedQuotient(exponential(c) * static_cast<int64_t>(steps), code.Get(sum));
      code.Store(to, {at[0], c, at[1]},
                 ClampedResult(Cast(kInt32, quotient), output.quantization.zero_point(),
                               ResultInterval(code), output.dtype));
    });
  });
  return absl::OkStatus();
}

// Input 1 has the result of each integer of input 0, from the least integer on.
absl::Status BuildLookUp(OperatorCode& code) {
  const Tensor& x = code.input(0);
  if (!IsOneOf(x.dtype, kIntegers) || x.dtype.bits() != 8 ||
      code.input(1).dtype != code.output().dtype)
    return UnsupportedTypes(code);
  if (code.input(1).elements() != 256) return code.Wrong("expected a table of 256 elements");
  const Array table = code.Flat(code.In(1), {256});
  WriteEach(code, [&](Value value) { return table({Cast(kInt32, value) - RangeOf(x.dtype).low}); });
  return absl::OkStatus();
}

}  // namespace tenon::graph::plain
