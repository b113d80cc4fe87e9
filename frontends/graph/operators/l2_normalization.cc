// L2_NORMALIZATION: x over the root of the sum of squares along the last axis.

#include <fmt/format.h>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/inverse_root.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"
#include "ir/builtins.h"

namespace tenon::graph {

namespace {

/// Integers of 8 bits; outputs have 7 bits after the point.
absl::Status BuildByteL2(OperatorCode& code, int64_t rows, int64_t depth) {
  const Tensor& x = code.input(0);
  const Quantization& output = code.output().quantization;
  const Interval range = RangeOf(code.output().dtype);
  const int64_t zero_point = (range.low + range.high + 1) / 2;
  constexpr float kScale = 1.0F / 128;
  if (!HasScale(x)) return UnsupportedScales(code);
  if (output.scale() != kScale || output.zero_point() != zero_point)
    return OtherOutputScale(code, kScale, zero_point);
  const Array from = code.Flat(code.In(0), {rows, depth});
  const Array to = code.Flat(code.Out(), {rows, depth});
  const auto centred = [&](Value row, Value c) {
    return Cast(kInt32, from({row, c})) - x.quantization.zero_point();
  };
  constexpr int kBits = 7;
  // Sums are int32.
  constexpr int64_t kMostDepth = 1 << 15;
  if (depth > kMostDepth)
    return code.Unsupported(fmt::format("rows of more than 2^15 elements, as {}", depth));
  code.For("row", rows, [&](Value row) {
    const Array sum = code.Scalar("sum", kInt32);
    code.Set(sum, code.Int(0));
    code.For("c", depth,
             [&](Value c) { code.Set(sum, code.Get(sum) + centred(row, c) * centred(row, c)); });
    const RootValue root = InverseRoot(code, code.Get(sum));
    const bool is_signed = x.dtype.is_int();
    const Value bits = code.Int(kBits);
    const Value left = is_signed ? code.Once(Max(bits - root.right, 0)) : bits;
    const Value right = is_signed ? code.Once(Max(root.right - bits, 0)) : root.right;
    code.For("c", depth, [&](Value c) {
      // int8 gets only the bits after the point that the second rounding does not take away.
      const Value fine = code.Once(centred(row, c) << left);
      const Value result = RescaleTwice(fine, root.multiplier, 0, right, 0, {}) + zero_point;
      code.Store(to, {row, c}, Cast(to.dtype(), Max(Min(result, range.high), range.low)));
    });
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status BuildL2Normalization(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  const Tensor& x = code.input(0);
  if (code.attributes().Text("activation", "none") != "none") return UnsupportedActivation(code);
  if (x.dtype != code.output().dtype) return UnsupportedTypes(code);
  if (x.rank() < 1) return code.Wrong("expected an input with an axis");
  const int64_t depth = x.shape.back();
  const int64_t rows = depth == 0 ? 0 : x.elements() / depth;
  if (x.dtype.is_integer() && x.dtype.bits() == 8) return BuildByteL2(code, rows, depth);
  if (x.dtype != kFloat32) return UnsupportedTypes(code);
  constexpr float kLeast = 1e-6F;
  const Array from = code.Flat(code.In(0), {rows, depth});
  const Array to = code.Flat(code.Out(), {rows, depth});
  code.For("row", rows, [&](Value row) {
    const Array sum = code.Scalar("sum", x.dtype);
    code.Set(sum, code.Number(x.dtype, 0));
    code.For("c", depth, [&](Value c) {
      code.Set(sum, code.Get(sum) + from({row, c}) * from({row, c}));
    });
    // A NaN stays: Max gives its second operand for it.
    const Value norm =
        code.Once(Max(code.Number(x.dtype, double{kLeast}), CallOf(OpKind::kSqrt, code.Get(sum))));
    code.For("c", depth, [&](Value c) { code.Store(to, {row, c}, Div(from({row, c}), norm)); });
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
