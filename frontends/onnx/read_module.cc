#include "frontends/onnx/read_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontends/graph/channels_last.h"
#include "frontends/graph/lower_graph.h"
#include "frontends/graph/operators.h"
#include "frontends/onnx/import.h"
#include "frontends/onnx/tensor_data.h"
#include "support/nearest_name.h"
#include "support/shown_text.h"
#include "support/status_macros.h"

namespace tenon::onnx {

namespace {

/// Why the builder of each operator refuses it; empty for operators that are built.
std::vector<std::string> RefusalsOf(const graph::Graph& graph) {
  Context context;
  graph::GraphConstants constants(context, graph);
  std::vector<std::string> refusals;
  for (const graph::Operator& op : graph.operators) {
    std::string& refusal = refusals.emplace_back();
    const graph::OperatorKind* kind = graph::FindOperatorKind(graph.format, op.kind);
    if (kind == nullptr) continue;
    graph::OperatorCode code(context, graph, op, constants);
    const absl::Status status = graph::BuildOperator(*kind, code);
    if (absl::IsUnimplemented(status)) refusal = std::string(status.message());
  }
  return refusals;
}

/// Adds the nodes of the graph that their builders refuse.
void AddRefusals(Import& import) {
  std::set<std::string> known(import.refusals.begin(), import.refusals.end());
  for (std::string& refusal : RefusalsOf(import.graph)) {
    if (!refusal.empty() && known.insert(refusal).second)
      import.refusals.push_back(std::move(refusal));
  }
}

DiagnosticKind KindOf(const absl::Status& status) {
  if (absl::IsUnimplemented(status)) return DiagnosticKind::kUnsupported;
  return absl::IsFailedPrecondition(status) ? DiagnosticKind::kArguments : DiagnosticKind::kSyntax;
}

/// Operators that their builders refuse become functions of the program, which get tensors in the
/// layout of the file.
void KeepUnsupported(graph::Graph& graph) {
  std::vector<std::string> refusals = RefusalsOf(graph);
  for (size_t i = 0; i < refusals.size(); ++i) {
    graph::Operator& op = graph.operators[i];
    if (op.refusal.empty()) op.refusal = std::move(refusals[i]);
  }
}

/// The places of the names of an option among the graph's inputs or outputs.
absl::StatusOr<std::set<size_t>> PlacesOf(const graph::Graph& graph, const ReadOptions& options,
                                          bool is_input) {
  const auto& wanted =
      is_input ? options.inputs_with_channels_last : options.outputs_with_channels_last;
  const std::string_view option = is_input ? "--input-layout" : "--output-layout";
  const std::vector<int>& tensors = is_input ? graph.inputs : graph.outputs;
  std::vector<std::string> names;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto renamed = graph.output_names.find(i);
    const bool is_renamed = !is_input && renamed != graph.output_names.end();
    names.push_back(is_renamed ? renamed->second : graph.tensor(tensors[i]).name);
  }
  std::set<size_t> places;
  for (const std::string& name : wanted) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      if (options.used != nullptr) continue;
      return WrongOption(option, fmt::format("expected an {} of the file, found `{}`{}",
                                             is_input ? "input" : "output", ShownText(name),
                                             DidYouMean(name, names)));
    }
    if (options.used != nullptr) options.used->insert(fmt::format("{} {}", option, name));
    const auto place = static_cast<size_t>(found - names.begin());
    const graph::Tensor& tensor = graph.tensor(tensors[place]);
    if (tensor.rank() < 3) {
      return WrongOption(
          option,
          fmt::format("expected a tensor of 3 or more dimensions, which has channels, found {} "
                      "for `{}`",
                      tensor.TypeText(), ShownText(name)));
    }
    places.insert(place);
  }
  return places;
}

/// Chooses the layout of a graph.
class LayoutChoice {
 public:
  LayoutChoice(const graph::Graph& graph, std::string_view source, const ReadOptions& options)
      : graph_(graph), source_(source), options_(options) {}

  absl::StatusOr<graph::Graph> Run() {
    TENON_ASSIGN_OR(layout_.inputs, PlacesOf(graph_, options_, true));
    TENON_ASSIGN_OR(layout_.outputs, PlacesOf(graph_, options_, false));
    const graph::Graph kept = With(false);
    // Dumped tensors are those of the file.
    if (options_.layout == TensorLayout::kKeep || options_.all_tensors) return kept;
    const bool is_chosen = options_.layout == TensorLayout::kChannelsLast;
    const bool may_gain = graph::HasConvolutions(graph_) || !layout_.inputs.empty();
    if (!is_chosen && (!may_gain || !options_.workspace_of)) return kept;
    const graph::Graph last = With(true);
    if (is_chosen) return last;
    const std::optional<int64_t> before = WorkspaceOf(kept);
    const std::optional<int64_t> after = before ? WorkspaceOf(last) : std::nullopt;
    if (!after) return kept;
    // Dot products of bytes need channels last.
    const int64_t most = graph::HasByteConvolutions(graph_) ? *before : *before - 1;
    return *after <= most ? last : kept;
  }

 private:
  graph::Graph With(bool channels_last) {
    layout_.channels_last = channels_last;
    return graph::SetLayout(graph_, layout_);
  }

  /// The module is not needed later, so a Context of its own has its constants.
  std::optional<int64_t> WorkspaceOf(const graph::Graph& graph) const {
    Context context;
    Diagnostics diagnostics;
    const auto module = graph::LowerGraph(context, graph, source_, options_, diagnostics);
    return module ? options_.workspace_of(*module) : std::nullopt;
  }

  const graph::Graph& graph_;
  std::string_view source_;
  const ReadOptions& options_;
  graph::LayoutOptions layout_;
};

}  // namespace

std::optional<IRModule> ReadModule(Context& context, const std::shared_ptr<const FileBytes>& file,
                                   const ReadOptions& options, Diagnostics& diagnostics) {
  absl::StatusOr<Import> import = ImportModel(file, options);
  const auto refuse = [&](const absl::Status& status) {
    diagnostics.Error(KindOf(status), {},
                      fmt::format("{}: {}", file->path(), std::string(status.message())));
    return std::nullopt;
  };
  if (!import.ok()) return refuse(import.status());
  if (!import->stale.empty()) {
    diagnostics.Warning(
        DiagnosticKind::kSyntax, {},
        fmt::format(
            "{}: nodes give {} values shapes that differ from the file's, and replace them; "
            "the first is {}",
            file->path(), import->stale.size(), import->stale.front()));
  }
  if (!import->is_cut) {
    if (options.allow_unsupported) KeepUnsupported(import->graph);
    const absl::StatusOr<graph::Graph> graph =
        LayoutChoice(import->graph, file->path(), options).Run();
    if (!graph.ok()) return refuse(graph.status());
    return graph::LowerGraph(context, *graph, file->path(), options, diagnostics);
  }
  AddRefusals(*import);
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
