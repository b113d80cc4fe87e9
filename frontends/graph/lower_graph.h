#ifndef TENON_FRONTENDS_GRAPH_LOWER_GRAPH_H_
#define TENON_FRONTENDS_GRAPH_LOWER_GRAPH_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/graph/graph.h"
#include "ir/module.h"
#include "ir/weight_facts.h"
#include "support/diagnostics.h"

namespace tenon::graph {

/// A tensor of the file that `all_tensors` makes an output.
struct DumpedTensor {
  std::string output;  ///< the output's name
  int number = 0;      ///< of the tensor in its graph
  std::string name;    ///< in the file; empty for tensors that the file does not name
};

struct LowerGraphOptions {
  /// Operators that are not supported become calls of functions that nothing defines. Without it
  /// they are one error that lists them all.
  bool allow_unsupported = false;
  /// Every tensor that an operator writes is an output, named kDumpedTensor, the graph's number,
  /// `_` and the tensor's number. They come after the graph's outputs.
  bool all_tensors = false;
  /// Receives the outputs of `all_tensors`, in the order in which they are computed; may be null.
  std::vector<DumpedTensor>* dumped = nullptr;
  /// Constants may be replaced by others: receives the facts that code rests on; may be null.
  WeightFacts* facts = nullptr;
  /// Scales and zero points may also be replaced: code reads them, where operators support that.
  bool dynamic_scales = false;
};

inline constexpr std::string_view kDumpedTensor = "tenon_tensor_";

/// Makes a module of a graph: one function for each operator, named after it, and `main`, whose
/// parameters are the graph's inputs and outputs. Operators that no output needs are left out.
/// `source` begins all messages. Returns nullopt exactly if there was an error.
std::optional<IRModule> LowerGraph(Context& context, const Graph& graph, std::string_view source,
                                   const LowerGraphOptions& options, Diagnostics& diagnostics);

/// Messages about nodes, with one message in place of those that differ in the node's name alone:
/// "node `a` (Conv): text" and "node `b` (Conv): text" become "nodes `a`, `b` (Conv): text".
std::vector<std::string> GroupedByNode(const std::vector<std::string>& messages);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_LOWER_GRAPH_H_
