#ifndef TENON_FRONTENDS_GRAPH_OPERATOR_CODE_H_
#define TENON_FRONTENDS_GRAPH_OPERATOR_CODE_H_

#include <functional>
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
#include "ir/weight_facts.h"

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

/// The data that may be replaced after code was made: LowerGraphOptions.
struct Replaceable {
  /// Constants may be; null if not.
  WeightFacts* facts = nullptr;
  /// Scales and zero points may also be.
  bool scales = false;
};

/// The function of one operator under construction. Its parameters are the tensors that the code
/// uses, except constants: inputs first, then outputs.
class OperatorCode : public Code, public OperatorView {
 public:
  /// `name` is the name of the function, for facts. Code that runs at once replaces nothing.
  OperatorCode(Context& context, const Graph& graph, const Operator& op, GraphConstants& constants,
               std::string name = {}, Replaceable replaceable = {});

  bool has_replaceable_weights() const { return replaceable_.facts != nullptr; }
  bool has_replaceable_scales() const { return replaceable_.scales; }
  /// WeightFacts::Choose for this function; `fresh` if no constant may be replaced.
  int64_t Choose(std::string_view what, int64_t fresh, int64_t found,
                 const std::function<bool(int64_t number)>& holds) {
    return replaceable_.facts == nullptr
               ? fresh
               : replaceable_.facts->Choose(name_, what, fresh, found, holds);
  }

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
  std::string name_;
  Replaceable replaceable_;
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
