#ifndef TENON_FRONTENDS_ONNX_IMPORT_H_
#define TENON_FRONTENDS_ONNX_IMPORT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/graph.h"
#include "frontends/onnx/read_options.h"
#include "support/file.h"

namespace tenon::onnx {

/// A graph, and the nodes that Tenon does not support.
struct Import {
  graph::Graph graph;
  /// `node "conv1" (Conv): the reason`.
  std::vector<std::string> refusals;
  /// Values of another shape than the file says: "`y`: float32[2, 3] instead of [6]".
  std::vector<std::string> stale;
  /// Nodes that were read.
  int64_t nodes = 0;
  /// The shapes of refused nodes are not known, so nodes after them are not in the graph.
  bool is_cut = false;
};

/// The graph of an .onnx file with static shapes. Constants point into the file, and keep it alive.
/// An error names the message or the node.
absl::StatusOr<Import> ImportModel(const std::shared_ptr<const FileBytes>& file,
                                   const ReadOptions& options);

}  // namespace tenon::onnx

#endif  // TENON_FRONTENDS_ONNX_IMPORT_H_
