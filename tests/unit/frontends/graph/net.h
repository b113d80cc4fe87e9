#ifndef TENON_TESTS_UNIT_FRONTENDS_GRAPH_NET_H_
#define TENON_TESTS_UNIT_FRONTENDS_GRAPH_NET_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/graph/channels_last.h"
#include "frontends/graph/graph.h"
#include "plain_run.h"

namespace tenon::graph {

/// A graph of operators of plain_operators.def, whose shapes are known at once.
class Net {
 public:
  using Shape = std::vector<int64_t>;
  using Numbers = std::vector<double>;
  using Settings = std::vector<std::pair<std::string_view, Attributes::Value>>;

  Net() { graph_.format = Format::kOnnx; }

  /// An input of Noise, or of its integer parts.
  int In(DataType dtype, Shape shape);
  int Constant(DataType dtype, Shape shape, const Numbers& numbers);
  /// A constant of Noise.
  int Constant(DataType dtype, Shape shape);
  int State(DataType dtype, Shape shape);
  /// Adds an operator and returns its first output. The others have the numbers after it.
  int Add(std::string_view kind, std::vector<int> inputs, const Settings& settings = {},
          DataType dtype = DataType::Float(32), size_t outputs = 1);
  void SetType(int tensor, DataType dtype) {
    graph_.tensors[static_cast<size_t>(tensor)].dtype = dtype;
  }
  void Out(int tensor) { graph_.outputs.push_back(tensor); }

  const Graph& graph() const { return graph_; }
  const Shape& shape(int tensor) const { return graph_.tensor(tensor).shape; }
  /// The bytes of the inputs.
  const std::vector<std::vector<uint8_t>>& data() const { return data_; }

  /// Runs the graph as it is and with channels last; outputs must be equal, or near if they are
  /// floats. Returns the graph with channels last.
  Graph Check() const;

 private:
  int AddTensor(DataType dtype, Shape shape);
  Numbers NoiseOf(DataType dtype, const Shape& shape);

  Graph graph_;
  std::vector<std::vector<uint8_t>> data_;
  uint32_t seed_ = 1;
};

/// The kinds of the operators that outputs need, without reshapes, in their order.
std::vector<std::string> KindsOf(const Graph& graph);
/// How many of them are transposes.
int64_t TransposesOf(const Graph& graph);

}  // namespace tenon::graph

#endif  // TENON_TESTS_UNIT_FRONTENDS_GRAPH_NET_H_
