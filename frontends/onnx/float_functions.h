#ifndef TENON_FRONTENDS_ONNX_FLOAT_FUNCTIONS_H_
#define TENON_FRONTENDS_ONNX_FLOAT_FUNCTIONS_H_

#include <optional>

#include "frontends/graph/graph.h"

namespace tenon::onnx {

/// An operator of floats with one input that is not a small constant.
struct FloatFunction {
  const graph::Operator* op = nullptr;
  /// The tensor that is not constant.
  int input = graph::kAbsent;
};

/// The operator as a function of one number; nullopt for other operators. Constants must have one
/// element.
std::optional<FloatFunction> FunctionOf(const graph::Graph& graph, const graph::Operator& op);

/// The function's result, computed in float64 and rounded to float32.
float ResultOf(const graph::Graph& graph, const FloatFunction& function, float x);

}  // namespace tenon::onnx

#endif  // TENON_FRONTENDS_ONNX_FLOAT_FUNCTIONS_H_
