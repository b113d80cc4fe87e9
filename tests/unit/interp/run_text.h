#ifndef TENON_TESTS_UNIT_INTERP_RUN_TEXT_H_
#define TENON_TESTS_UNIT_INTERP_RUN_TEXT_H_

#include <cstring>

#include "interp/interpreter.h"
#include "parser/parser.h"

namespace tenon {

inline constexpr std::string_view kHeader =
    "from tvm.script import ir as I\nfrom tvm.script import tir as T\n";

template <class T>
Tensor MakeTensor(DataType dtype, std::vector<int64_t> shape, const std::vector<T>& values) {
  Tensor tensor{dtype, std::move(shape), {}};
  tensor.bytes.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

template <class T>
std::vector<T> Values(const Tensor& tensor) {
  std::vector<T> values(tensor.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

/// The outcome of a run of a text.
struct Outcome {
  bool ok = false;
  int64_t result = 0;
  /// The first error: the kind's text, and the place `line:column` (lines without the header).
  std::string kind;
  std::string message;
  std::string place;
  std::string all;
};

/// Parses `body` (functions, or a class) and runs `function` on the tensors in order.
inline Outcome RunText(std::string_view body, std::vector<Tensor*> tensors,
                       std::string_view function = "main", InterpreterOptions options = {},
                       bool undefined = false) {
  Context context;
  Diagnostics diagnostics;
  Outcome outcome;
  const std::string text = std::string(kHeader) + std::string(body);
  const auto module = ParseModule(context, "test.py", text, nullptr, {}, diagnostics);
  if (module.has_value()) {
    const auto interpreter = Interpreter::Compile(*module, diagnostics, options);
    if (interpreter.ok()) {
      std::vector<Argument> arguments;
      for (Tensor* tensor : tensors) {
        arguments.push_back(tensor == nullptr ? Argument{} : Argument::Of(tensor, undefined));
      }
      outcome.ok = interpreter->Run(function, arguments, diagnostics, &outcome.result);
    }
  }
  outcome.all = Render(context.sources(), diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    if (diagnostic.severity != Severity::kError) continue;
    outcome.kind = KindText(diagnostic.kind);
    outcome.message = diagnostic.message;
    const SourcePlace place = context.sources().Locate(diagnostic.range.begin);
    if (place.file != nullptr) outcome.place = std::to_string(place.line - 2);
    break;
  }
  return outcome;
}

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_INTERP_RUN_TEXT_H_
