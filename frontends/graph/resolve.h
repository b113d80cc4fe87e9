#ifndef TENON_FRONTENDS_GRAPH_RESOLVE_H_
#define TENON_FRONTENDS_GRAPH_RESOLVE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/graph.h"

namespace tenon::graph {

/// Contradictions between the shapes of a file and those that operators give.
struct Resolution {
  /// Messages about operators whose shapes contradict each other, by their first output.
  std::map<int, std::string> wrong;
  /// Tensors that had another shape in the file.
  struct Stale {
    int tensor;
    std::string before;  ///< as Tensor::TypeText() of the file's shape
  };
  std::vector<Stale> stale;
};

/// Gives every tensor the shape that its operator makes of the operator's inputs, whatever the file
/// says. Where a shape depends on values that are not known, the file's shape stays. Operators that
/// compute integers from shapes and other known integers go, and their outputs get the values.
Resolution ResolveShapes(Graph& graph);

/// The same for one operator, which is not in the graph yet. True if it may go. Values take some of
/// `steps`, and errors are those of FoldIntegers (fold.h).
absl::StatusOr<bool> ResolveOperator(Graph& graph, const Operator& op, int64_t& steps);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_RESOLVE_H_
