#ifndef TENON_FRONTENDS_ONNX_NODE_H_
#define TENON_FRONTENDS_ONNX_NODE_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/graph/graph.h"
#include "frontends/onnx/model.h"
#include "frontends/onnx/tensor_data.h"

namespace tenon::onnx {

struct OperatorRow;

/// A graph that grows by operators whose shapes are known at once.
class GraphBuilder {
 public:
  /// `tensors` reads constants of nodes; it may be null if there are none.
  explicit GraphBuilder(TensorReader* tensors = nullptr) : tensors_(tensors) {
    graph_.format = graph::Format::kOnnx;
  }

  TensorReader& tensors() { return *tensors_; }
  graph::Graph& graph() { return graph_; }
  const graph::Tensor& tensor(int number) const { return graph_.tensor(number); }
  /// The number of a new tensor.
  int Add(graph::Tensor tensor);
  /// A constant: `values` as elements of `dtype`.
  int Constant(DataType dtype, std::vector<int64_t> shape, std::span<const double> values);
  int Constant(DataType dtype, std::vector<int64_t> shape, std::span<const int64_t> values);
  /// The names of the graph's inputs that a tensor depends on. Empty after many calls, as each
  /// reads the whole graph.
  std::vector<std::string> InputsOf(int number);
  /// Adds an operator with outputs of these types; void stands for an absent output. Infers their
  /// shapes, and computes them if they follow from small constants. `place` is that of messages.
  /// Returns the outputs.
  absl::StatusOr<std::vector<int>> Emit(std::string_view kind, std::vector<int> inputs,
                                        graph::Attributes attributes,
                                        std::span<const DataType> types, std::string_view name,
                                        std::string_view place);

 private:
  /// Whether the outputs have no elements; their values are known then.
  bool IsEmpty(const graph::Operator& op);

  TensorReader* tensors_;
  graph::Graph graph_;
  int searches_left_ = 64;
  /// The steps that folding may still take (graph/fold.h).
  int64_t steps_ = int64_t{1} << 24;
};

/// A node of the file, for the code that converts it to operators of the graph.
class Node {
 public:
  Node(GraphBuilder& builder, const NodeProto& proto, const OperatorRow& row, std::string place,
       std::vector<int> inputs)
      : builder_(builder),
        proto_(proto),
        row_(row),
        place_(std::move(place)),
        inputs_(std::move(inputs)),
        outputs_(proto.outputs.size(), graph::kAbsent) {}

  /// Reads the attributes that the row lists, and those that inputs give. An attribute that the row
  /// lacks is Unimplemented.
  absl::Status ReadAttributes(std::span<const AttributeProto> attributes);

  const OperatorRow& row() const { return row_; }
  const std::string& place() const { return place_; }
  std::string_view op_type() const { return proto_.op_type; }

  size_t inputs() const { return inputs_.size(); }
  bool HasInput(size_t index) const {
    return index < inputs_.size() && inputs_[index] != graph::kAbsent;
  }
  /// The number of an input, or kAbsent.
  int input(size_t index) const { return HasInput(index) ? inputs_[index] : graph::kAbsent; }
  const graph::Tensor& in(size_t index) const { return builder_.tensor(inputs_[index]); }
  const graph::Tensor& tensor(int number) const { return builder_.tensor(number); }
  size_t outputs() const { return outputs_.size(); }
  bool HasOutput(size_t index) const {
    return index < proto_.outputs.size() && !proto_.outputs[index].empty();
  }
  /// The inputs that are not attributes of the row, without absent ones at the end.
  std::vector<int> Operands() const;
  /// An error unless the first `least` inputs are present and there are at most `most`.
  absl::Status CheckInputs(size_t least, size_t most) const;

  bool Has(std::string_view name) const { return attributes_.Has(name); }
  int64_t Int(std::string_view name) const { return attributes_.Int(name); }
  double Real(std::string_view name) const { return attributes_.Real(name); }
  std::string_view Text(std::string_view name) const { return attributes_.Text(name); }
  std::vector<int64_t> Ints(std::string_view name) const { return attributes_.Ints(name); }
  std::vector<double> Reals(std::string_view name) const { return attributes_.Reals(name); }
  const graph::Attributes& attributes() const { return attributes_; }
  /// The message of an attribute, for tensors; null if the node lacks it.
  const AttributeProto* Proto(std::string_view name) const;

  /// An axis counted from the front. An axis out of range is an error of the file.
  absl::StatusOr<int64_t> Axis(int64_t axis, int64_t rank) const;
  /// The integers of an input. Unimplemented if it is not a constant; `what` names it.
  absl::StatusOr<std::vector<int64_t>> Integers(size_t index, std::string_view what) const;
  /// The same for floats.
  absl::StatusOr<std::vector<double>> RealsOf(size_t index, std::string_view what) const;

  int Constant(DataType dtype, std::vector<int64_t> shape, std::span<const double> values) {
    return builder_.Constant(dtype, std::move(shape), values);
  }
  int Integers(std::span<const int64_t> values) {
    return builder_.Constant(DataType::Int(64), {static_cast<int64_t>(values.size())}, values);
  }
  int Scalar(DataType dtype, double value) {
    return builder_.Constant(dtype, {}, std::span<const double>(&value, 1));
  }
  /// Adds an operator with one output.
  absl::StatusOr<int> Emit(std::string_view kind, std::vector<int> inputs, DataType type,
                           graph::Attributes attributes = {});
  absl::StatusOr<std::vector<int>> Emit(std::string_view kind, std::vector<int> inputs,
                                        std::span<const DataType> types,
                                        graph::Attributes attributes);
  /// Adds an operator whose output is that of the node.
  absl::Status EmitOutput(std::string_view kind, std::vector<int> inputs, DataType type,
                          graph::Attributes attributes = {});
  /// The same for operators with several outputs, of the types of the node's outputs. Outputs that
  /// the node lacks are absent.
  absl::Status EmitOutputs(std::string_view kind, std::vector<int> inputs,
                           std::span<const DataType> types, graph::Attributes attributes);
  /// The output `index` is this tensor. A node may lack the output.
  void Bind(size_t index, int tensor) {
    if (index < outputs_.size()) outputs_[index] = tensor;
  }
  const std::vector<int>& bound() const { return outputs_; }

  absl::Status Wrong(std::string_view message) const;
  absl::Status Unsupported(std::string_view message) const;

  GraphBuilder& builder() { return builder_; }

 private:
  absl::Status NotKnown(size_t index, std::string_view what) const;
  /// The attribute that an input gives; `type` is `@1`, as in rows.h.
  absl::Status ReadInput(std::string_view name, std::string_view type);

  GraphBuilder& builder_;
  const NodeProto& proto_;
  const OperatorRow& row_;
  std::string place_;
  std::vector<int> inputs_;
  std::vector<int> outputs_;
  graph::Attributes attributes_;
  std::vector<AttributeProto> tensors_;
  /// Inputs that are attributes.
  std::set<size_t> settings_;
};

}  // namespace tenon::onnx

#endif  // TENON_FRONTENDS_ONNX_NODE_H_
