#ifndef TENON_TESTS_UNIT_FRONTENDS_GRAPH_PLAIN_RUN_H_
#define TENON_TESTS_UNIT_FRONTENDS_GRAPH_PLAIN_RUN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/graph/graph.h"

namespace tenon::graph {

inline const DataType kBFloat16{TypeCode::kBFloat, 16};
inline const DataType kBoolean = DataType::Bool();

/// The bytes of numbers as elements of the dtype.
std::vector<uint8_t> BytesOf(DataType dtype, const std::vector<double>& numbers);

struct GraphResult {
  /// The elements and the shapes of the outputs; empty after an error.
  std::vector<std::vector<double>> outputs;
  std::vector<std::vector<int64_t>> shapes;
  /// All messages if there was an error.
  std::string error;
};

/// Runs a graph of ONNX in the interpreter. `inputs` are the bytes of its inputs.
GraphResult RunGraph(const Graph& graph, const std::vector<std::vector<uint8_t>>& inputs);

/// A graph of one operator of plain_operators.def, which the interpreter runs. Numbers are doubles,
/// which hold all tested elements exactly.
class PlainRun {
 public:
  using Shape = std::vector<int64_t>;
  using Numbers = std::vector<double>;

  explicit PlainRun(std::string_view kind);

  PlainRun& Set(std::string_view name, Attributes::Value value);
  /// The next input, known at run time or as a constant.
  PlainRun& In(DataType dtype, Shape shape, const Numbers& numbers);
  PlainRun& Constant(DataType dtype, Shape shape, const Numbers& numbers);
  /// An input or an output that is absent.
  PlainRun& NoInput();
  PlainRun& NoOutput();
  /// The next output. Its shape is inferred.
  PlainRun& Out(DataType dtype);

  /// The elements of the outputs; empty after an error.
  std::vector<Numbers> RunAll();
  /// The elements of the first output.
  Numbers Run();
  /// The shape that was inferred for an output, after a run.
  const Shape& shape(size_t output = 0) const { return shapes_[output]; }
  /// The messages of the last run; empty if there was no error.
  const std::string& error() const { return error_; }

 private:
  int AddTensor(DataType dtype, Shape shape);

  Graph graph_;
  Operator op_;
  std::vector<std::vector<uint8_t>> data_;
  std::vector<Shape> shapes_;
  std::string error_;
};

/// The message of an operator that is refused.
inline std::string ErrorOf(PlainRun run) {
  run.RunAll();
  return run.error();
}

/// `count` numbers between -2 and 2 that look random, and are multiples of 1/64, which every float
/// type holds.
std::vector<double> Noise(size_t count, uint32_t seed = 1);

/// Compares with a relative and absolute error of `most`.
void ExpectNear(const std::vector<double>& found, const std::vector<double>& wanted,
                double most = 1e-5);

}  // namespace tenon::graph

#endif  // TENON_TESTS_UNIT_FRONTENDS_GRAPH_PLAIN_RUN_H_
