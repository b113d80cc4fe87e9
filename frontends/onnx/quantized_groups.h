#ifndef TENON_FRONTENDS_ONNX_QUANTIZED_GROUPS_H_
#define TENON_FRONTENDS_ONNX_QUANTIZED_GROUPS_H_

#include "frontends/graph/graph.h"

namespace tenon::onnx {

/// Makes operators on integers of groups: DequantizeLinear, operators of floats, QuantizeLinear.
/// Groups without such operators stay, with the reason in the attribute `in_floats` of
/// QuantizeLinear. Operators of floats stay in the graph, for other readers.
void JoinQuantizedGroups(graph::Graph& graph);

}  // namespace tenon::onnx

#endif  // TENON_FRONTENDS_ONNX_QUANTIZED_GROUPS_H_
