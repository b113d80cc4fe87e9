#include "frontends/graph/channels_last.h"

#include <algorithm>

#include "frontends/graph/layout_rules.h"
#include "frontends/graph/layouts.h"

namespace tenon::graph {

bool HasConvolutions(const Graph& graph) {
  return std::any_of(graph.operators.begin(), graph.operators.end(),
                     [](const Operator& op) { return LeadsLayout(op.kind); });
}

bool HasByteConvolutions(const Graph& graph) {
  return std::any_of(graph.operators.begin(), graph.operators.end(), [&](const Operator& op) {
    if (!LeadsLayout(op.kind) || op.inputs.empty() || op.inputs[0] == kAbsent) return false;
    const DataType dtype = graph.tensor(op.inputs[0]).dtype;
    return dtype.is_integer() && dtype.bits() == 8;
  });
}

Graph SetLayout(const Graph& graph, const LayoutOptions& options) {
  return Layouts(graph, options).Run();
}

}  // namespace tenon::graph
