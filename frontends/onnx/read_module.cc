#include "frontends/onnx/read_module.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>

#include "frontends/graph/lower_graph.h"
#include "frontends/graph/operators.h"
#include "frontends/onnx/import.h"

namespace tenon::onnx {

namespace {

/// Adds the nodes of the graph that their builders refuse.
void AddRefusals(Context& context, Import& import) {
  const graph::Graph& graph = import.graph;
  graph::GraphConstants constants(context, graph);
  std::set<std::string> known(import.refusals.begin(), import.refusals.end());
  for (const graph::Operator& op : graph.operators) {
    const graph::OperatorKind* kind = graph::FindOperatorKind(graph.format, op.kind);
    if (kind == nullptr) continue;
    graph::OperatorCode code(context, graph, op, constants);
    const absl::Status status = graph::BuildOperator(*kind, code);
    if (!absl::IsUnimplemented(status)) continue;
    std::string message(status.message());
    if (known.insert(message).second) import.refusals.push_back(std::move(message));
  }
}

DiagnosticKind KindOf(const absl::Status& status) {
  if (absl::IsUnimplemented(status)) return DiagnosticKind::kUnsupported;
  return absl::IsFailedPrecondition(status) ? DiagnosticKind::kArguments : DiagnosticKind::kSyntax;
}

}  // namespace

std::optional<IRModule> ReadModule(Context& context, const std::shared_ptr<const FileBytes>& file,
                                   const ReadOptions& options, Diagnostics& diagnostics) {
  absl::StatusOr<Import> import = ImportModel(file, options);
  if (!import.ok()) {
    diagnostics.Error(KindOf(import.status()), {},
                      fmt::format("{}: {}", file->path(), std::string(import.status().message())));
    return std::nullopt;
  }
  if (!import->stale.empty()) {
    diagnostics.Warning(
        DiagnosticKind::kSyntax, {},
        fmt::format("{}: nodes give {} of the values another shape than the file says, and theirs "
                    "counts; the first is {}",
                    file->path(), import->stale.size(), import->stale.front()));
  }
  if (!import->is_cut)
    return graph::LowerGraph(context, import->graph, file->path(), options, diagnostics);
  AddRefusals(context, *import);
  Diagnostic& error =
      diagnostics.Error(DiagnosticKind::kUnsupported, {},
                        fmt::format("{}: {} of {} operators are not supported", file->path(),
                                    import->refusals.size(), import->nodes));
  for (const std::string& refusal : graph::GroupedByNode(import->refusals))
    Diagnostics::AddNote(error, {}, refusal);
  Diagnostics::AddNote(error, {},
                       "the shapes after them are not known, so there may be more; "
                       "--allow-unsupported needs the shapes of their outputs in the file");
  return std::nullopt;
}

}  // namespace tenon::onnx
