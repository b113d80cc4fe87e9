#ifndef TENON_FRONTENDS_TFLITE_READ_GRAPH_H_
#define TENON_FRONTENDS_TFLITE_READ_GRAPH_H_

#include <memory>

#include "absl/status/statusor.h"
#include "frontends/graph/graph.h"
#include "support/file.h"

namespace tenon::tflite {

/// The first subgraph of a .tflite file. Constants point into the file, which they keep alive. The
/// error names the table and the field that is wrong.
absl::StatusOr<graph::Graph> ReadGraph(const std::shared_ptr<const FileBytes>& file);

}  // namespace tenon::tflite

#endif  // TENON_FRONTENDS_TFLITE_READ_GRAPH_H_
