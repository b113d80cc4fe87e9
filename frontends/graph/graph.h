#ifndef TENON_FRONTENDS_GRAPH_GRAPH_H_
#define TENON_FRONTENDS_GRAPH_GRAPH_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/dtype.h"

// A graph of operators over tensors: what files of models hold, without their format. Readers of
// formats make graphs, and lower_graph.h makes modules of them.

namespace tenon::graph {

/// The numbers that integers stand for: `scale * (q - zero_point)`. There is one scale for the
/// tensor, or one for each index of the axis.
struct Quantization {
  std::vector<float> scales;
  std::vector<int64_t> zero_points;  ///< as many as scales
  int64_t axis = 0;
  /// There are scales for blocks of rows, which only the file has.
  bool has_blocks = false;

  bool exists() const { return !scales.empty(); }
  bool is_per_axis() const { return scales.size() > 1; }
  /// Of a tensor with one scale.
  float scale() const { return scales.empty() ? 0.0F : scales[0]; }
  int64_t zero_point() const { return zero_points.empty() ? 0 : zero_points[0]; }
};

/// The value of a tensor that does not depend on inputs: elements in C order, little endian.
struct TensorData {
  std::span<const uint8_t> bytes;
  std::shared_ptr<const void> owner;
  bool is_mapped = false;
};

/// Elements that the data own: their bytes, or integers of a dtype.
TensorData DataOf(std::string bytes);
TensorData DataOf(std::span<const int64_t> integers, DataType dtype);

struct Tensor {
  std::string name;
  DataType dtype;
  std::vector<int64_t> shape;
  Quantization quantization;
  std::optional<TensorData> data;
  /// It keeps its value between runs, and is 0 at first.
  bool is_state = false;
  /// Why no operator can use it: `has the type STRING`; empty for other tensors.
  std::string unsupported = {};
  /// It belongs to a graph that an operator runs.
  bool is_inner = false;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t elements() const;
  /// Whether its value is known and has integers.
  bool HasIntegers() const { return data.has_value() && dtype.is_integer(); }
  /// An element of a tensor that HasIntegers().
  int64_t IntegerAt(int64_t index) const;
  /// An element of a constant of float16 or float32.
  float FloatAt(int64_t index) const;
  /// All elements of a tensor that HasIntegers(); nullopt for other tensors. For small tensors:
  /// each takes 8 bytes.
  std::optional<std::vector<int64_t>> Integers() const;
  /// `int8[1, 49, 10, 1]`.
  std::string TypeText() const;
};

/// `name` with what no identifier has replaced by `_`; `otherwise` when nothing is left.
std::string IdentifierOf(std::string_view name, std::string_view otherwise);

/// The identifier of a tensor within the program: the file's name of it. Converters join the names
/// of operators that they fused by `;`, of which the first one counts.
std::string IdentifierOf(const Tensor& tensor, std::string_view otherwise);

/// Formats of files. They name operators differently, and round integers by different rules.
enum class Format : uint8_t { kTflite, kOnnx };

/// The named settings of an operator.
class Attributes {
 public:
  using Value =
      std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>>;

  void Set(std::string_view name, Value value);
  /// The setting `name`, or `otherwise` when the operator does not have it.
  int64_t Int(std::string_view name, int64_t otherwise = 0) const;
  double Real(std::string_view name, double otherwise = 0) const;
  std::string_view Text(std::string_view name, std::string_view otherwise = {}) const;
  /// Empty if the operator does not have it.
  std::vector<int64_t> Ints(std::string_view name) const;
  std::vector<double> Reals(std::string_view name) const;
  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  /// All settings. Two texts are equal if and only if the settings are.
  std::string Key() const;

 private:
  const Value* Find(std::string_view name) const;

  std::map<std::string, Value, std::less<>> values_;
};

/// The number of a tensor that an operator goes without.
inline constexpr int kAbsent = -1;

/// A condition under which an operator runs: a tensor of one bool, and the value that it must have.
struct Guard {
  int condition = kAbsent;
  bool holds = true;

  bool operator==(const Guard&) const = default;
};

struct Operator {
  /// The kind, one of operators.def or plain_operators.def: `conv_2d`. Other kinds are not
  /// supported.
  std::string kind;
  /// The name in the file: `CONV_2D`.
  std::string name;
  /// Its place in the file: `subgraphs[0].operators[3] (CONV_2D)`.
  std::string place;
  std::vector<int> inputs;  ///< tensors by their numbers, or kAbsent
  std::vector<int> outputs;
  Attributes attributes;
  /// Tensors without elements, whose quantisation is that of numbers within the operator.
  std::vector<int> intermediates = {};
  /// Why this operator of a supported kind is not supported; otherwise empty.
  std::string refusal = {};
  /// It changes variables, so no external function can stand for it.
  bool has_effects = false;
  /// The branches that it is in, the outermost first.
  std::vector<Guard> guards = {};
};

/// Operators in an order in which they can run. Each tensor is a constant, a state, an input, or
/// the output of one operator, or of one in each branch.
struct Graph {
  Format format = Format::kTflite;
  std::string name;
  /// Its place among the graphs of a file.
  int number = 0;
  std::vector<Tensor> tensors;
  std::vector<Operator> operators;
  std::vector<int> inputs;
  std::vector<int> outputs;
  /// Names of outputs in place of their tensors' names, by their places. Outputs of one tensor may
  /// have several names.
  std::map<size_t, std::string> output_names = {};

  const Tensor& tensor(int number) const { return tensors[static_cast<size_t>(number)]; }
};

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_GRAPH_H_
