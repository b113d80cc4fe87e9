#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "compile/link_params.h"
#include "python/src/arrays.h"
#include "python/src/bindings.h"
#include "support/nearest_name.h"
#include "tools/backends.h"
#include "tools/read_model.h"
#include "tools/verify_model.h"

namespace tenon::python {

namespace {

/// The values of inputs, as a dict of arrays by name.
GivenInputs InputsOf(const ModuleHandle& handle, const nb::dict& arrays) {
  Diagnostics diagnostics;
  const std::optional<LinkedModule> linked =
      LinkModule(handle.module, CompileOptions(), diagnostics);
  std::optional<EntrySignature> signature;
  if (linked) signature = ReadEntrySignature(linked->module, diagnostics);
  if (!signature) Raise(handle.context->sources(), diagnostics);
  GivenInputs given;
  for (const auto& [key, array] : arrays) {
    const auto name = nb::cast<std::string>(key);
    const auto found =
        std::find_if(signature->tensors.begin(), signature->tensors.end(),
                     [&](const auto& each) { return each.name == name && !each.is_output; });
    if (found == signature->tensors.end()) {
      std::vector<std::string> names;
      for (const EntryTensor& tensor : signature->tensors)
        if (!tensor.is_output) names.push_back(tensor.name);
      Raise(fmt::format("the model has no input `{}`{}", name, DidYouMean(name, names)));
    }
    ArrayMemory memory;
    memory.TakeInput(array, TensorSlot(*found));
    given[name] = {NpyDtype(found->dtype), found->shape,
                   std::string(static_cast<const char*>(memory.data()),
                               static_cast<size_t>(found->size_bytes))};
  }
  return given;
}

nb::tuple RowOf(const VerifiedTensor& tensor) {
  const auto bytes_of = [](const std::string& value) {
    return nb::bytes(value.data(), value.size());
  };
  nb::list shape;
  for (const int64_t extent : tensor.tensor.shape) shape.append(extent);
  const std::string dtype = NpyDtype(tensor.tensor.dtype);
  return nb::make_tuple(TextOf(tensor.tensor.name), dtype, nb::tuple(shape), tensor.is_output,
                        tensor.is_compared, tensor.agrees(), tensor.largest, TextOf(tensor.Text()),
                        bytes_of(tensor.got), bytes_of(tensor.expected));
}

/// Compares the module, or if it is null the file that `words` name, with the framework of that
/// file. Returns the name of the framework, and a row for each tensor.
nb::tuple Verify(const ModuleHandle* given, const std::vector<std::string>& words,
                 const nb::dict& arrays) {
  const std::unique_ptr<CommandLine> line = ReadOptions(words);
  VerifyCommand& command = line->commands().verify;
  command.keep_values = true;
  const Engine* const engine = FindEngine(command.engine);
  if (engine == nullptr) RaiseNoEngine(command.engine);
  VerifiedFile file{command.module.path};
  absl::StatusOr<FileKind> kind = VerifiedKind(file.path);
  RaiseUnlessOk(kind.status());
  file.kind = *kind;
  std::optional<ModuleHandle> read;
  if (given == nullptr) {
    command.module.tflite.all_tensors = command.tensors;
    command.module.tflite.dumped = &file.dumped;
    read = ReadHandle(file.path, command.module);
  }
  const ModuleHandle& handle = read ? *read : *given;
  const GivenInputs inputs = InputsOf(handle, arrays);
  Diagnostics diagnostics;
  absl::StatusOr<std::vector<VerifiedTensor>> tensors;
  {
    const nb::gil_scoped_release release;
    tensors = VerifyModel(command, *engine, file, handle.module, inputs, diagnostics);
  }
  if (PyErr_CheckSignals() != 0) nb::raise_python_error();
  if (diagnostics.has_errors()) Raise(handle.context->sources(), diagnostics);
  RaiseUnlessOk(tensors.status());
  nb::list rows;
  for (const VerifiedTensor& tensor : *tensors) rows.append(RowOf(tensor));
  return nb::make_tuple(TextOf(FrameworkName(file.kind)), rows);
}

}  // namespace

void BindVerify(nb::module_& module) {
  module.def("verify", Verify, nb::arg("module").none(), nb::arg("words"), nb::arg("inputs"));
}

}  // namespace tenon::python
