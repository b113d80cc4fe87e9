#include "frontends/tflite/read_module.h"

#include <fmt/format.h>

#include <string>

#include "frontends/tflite/read_graph.h"

namespace tenon::tflite {

bool IsTflite(std::string_view bytes) {
  // The offset of the root table, and then the identifier of the schema.
  return bytes.size() >= 8 && bytes.substr(4, 4) == "TFL3";
}

std::optional<IRModule> ReadModule(Context& context, const std::shared_ptr<const FileBytes>& file,
                                   const graph::LowerGraphOptions& options,
                                   Diagnostics& diagnostics) {
  const absl::StatusOr<graph::Graph> graph = ReadGraph(file);
  if (!graph.ok()) {
    diagnostics.Error(DiagnosticKind::kSyntax, {},
                      fmt::format("{}: {}", file->path(), std::string(graph.status().message())));
    return std::nullopt;
  }
  return graph::LowerGraph(context, *graph, file->path(), options, diagnostics);
}

}  // namespace tenon::tflite
