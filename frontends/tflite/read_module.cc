#include "frontends/tflite/read_module.h"

#include <fmt/format.h>

#include <string>

#include "frontends/tflite/read_graph.h"

namespace tenon::tflite {

std::optional<IRModule> ReadModule(Context& context, const std::shared_ptr<const FileBytes>& file,
                                   const ReadOptions& options, Diagnostics& diagnostics) {
  const absl::StatusOr<graph::Graph> graph = ReadGraph(file, options.signature);
  if (!graph.ok()) {
    diagnostics.Error(DiagnosticKind::kSyntax, {},
                      fmt::format("{}: {}", file->path(), std::string(graph.status().message())));
    return std::nullopt;
  }
  return graph::LowerGraph(context, *graph, file->path(), options, diagnostics);
}

}  // namespace tenon::tflite
