// SVDF: input [n, depth], feature weights [filters, depth], time weights [filters, memory], bias
// [units], state [n, filters * memory]. Each filter keeps its last values in the state, and each
// unit sums the filters of its rank, weighted in time. Integers have time weights and a state of
// int16, as in TensorFlow Lite, or of int8, which TensorFlow Lite Micro also takes. Floats may have
// weights of int8: the input then becomes integers row by row.

#include <fmt/format.h>

#include <algorithm>

#include "frontends/graph/contraction.h"
#include "frontends/graph/elementwise.h"
#include "frontends/graph/hybrid.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"

namespace tenon::graph {

namespace {

enum Input : uint8_t { kInput, kFeature, kTime, kBias, kState };

struct SvdfShape {
  int64_t batch, depth, filters, memory, rank;
};

absl::StatusOr<SvdfShape> SvdfShapeOf(const OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(5, 5); !status.ok() && code.inputs() != 5)
    return status;
  for (const Input index : {kInput, kFeature, kTime, kState}) {
    if (!code.HasInput(index) || code.input(index).rank() != 2)
      return code.Wrong("expected input, weights and state of 2 dimensions");
  }
  const std::vector<int64_t>& x = code.input(kInput).shape;
  const std::vector<int64_t>& time = code.input(kTime).shape;
  const SvdfShape shape = {x[0], x[1], time[0], time[1], code.attributes().Int("rank")};
  const bool fits =
      shape.rank > 0 && shape.memory > 0 && shape.filters % shape.rank == 0 &&
      code.input(kFeature).shape == std::vector<int64_t>{shape.filters, x[1]} &&
      code.input(kState).elements() == x[0] * shape.filters * shape.memory &&
      code.output().elements() == x[0] * (shape.filters / shape.rank) &&
      (!code.HasInput(kBias) || code.input(kBias).elements() == shape.filters / shape.rank);
  if (!fits) return code.Wrong("expected matching shapes");
  if (!code.input(kState).is_state) return code.Wrong("expected a state that is a variable");
  return shape;
}

/// The conversion of sums to elements of the state and of the output.
struct Numbers {
  DataType sum;
  std::function<Value(Value x)> input;
  std::function<Value(const Array& sum)> state;
  /// An element of the state as a factor.
  std::function<Value(Value element)> kept;
  std::function<Value(const Array& sum)> output;
  bool is_hybrid = false;
};

/// The numbers of floats with weights of int8, or of uint8 in old files.
absl::StatusOr<Numbers> HybridNumbersOf(OperatorCode& code) {
  const bool fits = code.input(kState).dtype == kFloat32 && code.output().dtype == kFloat32 &&
                    code.input(kTime).dtype == code.input(kFeature).dtype &&
                    (!code.HasInput(kBias) || code.input(kBias).dtype == kFloat32);
  if (!fits) return UnsupportedTypes(code);
  for (const Input index : {kFeature, kTime})
    if (!IsHybridWeight(code.input(index))) return code.Wrong(kHybridWeights);
  if (const auto probe = ActivateWithoutNan(code, code.Number(kFloat32, 0)); !probe.ok())
    return probe.status();
  Numbers numbers;
  numbers.sum = kFloat32;
  numbers.kept = [](Value element) { return element; };
  numbers.output = [&code](const Array& sum) { return *ActivateWithoutNan(code, code.Get(sum)); };
  numbers.is_hybrid = true;
  return numbers;
}

absl::StatusOr<Numbers> NumbersOf(OperatorCode& code) {
  const Tensor& x = code.input(kInput);
  const Tensor& state = code.input(kState);
  const Tensor& feature = code.input(kFeature);
  const Tensor& time = code.input(kTime);
  const Tensor& output = code.output();
  const bool has_bias = code.HasInput(kBias);
  const auto all_float = {&x, &state, &feature, &time, &output};
  if (std::all_of(all_float.begin(), all_float.end(),
                  [](const Tensor* one) { return one->dtype == kFloat32; }) &&
      (!has_bias || code.input(kBias).dtype == kFloat32)) {
    if (const auto probe = ActivateWithoutNan(code, code.Number(kFloat32, 0)); !probe.ok())
      return probe.status();
    return Numbers{kFloat32, [](Value value) { return value; },
                   [&code](const Array& sum) { return code.Get(sum); },
                   [](Value element) { return element; },
                   [&code](const Array& sum) { return *ActivateWithoutNan(code, code.Get(sum)); }};
  }
  if (x.dtype == kFloat32 && (feature.dtype == kInt8 || feature.dtype == kUInt8))
    return HybridNumbersOf(code);
  if (x.dtype != kInt8 || feature.dtype != kInt8 || time.dtype != state.dtype ||
      (state.dtype != kInt8 && state.dtype != DataType::Int(16)) || output.dtype != kInt8 ||
      (has_bias && code.input(kBias).dtype != kInt32))
    return UnsupportedTypes(code);
  if (code.attributes().Text("activation") != "relu")
    return code.Unsupported(fmt::format("integers with the activation `{}`, other than `relu`",
                                        code.attributes().Text("activation")));
  for (const Tensor* tensor : all_float) {
    if (!HasScale(*tensor)) return UnsupportedScales(code);
  }
  const int64_t of_state = state.quantization.zero_point();
  if (of_state != 0 && state.dtype != kInt8)
    return code.Wrong("expected a state's zero point of 0");
  // In float arithmetic, like TensorFlow Lite.
  const float first =
      x.quantization.scale() * feature.quantization.scale() / state.quantization.scale();
  const float second =
      state.quantization.scale() * time.quantization.scale() / output.quantization.scale();
  const auto rescaled = [&code](float scale, int64_t zero_point, DataType dtype) {
    const FixedPoint fixed = ToFixedPoint(double{scale});
    const Interval range = RangeOf(dtype);
    return [&code, fixed, zero_point, dtype, range](const Array& sum) {
      const Value result = RescaleTwice(code.Get(sum), fixed) + zero_point;
      return Cast(dtype, Max(Min(result, range.high), range.low));
    };
  };
  const int64_t zero_point = x.quantization.zero_point();
  return Numbers{kInt32, [zero_point](Value value) { return Cast(kInt32, value) - zero_point; },
                 rescaled(first, 0, state.dtype),
                 [&state, of_state](Value kept) {
                   const Value whole = Cast(kInt32, FromState(state, kept));
                   return of_state == 0 ? whole : whole - of_state;
                 },
                 rescaled(second, output.quantization.zero_point(), output.dtype)};
}

/// The element of the state for a row of the input.
Value Newest(OperatorCode& code, const Numbers& numbers, int64_t depth,
             const std::function<Value(Value k)>& row,
             const std::function<Value(Value k)>& weight) {
  const Array sum = code.Scalar("sum", numbers.sum);
  code.Set(sum, code.Number(numbers.sum, 0));
  code.For("k", depth, [&](Value k) {
    const Value x = numbers.input(row(k));
    code.Set(sum, code.Get(sum) + x * Cast(numbers.sum, weight(k)));
  });
  return numbers.state(sum);
}

Value TimeWeight(OperatorCode& code, const Numbers& numbers, Value weight) {
  if (!numbers.is_hybrid) return Cast(numbers.sum, weight);
  const double scale = double{code.input(kTime).quantization.scale()};
  return Cast(kFloat32, Cast(kInt8, weight)) * code.Number(kFloat32, scale);
}

}  // namespace

absl::Status BuildSvdf(OperatorCode& code) {
  const absl::StatusOr<SvdfShape> shape = SvdfShapeOf(code);
  if (!shape.ok()) return shape.status();
  const absl::StatusOr<Numbers> numbers = NumbersOf(code);
  if (!numbers.ok()) return numbers.status();
  const int64_t batch = shape->batch, filters = shape->filters, memory = shape->memory;
  const int64_t depth = shape->depth, rank = shape->rank;
  const int64_t units = filters / rank;
  const Array from = code.In(kInput);
  const Array feature = code.In(kFeature);
  const Array time = code.In(kTime);
  const Array bias = code.HasInput(kBias) ? code.Flat(code.In(kBias), {units}) : Array();
  const Array state = code.Flat(code.In(kState), {batch, filters, memory});
  const Array to = code.Flat(code.Out(), {batch, units});
  const DataType dtype = numbers->sum;
  code.For("i0", batch, [&](Value b) {
    const auto row = [&](Value k) { return from({b, k}); };
    const QuantizedRows quantized =
        numbers->is_hybrid ? QuantizeRow(code, depth, row, RowRangeOf(code.attributes()))
                           : QuantizedRows();
    code.For("i1", filters, [&](Value f) {
      code.For("t", memory - 1, [&](Value t) {
        code.Store(state, {b, f, t}, state({b, f, t + 1}));
      });
      const auto weight = [&](Value k) { return feature({f, k}); };
      const Value newest = numbers->is_hybrid
                               ? RowProduct(code, quantized, depth, weight,
                                            code.input(kFeature).quantization.scale())
                               : Newest(code, *numbers, depth, row, weight);
      code.Store(state, {b, f, code.Int(memory - 1)}, newest);
    });
  });
  const int64_t outputs[] = {batch, units};
  code.Grid("o", outputs, [&](const std::vector<Value>& at) {
    const Array sum = code.Scalar("sum", dtype);
    code.Set(sum, bias.exists() ? bias({at[1]}) : code.Number(dtype, 0));
    code.For("r", rank, [&](Value r) {
      const Value filter = at[1] * rank + r;
      code.For("t", memory, [&](Value t) {
        const Value weight = TimeWeight(code, *numbers, time({filter, t}));
        code.Set(sum, code.Get(sum) + weight * numbers->kept(state({at[0], filter, t})));
      });
    });
    code.Store(to, {at[0], at[1]}, numbers->output(sum));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
