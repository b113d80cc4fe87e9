// CONCATENATION: tensors one after the other along an axis. uint8 tensors may have other scales
// than the output: a table then converts their elements.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"

namespace tenon::graph {

namespace {

bool AreLike(const Quantization& a, const Quantization& b) {
  return a.scale() == b.scale() && a.zero_point() == b.zero_point();
}

/// The elements of the output for all numbers of uint8, in float arithmetic, like TensorFlow Lite.
Array TableOf(OperatorCode& code, const Quantization& from, const Quantization& to) {
  const float scale = from.scale() * (1.0F / to.scale());
  const float offset = static_cast<float>(-from.zero_point()) * scale;
  std::vector<uint8_t> bytes;
  for (int x = 0; x < 256; ++x) {
    const float product = static_cast<float>(x) * scale;
    const double steps =
        double{std::round(product + offset)} + static_cast<double>(to.zero_point());
    bytes.push_back(static_cast<uint8_t>(std::clamp(steps, 0.0, 255.0)));
  }
  return code.Constant("table", kUInt8, {256}, std::move(bytes));
}

}  // namespace

absl::Status BuildConcatenation(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(1, code.inputs()); !status.ok()) return status;
  const Tensor& output = code.output();
  int64_t axis = code.attributes().Int("axis");
  if (axis < 0) axis += output.rank();
  if (axis < 0 || axis >= output.rank()) return code.Wrong("expected an axis of the output");
  if (code.attributes().Text("activation", "none") != "none") return UnsupportedActivation(code);
  const auto at_axis = static_cast<size_t>(axis);
  int64_t total = 0;
  for (size_t i = 0; i < code.inputs(); ++i) {
    if (!code.HasInput(i)) return code.Wrong("an input is missing");
    const Tensor& x = code.input(i);
    const bool may_differ = x.dtype == kUInt8 && HasScale(x) && HasScale(output);
    if (x.dtype != output.dtype) return UnsupportedTypes(code);
    if (x.rank() != output.rank()) {
      return code.Wrong(
          fmt::format("expected inputs of {} dimensions, found {}", output.rank(), x.TypeText()));
    }
    if (!AreLike(x.quantization, output.quantization) && !may_differ)
      return DifferentScales(code, i);
    std::vector<int64_t> shape = x.shape;
    total += shape[at_axis];
    shape[at_axis] = output.shape[at_axis];
    if (shape != output.shape) return code.Wrong("expected inputs that fit the output's shape");
  }
  if (total != output.shape[at_axis])
    return code.Wrong("expected inputs whose extents add up to the output's");
  const Array to = code.Out();
  int64_t before = 0;
  for (size_t i = 0; i < code.inputs(); ++i) {
    const Array from = code.In(i);
    const Quantization& quantization = code.input(i).quantization;
    const Array table = AreLike(quantization, output.quantization)
                            ? Array()
                            : TableOf(code, quantization, output.quantization);
    code.Grid("i", code.input(i).shape, [&](const std::vector<Value>& at) {
      std::vector<Value> there = at;
      there[at_axis] = there[at_axis] + before;
      const Value element = from.Load(at);
      code.Store(to, there, table.exists() ? table({Cast(kInt32, element)}) : element);
    });
    before += code.input(i).shape[at_axis];
  }
  return absl::OkStatus();
}

}  // namespace tenon::graph
