// MEAN: the mean along axes. For quantised numbers, the multiplier of the rescaling includes the
// division by their number. The mean of int32 and int64 is cut toward zero.

#include <algorithm>
#include <bit>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"
#include "frontends/graph/reduction.h"

namespace tenon::graph {

namespace {

FixedPoint DividedBy(FixedPoint scale, int64_t count) {
  int shift = 63 - std::countl_zero(static_cast<uint64_t>(count));
  shift = std::min({shift, 32, 31 + scale.shift});
  return {static_cast<int32_t>((int64_t{scale.multiplier} << shift) / count), scale.shift - shift};
}

}  // namespace

absl::Status BuildMean(OperatorCode& code) {
  const absl::StatusOr<Reduction> reduction = Reduction::Make(code);
  if (!reduction.ok()) return reduction.status();
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  const int64_t count = reduction->count();
  if (x.dtype != output.dtype) return UnsupportedTypes(code);
  if (count == 0) return code.Unsupported("a mean of zero elements");
  const bool is_wide = x.dtype == kInt32 || x.dtype == kInt64;
  if (!x.dtype.is_floating() && !is_wide) {
    const FixedPoint scale =
        ToFixedPoint(double{x.quantization.scale()} / double{output.quantization.scale()});
    return WriteQuantizedSum(code, *reduction, DividedBy(scale, count));
  }
  const DataType sums = is_wide ? kInt64 : x.dtype;
  Array sum;
  const auto begin = [&] {
    sum = code.Scalar("sum", sums);
    code.Set(sum, code.Number(sums, 0));
  };
  const auto fold = [&](Value element) { code.Set(sum, code.Get(sum) + Cast(sums, element)); };
  const auto end = [&] {
    const Value number = code.Number(sums, static_cast<double>(count));
    return Cast(x.dtype, Div(code.Get(sum), number));
  };
  reduction->Write(code, {.begin = begin, .fold = fold, .end = end});
  return absl::OkStatus();
}

}  // namespace tenon::graph
