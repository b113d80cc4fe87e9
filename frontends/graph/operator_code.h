#ifndef TENON_FRONTENDS_GRAPH_OPERATOR_CODE_H_
#define TENON_FRONTENDS_GRAPH_OPERATOR_CODE_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "frontends/graph/code.h"
#include "frontends/graph/graph.h"
#include "ir/function.h"

namespace tenon::graph {

/// The constants of a graph as the module has them, each once.
class GraphConstants {
 public:
  GraphConstants(Context& context, const Graph& graph) : context_(context), graph_(graph) {}
  /// Of a tensor with data.
  const tenon::Constant* Of(int tensor);

 private:
  Context& context_;
  const Graph& graph_;
  std::map<int, const tenon::Constant*> constants_;
};

/// The function of one operator while it is written. Its parameters are the tensors that the code
/// uses and that are not constant: inputs first, then outputs.
class OperatorCode : public Code {
 public:
  OperatorCode(Context& context, const Graph& graph, const Operator& op, GraphConstants& constants);

  const Operator& op() const { return op_; }
  const Attributes& attributes() const { return op_.attributes; }
  size_t inputs() const { return op_.inputs.size(); }
  bool HasInput(size_t index) const {
    return index < op_.inputs.size() && op_.inputs[index] != kAbsent;
  }
  const Tensor& input(size_t index) const { return graph_.tensor(op_.inputs[index]); }
  const Tensor& output(size_t index = 0) const { return graph_.tensor(op_.outputs[index]); }
  const Tensor& tensor(int number) const { return graph_.tensor(number); }
  /// True when two inputs are one tensor.
  bool AreSame(size_t a, size_t b) const { return op_.inputs[a] == op_.inputs[b]; }

  /// The memory of a tensor. One of no dimensions has an extent of 1.
  Array In(size_t index);
  Array Out(size_t index = 0);

  /// The tensors that the function takes.
  std::vector<int> Params() const;
  /// The function. To be called once.
  const PrimFunc* FinishFunction();

  /// Counts of inputs and outputs that do not fit; `least` inputs have to be there.
  absl::Status CheckCounts(size_t least, size_t most, size_t outputs = 1) const;
  /// An error of the file.
  absl::Status Wrong(std::string_view message) const;
  /// An error for a valid construct that is not supported.
  absl::Status Unsupported(std::string_view message) const;

 private:
  struct Param {
    int tensor;
    const Var* handle;
    Array array;
  };
  Array Parameter(std::vector<Param>& params, int tensor, std::string_view name);

  const Graph& graph_;
  const Operator& op_;
  GraphConstants& constants_;
  std::vector<Param> inputs_;
  std::vector<Param> outputs_;
  std::map<int, Array> constant_arrays_;
};

/// The shape of a tensor's memory: at least one dimension.
std::vector<int64_t> MemoryShape(const Tensor& tensor);

/// The type of a parameter's data pointer, as the parser makes it: bools are stored as int8.
const Type* ParamPointer(Context& context, DataType dtype);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_OPERATOR_CODE_H_
