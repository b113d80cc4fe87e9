// MEAN: the mean along axes. For integers, the multiplier of the rescaling includes the division by
// their number.

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
  if (count == 0) return code.Unsupported("a mean of no elements");
  if (!x.dtype.is_floating()) {
    const FixedPoint scale =
        ToFixedPoint(double{x.quantization.scale()} / double{output.quantization.scale()});
    return WriteQuantizedSum(code, *reduction, DividedBy(scale, count));
  }
  Array sum;
  reduction->Write(
      code,
      {.begin =
           [&] {
             sum = code.Scalar("sum", x.dtype);
             code.Set(sum, code.Number(x.dtype, 0));
           },
       .fold = [&](Value element) { code.Set(sum, code.Get(sum) + element); },
       .end =
           [&] { return Div(code.Get(sum), code.Number(x.dtype, static_cast<double>(count))); }});
  return absl::OkStatus();
}

}  // namespace tenon::graph
