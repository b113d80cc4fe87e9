// SOFTMAX: exp(beta * x) over the sum of these along the last axis. For int8, exp is a table of the
// differences to the largest element, in the fixed-point arithmetic of gemmlowp
// (https://github.com/google/gemmlowp, fixedpoint/fixedpoint.h), and the sum's reciprocal is three
// steps of Newton and Raphson. For int16, both are tables with straight lines between the entries.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"
#include "frontends/graph/short_fixed_point.h"
#include "frontends/graph/short_table.h"
#include "frontends/graph/wide_fixed_point.h"
#include "ir/builtins.h"

namespace tenon::graph {

namespace {

absl::Status BuildQuantized(OperatorCode& code, int64_t rows, int64_t depth) {
  const Tensor& x = code.input(0);
  if (!HasScale(x)) return UnsupportedScales(code);
  const double beta = code.attributes().Real("beta", 1);
  const double step = beta * double{x.quantization.scale()};
  if (!(step * (1 << (31 - kDifferenceBits)) > 1))
    return code.Unsupported(fmt::format("a product of beta and scale below 2^-26, as {}", step));
  const Array from = code.Flat(code.In(0), {rows, depth});
  const Array to = code.Flat(code.Out(), {rows, depth});
  const Array table =
      code.Constant("exponentials", kInt32, {256}, ExpTable(x.quantization.scale(), beta));
  code.For("row", rows, [&](Value row) {
    const Array most = code.Scalar("most", kInt32);
    const Array sum = code.Scalar("sum", kInt32);
    const Array reciprocal = code.Scalar("reciprocal", kInt32);
    const Array zeros = code.Scalar("zeros", kInt32);
    const auto element = [&](Value c) { return Cast(kInt32, from({row, c})); };
    const auto exponential = [&](Value c) { return table({code.Get(most) - element(c)}); };
    code.Set(most, code.Int(RangeOf(x.dtype).low));
    code.For("c", depth, [&](Value c) { code.Set(most, Max(code.Get(most), element(c))); });
    code.Set(sum, code.Int(0));
    code.For("c", depth, [&](Value c) {
      // Halved first, because the largest exponential is the largest int32.
      const Value rounded = ((exponential(c) >> 1) + (1 << (kSumBits - 2))) >> (kSumBits - 1);
      code.Set(sum, code.Get(sum) + rounded);
    });
    code.Set(zeros, CallOf(OpKind::kClz, code.Get(sum)));
    WriteReciprocal(code, reciprocal, code.Get(sum), code.Get(zeros));
    code.For("c", depth, [&](Value c) {
      const Value product = RoundedProduct(code.Get(reciprocal), exponential(c));
      const Value bits =
          Cast(kInt64, code.Int(31 - to.dtype().bits() + kSumBits) - code.Get(zeros));
      const Value half = code.Integer(kInt64, 1) << (bits - 1);
      const Interval range = RangeOf(to.dtype());
      const Value result = Cast(kInt32, (product + half) >> bits) + range.low;
      code.Store(to, {row, c}, Cast(to.dtype(), Min(result, range.high)));
    });
  });
  return absl::OkStatus();
}

absl::Status BuildShortSoftmax(OperatorCode& code, int64_t rows, int64_t depth) {
  const Tensor& x = code.input(0);
  if (!HasScale(x)) return UnsupportedScales(code);
  if (x.quantization.zero_point() != 0) {
    return code.Wrong(fmt::format("expected an input with the zero point 0, found {}",
                                  x.quantization.zero_point()));
  }
  // Differences are scaled to -65535 for -10. Scale and beta are multiplied as floats.
  const float step = x.quantization.scale() * static_cast<float>(code.attributes().Real("beta", 1));
  const FixedPoint fixed = ToFixedPoint(double{step} / (10.0 / 65535.0));
  constexpr int64_t kMostDepth = 1 << 16;
  if (!(step > 0) || fixed.shift > 15) {
    return code.Unsupported(
        fmt::format("a product of beta and scale that is not between 0 and 5, as {}", step));
  }
  if (depth > kMostDepth)
    return code.Unsupported(fmt::format("rows of more than 2^16 elements, as {}", depth));
  const Array from = code.Flat(code.In(0), {rows, depth});
  const Array to = code.Flat(code.Out(), {rows, depth});
  const ShortTable exponential(code, "exponentials", {-10, 0},
                               [](double value) { return std::exp(value); });
  const ShortTable inverse(code, "inverses", {0, 1}, [](double value) { return 1 / (1 + value); });
  constexpr int64_t kHigh = std::numeric_limits<int16_t>::max();
  code.For("row", rows, [&](Value row) {
    const Array most = code.Scalar("most", kInt32);
    const Array sum = code.Scalar("sum", kInt32);
    const auto element = [&](Value c) { return Cast(kInt32, from({row, c})); };
    code.Set(most, code.Int(RangeOf(x.dtype).low));
    code.For("c", depth, [&](Value c) { code.Set(most, Max(code.Get(most), element(c))); });
    code.Set(sum, code.Int(0));
    code.For("c", depth, [&](Value c) {
      const Value difference = RescaleTwice(element(c) - code.Get(most), fixed);
      const Value power = exponential(code.Once(ClampToShort(difference + kHigh)));
      code.Store(to, {row, c}, Cast(x.dtype, power));
      code.Set(sum, code.Get(sum) + power);
    });
    // The sum, shifted to [1, 2), minus 1.
    const Value zeros = code.Once(CallOf(OpKind::kClz, code.Get(sum)));
    const Value shifted = Cast(kInt64, code.Get(sum)) << Cast(kInt64, zeros - 1);
    const Value rest = Cast(kInt32, (shifted + (1 << 13)) >> 14) - ((1 << 15) + (1 << 16));
    const Value reciprocal = code.Once(inverse(code.Once(ClampToShort(rest))));
    code.For("c", depth, [&](Value c) {
      const Value product = Cast(kInt64, to({row, c})) * Cast(kInt64, reciprocal);
      const Value bits = Cast(kInt64, code.Int(31) - zeros);
      const Value half = code.Integer(kInt64, 1) << (bits - 1);
      const Value result = Cast(kInt32, (product + half) >> bits);
      code.Store(to, {row, c}, Cast(x.dtype, Max(Min(result, kHigh), 0)));
    });
  });
  return absl::OkStatus();
}

/// Sums are float32, also those of float16.
void BuildFloat(OperatorCode& code, int64_t rows, int64_t depth) {
  const DataType dtype = code.input(0).dtype;
  const Value beta = code.Number(kFloat32, code.attributes().Real("beta", 1));
  const Array from = code.Flat(code.In(0), {rows, depth});
  const Array to = code.Flat(code.Out(), {rows, depth});
  const auto element = [&](Value row, Value c) { return Cast(kFloat32, from({row, c})); };
  code.For("row", rows, [&](Value row) {
    const Array most = code.Scalar("most", kFloat32);
    const Array sum = code.Scalar("sum", kFloat32);
    code.Set(most, code.Number(kFloat32, -double{std::numeric_limits<float>::max()}));
    // NaN changes no maximum, and makes the sum NaN.
    code.For("c", depth, [&](Value c) { code.Set(most, Max(element(row, c), code.Get(most))); });
    code.Set(sum, code.Number(kFloat32, 0));
    code.For("c", depth, [&](Value c) {
      Value power = CallOf(OpKind::kExp, (element(row, c) - code.Get(most)) * beta);
      if (dtype != kFloat32) power = code.Once(power);
      code.Store(to, {row, c}, Cast(dtype, power));
      code.Set(sum, code.Get(sum) + (dtype == kFloat32 ? to({row, c}) : power));
    });
    code.For("c", depth, [&](Value c) {
      code.Store(to, {row, c}, Cast(dtype, Div(Cast(kFloat32, to({row, c})), code.Get(sum))));
    });
  });
}

}  // namespace

absl::Status BuildSoftmax(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(1, 1); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  if (x.rank() < 1 || x.shape != output.shape)
    return code.Wrong("expected an output of the input's shape");
  const int64_t depth = x.shape.back();
  const int64_t rows = depth == 0 ? 0 : x.elements() / depth;
  const bool is_byte = x.dtype == kInt8 || x.dtype == kUInt8;
  if (is_byte && (output.dtype == x.dtype || output.dtype == kInt16))
    return BuildQuantized(code, rows, depth);
  if (x.dtype == DataType::Int(16) && output.dtype == x.dtype)
    return BuildShortSoftmax(code, rows, depth);
  if (x.dtype != output.dtype || (x.dtype != kFloat32 && x.dtype != kFloat16))
    return UnsupportedTypes(code);
  BuildFloat(code, rows, depth);
  return absl::OkStatus();
}

}  // namespace tenon::graph
