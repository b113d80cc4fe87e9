#ifndef TENON_FRONTENDS_GRAPH_OPERATOR_CODE_H_
#define TENON_FRONTENDS_GRAPH_OPERATOR_CODE_H_

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/graph/code.h"
#include "frontends/graph/graph.h"
#include "frontends/graph/operator_view.h"
#include "ir/function.h"

namespace tenon::graph {

/// The constants of a graph in the module, each once.
class GraphConstants {
 public:
  GraphConstants(Context& context, const Graph& graph) : context_(context), graph_(graph) {}
  /// The constant of a tensor with data.
  const tenon::Constant* Of(int tensor);

 private:
  Context& context_;
  const Graph& graph_;
  std::map<int, const tenon::Constant*> constants_;
};

/// The function of one operator under construction. Its parameters are the tensors that the code
/// uses, except constants: inputs first, then outputs.
class OperatorCode : public Code, public OperatorView {
 public:
  OperatorCode(Context& context, const Graph& graph, const Operator& op, GraphConstants& constants);

  /// The memory of a tensor. A tensor without dimensions has an extent of 1.
  Array In(size_t index);
  Array Out(size_t index = 0);

  /// Remembers why the code of a quantised operator has floating point.
  void Note(std::string_view text) { notes_.emplace_back(text); }
  const std::vector<std::string>& notes() const { return notes_; }

  /// The tensors that are parameters of the function.
  std::vector<int> Params() const;
  /// The finished function. Must be called once.
  const PrimFunc* FinishFunction();

 private:
  struct Param {
    int tensor;
    const Var* handle;
    Array array;
  };
  Array Parameter(std::vector<Param>& params, int number, std::string_view name);

  GraphConstants& constants_;
  std::vector<Param> inputs_;
  std::vector<Param> outputs_;
  std::map<int, Array> constant_arrays_;
  std::vector<std::string> notes_;
};

/// A constant of int32.
Array IntConstant(Code& code, std::string_view name, std::span<const int32_t> values);
/// A constant of float32.
Array FloatConstant(Code& code, std::string_view name, std::span<const float> values);

/// The shape of a tensor's memory: at least one dimension.
std::vector<int64_t> MemoryShape(const Tensor& tensor);

/// The type of a parameter's data pointer, as in parsed text: bools are stored as int8.
const Type* ParamPointer(Context& context, DataType dtype);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_OPERATOR_CODE_H_
