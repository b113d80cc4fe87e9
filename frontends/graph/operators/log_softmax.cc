// LOG_SOFTMAX: x minus the logarithm of the sum of exp(x) along the last axis.

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"
#include "frontends/graph/short_fixed_point.h"
#include "frontends/graph/wide_fixed_point.h"
#include "ir/builtins.h"

namespace tenon::graph {

namespace {

/// Integers of 8 bits: exponentials are a table, as in SOFTMAX. Outputs have 4 bits after the
/// point, and the largest integer stands for 0.
absl::Status BuildByteLogSoftmax(OperatorCode& code, int64_t rows, int64_t depth) {
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  const Interval range = RangeOf(output.dtype);
  constexpr float kScale = 1.0F / 16;
  if (!HasScale(x)) return UnsupportedScales(code);
  if (output.quantization.scale() != kScale || output.quantization.zero_point() != range.high)
    return OtherOutputScale(code, kScale, range.high);
  const double scale = double{x.quantization.scale()};
  const Differences differences(scale, 1);
  if (differences.scale().shift < 1)
    return code.Unsupported(fmt::format("an input's scale below 2^-26, as {}", scale));
  std::vector<int32_t> products;
  for (int difference = 0; difference < 256; ++difference)
    products.push_back(differences(difference));
  // The inverse of the differences' scale, for the least difference whose result is in range.
  const FixedPoint back = ToFixedPoint(std::ldexp(1.0, 31 - differences.scale().shift) /
                                       static_cast<double>(differences.scale().multiplier));
  if (back.shift > 0)
    return code.Unsupported(fmt::format("an input's scale below 2^-26, as {}", scale));
  const Array from = code.Flat(code.In(0), {rows, depth});
  const Array to = code.Flat(code.Out(), {rows, depth});
  const Array powers = code.Constant("exponentials", kInt32, {256}, ExpTable(scale, 1));
  const Array steps = IntConstant(code, "differences", products);
  code.For("row", rows, [&](Value row) {
    const Array most = code.Scalar("most", kInt32);
    const Array sum = code.Scalar("sum", kInt32);
    const auto element = [&](Value c) { return Cast(kInt32, from({row, c})); };
    code.Set(most, code.Int(RangeOf(x.dtype).low));
    code.For("c", depth, [&](Value c) { code.Set(most, Max(code.Get(most), element(c))); });
    code.Set(sum, code.Int(0));
    code.For("c", depth, [&](Value c) {
      const Value power = powers({code.Get(most) - element(c)});
      code.Set(sum, code.Get(sum) + (((power >> 1) + (1 << (kSumBits - 2))) >> (kSumBits - 1)));
    });
    const Value log = LogOfSum(code, code.Get(sum));
    const Value lowest = code.Once(log + code.Int(std::numeric_limits<int32_t>::min()));
    const Value least = code.Once(Max(RescaleTwice(lowest, back), -differences.most() - 1));
    code.For("c", depth, [&](Value c) {
      const Value difference = code.Once(code.Get(most) - element(c));
      const Value exact = code.Once(steps({difference}) - log);
      const Value result = RoundedQuotient(exact, 22) + range.high;
      const Value clamped = Max(Min(result, range.high), range.low);
      const Value counts = least < code.Int(0) - difference;
      code.Store(to, {row, c}, Cast(output.dtype, Select(counts, clamped, code.Int(range.low))));
    });
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status BuildLogSoftmax(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  const Tensor& x = code.input(0);
  if (x.rank() < 1) return code.Wrong("expected an input with an axis");
  const int64_t depth = x.shape.back();
  const int64_t rows = depth == 0 ? 0 : x.elements() / depth;
  if (x.dtype != code.output().dtype) return UnsupportedTypes(code);
  if (x.dtype.is_integer() && x.dtype.bits() == 8) return BuildByteLogSoftmax(code, rows, depth);
  if (x.dtype != kFloat32) return UnsupportedTypes(code);
  const Array from = code.Flat(code.In(0), {rows, depth});
  const Array to = code.Flat(code.Out(), {rows, depth});
  code.For("row", rows, [&](Value row) {
    const Array most = code.Scalar("most", x.dtype);
    const Array sum = code.Scalar("sum", x.dtype);
    code.Set(most, code.Number(x.dtype, -double{std::numeric_limits<float>::max()}));
    // NaN changes no maximum, and makes the sum NaN.
    code.For("c", depth, [&](Value c) { code.Set(most, Max(from({row, c}), code.Get(most))); });
    code.Set(sum, code.Number(x.dtype, 0));
    code.For("c", depth, [&](Value c) {
      code.Set(sum, code.Get(sum) + CallOf(OpKind::kExp, from({row, c}) - code.Get(most)));
    });
    const Value log = code.Once(CallOf(OpKind::kLog, code.Get(sum)));
    code.For("c", depth, [&](Value c) {
      code.Store(to, {row, c}, from({row, c}) - code.Get(most) - log);
    });
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
