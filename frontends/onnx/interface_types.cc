#include "frontends/onnx/interface_types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/onnx/quantization.h"

namespace tenon::onnx {

namespace {

using graph::Operator;

class Interface {
 public:
  Interface(graph::Graph& graph, DataType type, const std::set<int>& kept)
      : graph_(graph), type_(type), kept_(kept) {}

  absl::Status Run() {
    for (const int input : graph_.inputs) MoveIntegers(input);
    for (int& input : graph_.inputs) input = IntegersOf(input);
    for (size_t i = 0; i < graph_.outputs.size(); ++i) ReplaceOutput(i);
    if (is_changed_) return absl::OkStatus();
    const std::string found =
        others_.empty() ? "none that is quantised" : fmt::format("{}", fmt::join(others_, ", "));
    return absl::InvalidArgumentError(
        fmt::format("--interface-types: expected inputs or outputs that are quantised to {}, "
                    "found {}",
                    type_.ToString(), found));
  }

 private:
  /// Whether the integers have the type.
  bool Fits(int integers) {
    const DataType dtype = graph_.tensor(integers).dtype;
    if (dtype != type_) others_.insert(dtype.ToString());
    return dtype == type_;
  }

  /// The places of the operators that read a tensor; none if it is an output of the graph.
  std::vector<size_t> ReadersOf(int tensor) const {
    std::vector<size_t> readers;
    if (std::find(graph_.outputs.begin(), graph_.outputs.end(), tensor) != graph_.outputs.end())
      return readers;
    for (size_t i = 0; i < graph_.operators.size(); ++i) {
      const std::vector<int>& inputs = graph_.operators[i].inputs;
      if (std::find(inputs.begin(), inputs.end(), tensor) != inputs.end()) readers.push_back(i);
    }
    return readers;
  }

  static bool Moves(const Operator& op, int tensor) {
    constexpr std::string_view kMovements[] = {"flatten", "reshape", "squeeze", "transpose",
                                               "unsqueeze"};
    return std::find(std::begin(kMovements), std::end(kMovements), op.kind) !=
               std::end(kMovements) &&
           op.inputs[0] == tensor && op.outputs.size() == 1 && op.guards.empty();
  }

  int AddIntegers(DataType dtype, int like) {
    graph::Tensor integers;
    integers.dtype = dtype;
    integers.shape = graph_.tensor(like).shape;
    graph_.tensors.push_back(std::move(integers));
    return static_cast<int>(graph_.tensors.size()) - 1;
  }

  /// A QuantizeLinear after operators that move an input's elements comes before them, so that the
  /// input can be integers.
  void MoveIntegers(int input) {
    constexpr size_t kMostMovements = 64;
    if (kept_.contains(input)) return;
    std::vector<size_t> movements;
    std::vector<size_t> readers = ReadersOf(input);
    int moved = input;
    while (readers.size() == 1 && Moves(graph_.operators[readers[0]], moved)) {
      movements.push_back(readers[0]);
      moved = graph_.operators[readers[0]].outputs[0];
      readers = ReadersOf(moved);
      if (movements.size() > kMostMovements) return;
    }
    if (movements.empty() || readers.size() != 1) return;
    Operator& quantize = graph_.operators[readers[0]];
    if (quantize.kind != "quantize_linear" || quantize.inputs[0] != moved ||
        !quantize.guards.empty())
      return;
    const auto quantization = QuantizationOf(graph_, quantize, 0);
    if (!quantization || quantization->is_per_axis()) return;
    const int result = quantize.outputs[0];
    const DataType dtype = graph_.tensor(result).dtype;
    int integers = AddIntegers(dtype, input);
    quantize.inputs[0] = input;
    quantize.outputs[0] = integers;
    for (const size_t place : movements) {
      Operator& movement = graph_.operators[place];
      movement.inputs[0] = integers;
      integers = place == movements.back() ? result : AddIntegers(dtype, movement.outputs[0]);
      movement.outputs[0] = integers;
    }
    const auto at = [&](size_t place) {
      return graph_.operators.begin() + static_cast<std::ptrdiff_t>(place);
    };
    std::rotate(at(movements.front()), at(readers[0]), at(readers[0] + 1));
  }

  /// The tensor of integers that replaces an input; the input if a reader needs floats.
  int IntegersOf(int input) {
    std::vector<Operator*> readers;
    for (Operator& op : graph_.operators) {
      const bool reads = std::find(op.inputs.begin(), op.inputs.end(), input) != op.inputs.end();
      if (reads) readers.push_back(&op);
    }
    const bool is_output =
        std::find(graph_.outputs.begin(), graph_.outputs.end(), input) != graph_.outputs.end();
    if (readers.empty() || is_output || kept_.contains(input)) return input;
    const int first = readers[0]->outputs.empty() ? graph::kAbsent : readers[0]->outputs[0];
    for (const Operator* reader : readers) {
      if (reader->kind != "quantize_linear" || reader->inputs[0] != input ||
          !reader->guards.empty())
        return input;
      const graph::Tensor& integers = graph_.tensor(reader->outputs[0]);
      const auto quantization = QuantizationOf(graph_, *reader, 0);
      if (!quantization || quantization->is_per_axis() || !Fits(reader->outputs[0]) ||
          integers.dtype != graph_.tensor(first).dtype)
        return input;
      graph_.tensors[static_cast<size_t>(reader->outputs[0])].quantization = *quantization;
      if (!AreEqual(integers.quantization, graph_.tensor(first).quantization)) return input;
    }
    is_changed_ = true;
    graph_.tensors[static_cast<size_t>(first)].name = graph_.tensor(input).name;
    Operator* kept = readers[0];
    for (Operator* reader : readers) {
      reader->kind = "identity";
      reader->inputs = {first};
      reader->attributes = {};
    }
    graph_.operators.erase(graph_.operators.begin() + (kept - graph_.operators.data()));
    return first;
  }

  void ReplaceOutput(size_t index) {
    const int output = graph_.outputs[index];
    for (const Operator& op : graph_.operators) {
      if (op.kind != "dequantize_linear" || op.outputs[0] != output || !op.guards.empty()) continue;
      const int integers = op.inputs[0];
      const auto quantization = QuantizationOf(graph_, op, 0);
      if (!quantization || quantization->is_per_axis() || !Fits(integers)) return;
      is_changed_ = true;
      graph_.output_names.try_emplace(index, graph_.tensor(output).name);
      graph_.outputs[index] = Quantized(graph_, integers, *quantization, op.place, views_);
      graph_.operators.insert(graph_.operators.end(), views_.begin(), views_.end());
      views_.clear();
      return;
    }
  }

  graph::Graph& graph_;
  DataType type_;
  const std::set<int>& kept_;
  bool is_changed_ = false;
  std::vector<Operator> views_;
  /// Types of integers other than the wanted one.
  std::set<std::string> others_;
};

}  // namespace

absl::Status SetInterfaceTypes(graph::Graph& graph, DataType type, const std::set<int>& kept) {
  return Interface(graph, type, kept).Run();
}

}  // namespace tenon::onnx
