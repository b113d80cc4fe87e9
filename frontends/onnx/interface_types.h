#ifndef TENON_FRONTENDS_ONNX_INTERFACE_TYPES_H_
#define TENON_FRONTENDS_ONNX_INTERFACE_TYPES_H_

#include <set>

#include "absl/status/status.h"
#include "frontends/graph/graph.h"

namespace tenon::onnx {

/// Leaves out QuantizeLinear of inputs and DequantizeLinear of outputs: these inputs and outputs
/// become their integers, with scales. Takes those whose integers have the type, except inputs that
/// are `kept` as they are. An error if there are none.
absl::Status SetInterfaceTypes(graph::Graph& graph, DataType type, const std::set<int>& kept);

}  // namespace tenon::onnx

#endif  // TENON_FRONTENDS_ONNX_INTERFACE_TYPES_H_
