#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>

#include "compile/board_fit.h"
#include "compile/memory_figures.h"
#include "python/src/bindings.h"
#include "support/file.h"
#include "tools/backends.h"

namespace tenon::python {

namespace {

/// The result of a compilation.
struct ArtifactHandle {
  std::shared_ptr<Context> context;
  std::unique_ptr<CommandLine> line;
  std::unique_ptr<CodeGenerators> generators;
  Artifacts artifacts;
  MemoryFigures figures;
  nb::object diagnostics;
};

/// Puts the files into a package, which is the only file then. False after an error.
bool Pack(const CompileCommand& command, const std::string& model, Artifacts& artifacts,
          Diagnostics& diagnostics) {
  std::optional<Package> package = MakePackage(artifacts, PackageOptionsOf(command), diagnostics);
  if (!package) return false;
  const std::string name = (model.empty() ? "model" : model) + ".tenon";
  artifacts.files = {{Artifact::Role::kCode, PackageAsFile(*std::move(package), name)}};
  // In a package everything is linked.
  artifacts.notes.clear();
  return true;
}

std::unique_ptr<ArtifactHandle> Emit(const ModuleHandle& handle, const std::string& name,
                                     const std::vector<std::string>& words,
                                     const nb::list& generators) {
  auto result = std::make_unique<ArtifactHandle>();
  result->context = handle.context;
  result->line = ReadOptions(words);
  result->generators = GeneratorsOf(generators);
  CompileCommand& command = result->line->commands().compile;
  if (result->generators != nullptr) command.compile.run.generators = result->generators.get();
  const Backend* const backend = FindBackend(command.emit);
  if (backend == nullptr)
    Raise(
        fmt::format("this build of tenon_compiler cannot emit `{}`: it was built without LLVM; "
                    "use emit(\"c\")",
                    command.emit));
  SettleEmit(command);
  const std::string model = !command.names.empty() ? command.names[0] : name;
  Diagnostics diagnostics;
  std::optional<Artifacts> artifacts;
  {
    const nb::gil_scoped_release release;
    const CompileUnit unit = {&handle.module, handle.source, model, handle.origin};
    artifacts = Compile({&unit, 1}, command.compile, *backend, diagnostics);
    if (artifacts && command.emit == kEmitPackage && !Pack(command, model, *artifacts, diagnostics))
      artifacts.reset();
    if (artifacts && !SettleFiles(command, *artifacts, diagnostics)) artifacts.reset();
    if (artifacts) result->figures = ProgramFigures(command, *artifacts);
    const Board* const board = command.compile.board.get();
    if (artifacts && board != nullptr &&
        !CheckFit(*board, result->figures, artifacts->code_bytes, diagnostics))
      artifacts.reset();
  }
  const SourceManager& sources = handle.context->sources();
  if (!artifacts || diagnostics.has_errors()) Raise(sources, diagnostics);
  result->artifacts = *std::move(artifacts);
  result->diagnostics = DiagnosticList(sources, diagnostics);
  return result;
}

/// The contents of the files by name.
nb::dict FilesOf(const ArtifactHandle& handle) {
  nb::dict files;
  for (const Artifact& artifact : handle.artifacts.files) {
    std::string bytes = artifact.file.text;
    if (artifact.file.append) {
      const nb::gil_scoped_release release;
      const absl::Status added = artifact.file.append([&](std::string_view part) {
        bytes += part;
        return absl::OkStatus();
      });
      if (!added.ok()) {
        const nb::gil_scoped_acquire acquire;
        RaiseUnlessOk(added);
      }
    }
    files[artifact.file.name.c_str()] = nb::bytes(bytes.data(), bytes.size());
  }
  return files;
}

void WriteFiles(const ArtifactHandle& handle, const std::string& folder) {
  absl::Status written;
  {
    const nb::gil_scoped_release release;
    written = WriteFolder(folder, FolderFiles(handle.artifacts.files));
  }
  RaiseUnlessOk(written);
}

}  // namespace

void BindEmit(nb::module_& module) {
  nb::class_<ArtifactHandle>(module, "Artifact")
      .def("files", FilesOf)
      .def("write", WriteFiles, nb::arg("folder"))
      .def_ro("diagnostics", &ArtifactHandle::diagnostics)
      .def_prop_ro("prefix",
                   [](const ArtifactHandle& handle) {
                     return handle.artifacts.units.empty() ? std::string()
                                                           : handle.artifacts.units[0].abi.prefix;
                   })
      .def_prop_ro("notes", [](const ArtifactHandle& handle) { return handle.artifacts.notes; })
      .def_prop_ro("workspace_bytes",
                   [](const ArtifactHandle& handle) { return handle.figures.workspace_bytes; })
      .def_prop_ro("constant_bytes",
                   [](const ArtifactHandle& handle) { return handle.figures.constant_bytes; });
  module.def("emit", Emit, nb::arg("module"), nb::arg("name"), nb::arg("words"),
             nb::arg("generators"));
}

}  // namespace tenon::python
