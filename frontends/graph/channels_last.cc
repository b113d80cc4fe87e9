#include "frontends/graph/channels_last.h"

#include <algorithm>

#include "frontends/graph/layout_rules.h"
#include "frontends/graph/layouts.h"

namespace tenon::graph {

bool HasConvolutions(const Graph& graph) {
  return std::any_of(graph.operators.begin(), graph.operators.end(),
                     [](const Operator& op) { return LeadsLayout(op.kind); });
}

Graph SetLayout(const Graph& graph, const LayoutOptions& options) {
  return Layouts(graph, options).Run();
}

}  // namespace tenon::graph
