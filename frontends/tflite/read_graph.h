#ifndef TENON_FRONTENDS_TFLITE_READ_GRAPH_H_
#define TENON_FRONTENDS_TFLITE_READ_GRAPH_H_

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/graph/graph.h"
#include "support/file.h"

namespace tenon::tflite {

/// The subgraph of a signature of a .tflite file, with the signature's inputs and outputs; without
/// a name the first subgraph. Constants point into the file, and keep it alive. An error names the
/// table and the field.
absl::StatusOr<graph::Graph> ReadGraph(const std::shared_ptr<const FileBytes>& file,
                                       std::string_view signature);

}  // namespace tenon::tflite

#endif  // TENON_FRONTENDS_TFLITE_READ_GRAPH_H_
