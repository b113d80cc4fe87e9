#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontends/graph/code.h"
#include "frontends/graph/fold.h"
#include "frontends/graph/quantized.h"
#include "support/half.h"
#include "support/little_endian.h"

namespace tenon::graph {

namespace {

/// True for integers with a scale for each index of an axis.
bool HasAxisOfScales(const Tensor& x) {
  const Quantization& quantization = x.quantization;
  const auto axis = static_cast<size_t>(quantization.axis);
  return HasScales(x) && quantization.is_per_axis() && x.dtype.is_integer() &&
         x.dtype.bits() <= 16 && axis < x.shape.size() &&
         x.shape[axis] == static_cast<int64_t>(quantization.scales.size());
}

/// The index along the axis of the scales for each element; 0 if there is one scale.
class ScaleOf {
 public:
  explicit ScaleOf(const Tensor& x) : count_(static_cast<int64_t>(x.quantization.scales.size())) {
    const auto axis = static_cast<size_t>(x.quantization.axis);
    for (size_t i = axis + 1; i < x.shape.size(); ++i) inner_ *= x.shape[i];
  }
  size_t operator()(int64_t element) const {
    return static_cast<size_t>(count_ == 1 ? 0 : element / inner_ % count_);
  }

 private:
  int64_t count_;
  int64_t inner_ = 1;
};

/// The floats of a constant; nullopt if the operator must say what is wrong.
std::optional<std::vector<float>> FloatsOf(const Tensor& x) {
  std::vector<float> floats;
  floats.reserve(static_cast<size_t>(x.elements()));
  if (x.dtype == DataType::Float(16)) {
    const std::string_view bytes(reinterpret_cast<const char*>(x.data->bytes.data()),
                                 x.data->bytes.size());
    for (size_t at = 0; at < bytes.size(); at += 2)
      floats.push_back(FloatFromFloat16(LoadLittleEndian<uint16_t>(bytes.substr(at))));
    return floats;
  }
  if (!HasScale(x) && !HasAxisOfScales(x)) return std::nullopt;
  const Quantization& quantization = x.quantization;
  const ScaleOf scale_of(x);
  for (int64_t i = 0; i < x.elements(); ++i) {
    const size_t index = scale_of(i);
    const auto centred = static_cast<float>(x.IntegerAt(i) - quantization.zero_points[index]);
    floats.push_back(centred * quantization.scales[index]);
  }
  return floats;
}

bool Fold(Graph& graph, const Operator& op) {
  if (op.kind != "dequantize" || op.inputs.size() != 1 || op.outputs.size() != 1) return false;
  if (op.inputs[0] == kAbsent || op.outputs[0] == kAbsent) return false;
  const Tensor& x = graph.tensor(op.inputs[0]);
  Tensor& output = graph.tensors[static_cast<size_t>(op.outputs[0])];
  if (!x.data || output.dtype != kFloat32 || x.shape != output.shape) return false;
  const std::optional<std::vector<float>> floats = FloatsOf(x);
  if (!floats) return false;
  std::string bytes;
  bytes.reserve(floats->size() * sizeof(float));
  for (const float number : *floats) AppendLittleEndian(std::bit_cast<uint32_t>(number), &bytes);
  output.data = DataOf(std::move(bytes));
  return true;
}

}  // namespace

void FoldDequantized(Graph& graph) {
  std::erase_if(graph.operators, [&](const Operator& op) { return Fold(graph, op); });
}

}  // namespace tenon::graph
