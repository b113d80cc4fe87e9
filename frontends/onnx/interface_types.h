#ifndef TENON_FRONTENDS_ONNX_INTERFACE_TYPES_H_
#define TENON_FRONTENDS_ONNX_INTERFACE_TYPES_H_

#include "absl/status/status.h"
#include "frontends/graph/graph.h"

namespace tenon::onnx {

/// Leaves out QuantizeLinear of inputs and DequantizeLinear of outputs: these inputs and outputs
/// become their integers, with scales. Takes those whose integers have the type. An error if
/// there are none.
absl::Status SetInterfaceTypes(graph::Graph& graph, DataType type);

}  // namespace tenon::onnx

#endif  // TENON_FRONTENDS_ONNX_INTERFACE_TYPES_H_
