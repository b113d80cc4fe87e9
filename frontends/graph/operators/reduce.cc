// SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, REDUCE_ANY and REDUCE_ALL: one element of all elements
// along axes. Quantised sums and products are brought to the output's scale.

#include <cmath>
#include <functional>
#include <limits>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"
#include "frontends/graph/reduction.h"

namespace tenon::graph {

namespace {

using FoldElement = std::function<Value(Value result, Value element)>;

/// Writes a reduction whose results are those of `fold`. `start` is the result for no elements.
void WriteFolded(OperatorCode& code, const Reduction& reduction, Value start,
                 const FoldElement& fold) {
  const DataType dtype = start.dtype();
  // If no axis is left, TensorFlow Lite begins with the first element, which a NaN shows.
  const bool from_first = dtype.is_floating() && reduction.is_total() && reduction.count() > 0;
  Array result;
  const auto begin = [&](Value first) {
    result = code.Scalar("result", dtype);
    code.Set(result, first);
  };
  const auto next = [&](Value element) {
    code.Set(result, fold(code.Get(result), Cast(dtype, element)));
  };
  if (!from_first) {
    return reduction.Write(code,
                           {.begin = [&] { begin(start); },
                            .fold = next,
                            .end = [&] { return Cast(code.output().dtype, code.Get(result)); }});
  }
  const Array from = code.Flat(code.In(0), {reduction.count()});
  begin(from({code.Int(0)}));
  if (reduction.count() > 1)
    code.For("k", reduction.count() - 1, [&](Value k) { next(from({k + 1})); });
  code.Set(code.Flat(code.Out(), {1}), code.Get(result));
}

/// Checks that input and output have one dtype, which is not bool, and for 8 and 16 bits one scale.
absl::StatusOr<Reduction> OrderedReduction(OperatorCode& code) {
  absl::StatusOr<Reduction> reduction = Reduction::Make(code);
  if (!reduction.ok()) return reduction;
  const Tensor& x = code.input(0);
  const Quantization& to = code.output().quantization;
  if (x.dtype != code.output().dtype || x.dtype.is_bool()) return UnsupportedTypes(code);
  if (x.quantization.scale() != to.scale() || x.quantization.zero_point() != to.zero_point())
    return DifferentScales(code, 0);
  return reduction;
}

/// The least number of a dtype, or the greatest one.
Value EndOfType(OperatorCode& code, DataType dtype, bool least) {
  if (dtype.is_floating()) {
    const double most = std::numeric_limits<float>::max();
    return code.Number(dtype, least ? -most : most);
  }
  if (dtype.bits() == 64) {
    return code.Integer(
        dtype, least ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max());
  }
  const Interval range = RangeOf(dtype);
  return code.Integer(dtype, least ? range.low : range.high);
}

absl::Status BuildReducedBools(OperatorCode& code, bool start) {
  const absl::StatusOr<Reduction> reduction = Reduction::Make(code);
  if (!reduction.ok()) return reduction.status();
  if (!code.input(0).dtype.is_bool() || !code.output().dtype.is_bool())
    return UnsupportedTypes(code);
  WriteFolded(code, *reduction, code.Integer(kInt8, start ? 1 : 0),
              [&](Value result, Value element) {
                return start ? Min(result, element) : Max(result, element);
              });
  return absl::OkStatus();
}

/// The product of quantised numbers. Each product is brought to 1/n of the output's scale, so that
/// none overflows.
absl::Status BuildQuantizedProd(OperatorCode& code, const Reduction& reduction) {
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  if (reduction.count() == 0) return code.Unsupported("a product of zero elements");
  if (!HasScale(x) || !HasScale(output) || !x.dtype.is_int()) return UnsupportedScales(code);
  const double root =
      std::pow(double{output.quantization.scale()}, 1.0 / static_cast<double>(reduction.count()));
  const SingleRounding scale = ReducedMultiplier(double{x.quantization.scale()} / root);
  if (scale.shift < 1 || scale.shift > 62) return ScalesTooFarApart(code);
  Array product, is_first;
  const auto begin = [&] {
    product = code.Scalar("product", kInt32);
    is_first = code.Scalar("is_first", kInt32);
    code.Set(is_first, code.Int(1));
  };
  const auto rescaled = [&](Value wide) { return RescaleOnce(wide, scale); };
  const auto fold = [&](Value element) {
    const Value centred = Cast(kInt32, element) - x.quantization.zero_point();
    const Value wide = Cast(kInt64, code.Get(product)) * Cast(kInt64, centred);
    code.Set(product, IfThenElse(code.Get(is_first) == code.Int(1), centred, rescaled(wide)));
    code.Set(is_first, code.Int(0));
  };
  const Interval range = RangeOf(output.dtype);
  reduction.Write(code, {.begin = begin, .fold = fold, .end = [&] {
                           const Value last = rescaled(Cast(kInt64, code.Get(product))) +
                                              output.quantization.zero_point();
                           return Cast(output.dtype, Max(Min(last, range.high), range.low));
                         }});
  return absl::OkStatus();
}

}  // namespace

absl::Status BuildReduceMax(OperatorCode& code) {
  if (code.output().dtype.is_bool()) return BuildReduceAny(code);
  const absl::StatusOr<Reduction> reduction = OrderedReduction(code);
  if (!reduction.ok()) return reduction.status();
  // A NaN changes nothing: Max gives its second operand.
  WriteFolded(code, *reduction, EndOfType(code, code.output().dtype, true),
              [](Value result, Value element) { return Max(element, result); });
  return absl::OkStatus();
}

absl::Status BuildReduceMin(OperatorCode& code) {
  if (code.output().dtype.is_bool()) return BuildReduceAll(code);
  const absl::StatusOr<Reduction> reduction = OrderedReduction(code);
  if (!reduction.ok()) return reduction.status();
  WriteFolded(code, *reduction, EndOfType(code, code.output().dtype, false),
              [](Value result, Value element) { return Min(element, result); });
  return absl::OkStatus();
}

absl::Status BuildReduceAny(OperatorCode& code) { return BuildReducedBools(code, false); }
absl::Status BuildReduceAll(OperatorCode& code) { return BuildReducedBools(code, true); }

absl::Status BuildSumAlong(OperatorCode& code) {
  if (code.output().dtype.is_bool()) return BuildReduceAny(code);
  const absl::StatusOr<Reduction> reduction = Reduction::Make(code);
  if (!reduction.ok()) return reduction.status();
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  if (x.dtype != output.dtype) return UnsupportedTypes(code);
  if (x.dtype.is_integer() && x.dtype.bits() <= 16) {
    return WriteQuantizedSum(
        code, *reduction,
        ToFixedPoint(double{x.quantization.scale()} / double{output.quantization.scale()}));
  }
  WriteFolded(code, *reduction, code.Number(x.dtype, 0),
              [](Value result, Value element) { return result + element; });
  return absl::OkStatus();
}

absl::Status BuildReduceProd(OperatorCode& code) {
  if (code.output().dtype.is_bool()) return BuildReduceAll(code);
  const absl::StatusOr<Reduction> reduction = Reduction::Make(code);
  if (!reduction.ok()) return reduction.status();
  const Tensor& x = code.input(0);
  if (x.dtype != code.output().dtype) return UnsupportedTypes(code);
  if (x.quantization.exists()) return BuildQuantizedProd(code, *reduction);
  WriteFolded(code, *reduction, code.Number(x.dtype, 1),
              [](Value result, Value element) { return result * element; });
  return absl::OkStatus();
}

}  // namespace tenon::graph
