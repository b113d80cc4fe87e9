#ifndef TENON_PYTHON_SRC_BINDINGS_H_
#define TENON_PYTHON_SRC_BINDINGS_H_

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "byoc/code_generator.h"
#include "ir/analysis/entry_signature.h"
#include "ir/module.h"
#include "support/diagnostics.h"
#include "support/file.h"
#include "tools/command_line.h"

// Each part of the Python module adds its functions and classes to the native module.
// python/tenon_compiler/ makes the public API of them.

namespace tenon::python {

namespace nb = nanobind;

/// A module with the owner of its names, texts and constants. Versions of a module share the
/// context.
struct ModuleHandle {
  std::shared_ptr<Context> context;
  IRModule module;
  /// The name of the model's file without folder and suffix; empty for text.
  std::string name;
  /// The file, or what stands for it in messages.
  std::string source;
  /// For the comments of generated files.
  ModelOrigin origin;
  /// Warnings and notes of the call that made the module, as Python objects.
  nb::object diagnostics;
};

/// A string of Python. Bytes that are not UTF-8, which hostile files may have, become `\xf7`.
nb::str TextOf(std::string_view text);

/// Raises tenon_compiler.Error with a message that has no place.
[[noreturn]] void Raise(std::string_view message);
/// Raises tenon_compiler.Error with all diagnostics.
[[noreturn]] void Raise(const SourceManager& sources, const Diagnostics& diagnostics);
inline void RaiseUnlessOk(const absl::Status& status) {
  if (!status.ok()) Raise(std::string(status.message()));
}
/// The diagnostics as a list of tenon_compiler.Diagnostic.
nb::list DiagnosticList(const SourceManager& sources, const Diagnostics& diagnostics);

/// The options of a command from its words, for example {"compile", "--target=cortex-m4", "-"}.
/// Raises tenon_compiler.Error for wrong words. The command prints nothing.
std::unique_ptr<CommandLine> ReadOptions(const std::vector<std::string>& words);

/// Raises tenon_compiler.Error for an engine that this build lacks.
[[noreturn]] void RaiseNoEngine(std::string_view engine);

/// Reads and verifies the module of a file, or of the bytes that `file` has, without the GIL.
/// Raises tenon_compiler.Error with all diagnostics.
ModuleHandle ReadHandle(const std::string& path, ModuleInput& input);
ModuleHandle ReadHandle(const std::shared_ptr<const FileBytes>& file, const std::string& name,
                        ModuleInput& input);

/// The built-in code generators and those in Python, as a list of names and functions from the text
/// of a request and the path of a folder to the text of an answer (docs/guide/generators.md). Null
/// for an empty list: the options then have the generators. Raises tenon_compiler.Error for a name
/// that is taken.
std::unique_ptr<CodeGenerators> GeneratorsOf(const nb::list& given);

/// A tensor as tenon_compiler.TensorInfo.
nb::object TensorInfoOf(const EntryTensor& tensor, const PrimFunc& entry);

void BindOptions(nb::module_& module);
void BindLoad(nb::module_& module);
void BindFunctions(nb::module_& module);
void BindRun(nb::module_& module);
void BindEmit(nb::module_& module);
void BindReport(nb::module_& module);
void BindPlan(nb::module_& module);
void BindVerify(nb::module_& module);

}  // namespace tenon::python

#endif  // TENON_PYTHON_SRC_BINDINGS_H_
