#include "frontends/graph/channels_last.h"

#include "frontends/graph/layouts.h"

namespace tenon::graph {

Graph SetLayout(const Graph& graph, const LayoutOptions& options) {
  return Layouts(graph, options).Run();
}

}  // namespace tenon::graph
