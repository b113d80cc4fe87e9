#ifndef TENON_FRONTENDS_ONNX_FOLD_REALS_H_
#define TENON_FRONTENDS_ONNX_FOLD_REALS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/graph.h"

namespace tenon::onnx {

/// Computes the output of an operator of small constants with floats among them, such as a size
/// times a scale. The results have the bits that a run would give. False if the operator must stay.
/// Takes steps, and has errors, as graph::FoldIntegers.
absl::StatusOr<bool> FoldReals(graph::Graph& graph, const graph::Operator& op, int64_t& steps);

/// The elements of a small constant of floats or integers; nullopt for other tensors.
std::optional<std::vector<double>> RealsIn(const graph::Tensor& tensor);

}  // namespace tenon::onnx

#endif  // TENON_FRONTENDS_ONNX_FOLD_REALS_H_
