// MEAN: the mean along axes. For integers, the multiplier of the rescaling includes the division by
// their number.

#include <algorithm>
#include <bit>
#include <set>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"

namespace tenon::graph {

namespace {

/// The axes, each once, or an error.
absl::StatusOr<std::set<size_t>> AxesOf(const OperatorCode& code) {
  const Tensor& x = code.input(0);
  const auto axes = code.input(1).Integers();
  if (!axes) return code.Unsupported("axes that are not constant");
  std::set<size_t> result;
  for (int64_t axis : *axes) {
    if (axis < 0) axis += x.rank();
    if (axis < 0 || axis >= x.rank()) return code.Wrong("expected axes of the input");
    result.insert(static_cast<size_t>(axis));
  }
  return result;
}

FixedPoint DividedBy(FixedPoint scale, int64_t count) {
  int shift = 63 - std::countl_zero(static_cast<uint64_t>(count));
  shift = std::min({shift, 32, 31 + scale.shift});
  return {static_cast<int32_t>((int64_t{scale.multiplier} << shift) / count), scale.shift - shift};
}

}  // namespace

absl::Status BuildMean(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 2); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  const absl::StatusOr<std::set<size_t>> axes = AxesOf(code);
  if (!axes.ok()) return axes.status();
  const bool is_float = x.dtype == DataType::Float(32);
  if (x.dtype != output.dtype || (!is_float && (!HasScale(x) || !HasScale(output))))
    return UnsupportedTypes(code);
  std::vector<int64_t> kept, reduced;
  int64_t count = 1;
  for (size_t axis = 0; axis < x.shape.size(); ++axis) {
    const bool goes = axes->contains(axis);
    kept.push_back(goes ? 1 : x.shape[axis]);
    reduced.push_back(goes ? x.shape[axis] : 1);
    count *= reduced.back();
  }
  if (count == 0 || x.elements() != count * output.elements())
    return code.Wrong("expected an output of the axes that are kept");
  // Sums are int32.
  constexpr int64_t kMostSum = (int64_t{1} << 31) - 1;
  if (!is_float && count > kMostSum / (int64_t{1} << x.dtype.bits()))
    return code.Unsupported("a mean of this many elements");
  const Array from = code.In(0);
  const Array to = code.Flat(code.Out(), kept);
  const DataType dtype = is_float ? x.dtype : DataType::Int(32);
  const FixedPoint fixed = is_float ? FixedPoint{}
                                    : DividedBy(ToFixedPoint(double{x.quantization.scale()} /
                                                             double{output.quantization.scale()}),
                                                count);
  code.Grid("i", kept, [&](const std::vector<Value>& at) {
    const Array sum = code.Scalar("sum", dtype);
    code.Set(sum, code.Number(dtype, 0));
    code.Grid("k", reduced, [&](const std::vector<Value>& inner) {
      std::vector<Value> own;
      for (size_t axis = 0; axis < at.size(); ++axis)
        own.push_back(axes->contains(axis) ? inner[axis] : at[axis]);
      code.Set(sum, code.Get(sum) + Cast(dtype, from.Load(own)));
    });
    if (is_float) {
      const Value number = code.Number(dtype, static_cast<double>(count));
      return code.Store(to, at, Div(code.Get(sum), number));
    }
    const Interval range = RangeOf(output.dtype);
    code.Set(sum, code.Get(sum) - x.quantization.zero_point() * count);
    const Value result = RescaleTwice(code.Get(sum), fixed) + output.quantization.zero_point();
    code.Store(to, at, Cast(output.dtype, Max(Min(result, range.high), range.low)));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
