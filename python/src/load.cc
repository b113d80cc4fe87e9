#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "byoc/known_passes.h"
#include "interp/interpreter_evaluator.h"
#include "ir/dialect.h"
#include "ir/verifier.h"
#include "passes/pipeline/runner.h"
#include "printer/printer.h"
#include "python/src/bindings.h"
#include "support/file_kind.h"
#include "tools/onnx_options.h"
#include "tools/read_model.h"

namespace tenon::python {

namespace {

using FilePtr = std::shared_ptr<const FileBytes>;

ModuleHandle LoadFile(const std::string& path, const std::vector<std::string>& words) {
  const std::unique_ptr<CommandLine> line = ReadOptions(words);
  return ReadHandle(path, line->commands().report.module);
}

ModuleHandle LoadBytes(const nb::bytes& bytes, const std::string& source,
                       const std::vector<std::string>& words) {
  const std::unique_ptr<CommandLine> line = ReadOptions(words);
  const FilePtr file = FileBytes::FromString(source, std::string(bytes.c_str(), bytes.size()));
  return ReadHandle(file, "", line->commands().report.module);
}

/// Runs a pipeline of passes, without the GIL.
ModuleHandle Apply(const ModuleHandle& handle, const std::string& text) {
  Diagnostics diagnostics;
  std::optional<IRModule> result;
  {
    const nb::gil_scoped_release release;
    const PassSet passes = KnownPasses();
    const std::optional<Pipeline> pipeline =
        ParsePipeline(*handle.context, text, passes, diagnostics);
    const InterpreterEvaluator evaluator;
    RunOptions options;
    options.evaluator = &evaluator;
    if (pipeline) result = RunPipeline(handle.module, *pipeline, options, diagnostics);
  }
  const SourceManager& sources = handle.context->sources();
  if (!result || diagnostics.has_errors()) Raise(sources, diagnostics);
  return {handle.context, *std::move(result), handle.name,
          handle.source,  handle.origin,      DiagnosticList(sources, diagnostics)};
}

std::string ModuleText(const ModuleHandle& handle, const std::string& constants,
                       const std::string& dialect) {
  const nb::gil_scoped_release release;
  PrintOptions options;
  if (constants == "elide") options.constants = ConstantsMode::kElide;
  const std::optional<Dialect> wanted = DialectOf(dialect);
  return PrintModule(wanted ? InDialect(handle.module, *wanted) : handle.module, options);
}

}  // namespace

ModuleHandle ReadHandle(const FilePtr& file, const std::string& name, ModuleInput& input) {
  input.path = file->path();
  // The reader of .onnx files refuses names that the file does not have.
  if (FileKindOf(file->view()) != FileKind::kOnnx) {
    const std::string unused = UnusedOnnxOption(input.onnx, /*has_onnx=*/false, {});
    if (!unused.empty()) Raise(unused);
  }
  auto context = std::make_shared<Context>();
  Diagnostics diagnostics;
  std::optional<IRModule> module;
  std::vector<ModelOrigin> origins;
  {
    const nb::gil_scoped_release release;
    input.origins = &origins;
    module = LoadModule(*context, input, file, diagnostics);
    input.origins = nullptr;
  }
  if (!module || diagnostics.has_errors()) Raise(context->sources(), diagnostics);
  nb::object list = DiagnosticList(context->sources(), diagnostics);
  return {std::move(context), *std::move(module),       name,
          file->path(),       std::move(origins.at(0)), std::move(list)};
}

ModuleHandle ReadHandle(const std::string& path, ModuleInput& input) {
  absl::StatusOr<FilePtr> file;
  std::string name;
  {
    const nb::gil_scoped_release release;
    file = ReadModelFile(path);
    if (file.ok() && IsGraphFile((*file)->view()))
      name = std::filesystem::path(path).stem().string();
  }
  RaiseUnlessOk(file.status());
  return ReadHandle(*file, name, input);
}

void BindLoad(nb::module_& module) {
  nb::class_<ModuleHandle>(module, "Module")
      .def_ro("name", &ModuleHandle::name)
      .def_ro("source", &ModuleHandle::source)
      .def_ro("diagnostics", &ModuleHandle::diagnostics)
      .def("apply", Apply, nb::arg("pipeline"))
      .def("text", ModuleText, nb::arg("constants"), nb::arg("dialect"));
  module.def("load_file", LoadFile, nb::arg("path"), nb::arg("words"));
  module.def("load_bytes", LoadBytes, nb::arg("data"), nb::arg("source"), nb::arg("words"));
}

}  // namespace tenon::python
