#include "frontends/graph/function_key.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace tenon::graph {

namespace {

/// Constants up to this size are compared by their bytes, others by their place in memory.
constexpr size_t kSmall = 256;

std::string DataKey(const TensorData& data) {
  if (data.bytes.size() > kSmall) return fmt::format("{}", fmt::ptr(data.bytes.data()));
  return fmt::format("{}", fmt::join(data.bytes, " "));
}

std::string TensorKey(const Tensor& tensor) {
  const Quantization& quantization = tensor.quantization;
  return fmt::format("{} {} {} {} {} {}", tensor.TypeText(), tensor.is_state,
                     fmt::join(quantization.scales, " "), fmt::join(quantization.zero_points, " "),
                     quantization.axis, tensor.data ? DataKey(*tensor.data) : "");
}

}  // namespace

std::string FunctionKey(const Graph& graph, const Operator& op) {
  // Equal nodes of ONNX share a function. Operators of TensorFlow Lite share one with themselves,
  // in the turns of a loop.
  const bool has_place = graph.format == Format::kTflite;
  std::string key =
      fmt::format("{} {} {}", has_place ? op.place : "", op.kind, op.attributes.Key());
  std::vector<int> seen;
  for (const std::vector<int>* tensors : {&op.inputs, &op.outputs, &op.intermediates}) {
    key += "\n";
    for (const int number : *tensors) {
      // A function may use that two operands are the same tensor.
      size_t first = 0;
      while (first < seen.size() && seen[first] != number) ++first;
      seen.push_back(number);
      key +=
          fmt::format("{} {}\n", first, number == kAbsent ? "" : TensorKey(graph.tensor(number)));
    }
  }
  return key;
}

}  // namespace tenon::graph
