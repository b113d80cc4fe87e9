#include "frontends/onnx/quantization.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "frontends/graph/plain/quantized_result.h"

namespace tenon::onnx {

using graph::Quantization;
using graph::Tensor;

std::optional<std::vector<float>> FloatsIn(const Tensor& tensor) {
  if (!tensor.data || (tensor.dtype != DataType::Float(16) && tensor.dtype != DataType::Float(32)))
    return std::nullopt;
  std::vector<float> values;
  for (int64_t i = 0; i < tensor.elements(); ++i) values.push_back(tensor.FloatAt(i));
  return values;
}

std::optional<Quantization> QuantizationOf(const graph::Graph& graph, const graph::Operator& op,
                                           int64_t axis) {
  const int scale = op.inputs[1];
  const int zero_point = op.inputs.size() > 2 ? op.inputs[2] : graph::kAbsent;
  if (scale == graph::kAbsent) return std::nullopt;
  std::optional<std::vector<float>> scales = FloatsIn(graph.tensor(scale));
  if (!scales || scales->empty() || graph.tensor(scale).rank() > 1) return std::nullopt;
  if (!std::all_of(scales->begin(), scales->end(),
                   [](float one) { return std::isfinite(one) && one > 0; }))
    return std::nullopt;
  Quantization made;
  made.zero_points.assign(scales->size(), 0);
  if (zero_point != graph::kAbsent) {
    const Tensor& zeros = graph.tensor(zero_point);
    if (!zeros.HasIntegers()) return std::nullopt;
    std::vector<int64_t> values = *zeros.Integers();
    if (values.size() == 1) values.assign(scales->size(), values[0]);
    if (values.size() != scales->size()) return std::nullopt;
    made.zero_points = std::move(values);
  }
  made.scales = *std::move(scales);
  made.axis = made.is_per_axis() ? axis : 0;
  return made;
}

bool AreEqual(const Quantization& a, const Quantization& b) {
  return a.scales == b.scales && a.zero_points == b.zero_points && a.axis == b.axis;
}

int Quantized(graph::Graph& graph, int tensor, const Quantization& quantization,
              std::string_view place, std::vector<graph::Operator>& operators) {
  Tensor& of = graph.tensors[static_cast<size_t>(tensor)];
  if (!of.quantization.exists()) of.quantization = quantization;
  if (AreEqual(of.quantization, quantization)) return tensor;
  Tensor view = of;
  view.quantization = quantization;
  view.is_state = false;
  const bool is_constant = view.data.has_value();
  graph.tensors.push_back(std::move(view));
  const int number = static_cast<int>(graph.tensors.size()) - 1;
  if (is_constant) return number;
  graph::Operator op;
  op.kind = "identity";
  op.place = std::string(place);
  op.inputs = {tensor};
  op.outputs = {number};
  operators.push_back(std::move(op));
  return number;
}

int64_t QuantizedInteger(float real, const Quantization& quantization, DataType dtype) {
  const graph::Interval range = graph::RangeOf(dtype);
  const float steps = real / quantization.scale();
  if (std::isnan(steps)) return range.low;
  return std::clamp(graph::NearestEven(steps) + quantization.zero_point(), range.low, range.high);
}

float RealOf(int64_t integer, const Quantization& quantization) {
  return static_cast<float>(integer - quantization.zero_point()) * quantization.scale();
}

void SetRounding(graph::Attributes& attributes) {
  attributes.Set(graph::plain::kRoundingAttribute, std::string(graph::plain::kOnnxruntime));
}

}  // namespace tenon::onnx
