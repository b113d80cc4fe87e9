#ifndef TENON_TOOLS_OPERATORS_COMMAND_H_
#define TENON_TOOLS_OPERATORS_COMMAND_H_

#include <optional>
#include <string>

#include "tools/stderr_style.h"

namespace tenon {

/// The arguments of `tenon operators`.
struct OperatorsCommand {
  /// `onnx` or `tflite`; empty for both.
  std::string format;
  /// A file for the list as JSON; nothing: print it for people.
  std::optional<std::string> json;
  StderrStyle style;
};

/// Lists the operators of .onnx and .tflite files that Tenon reads. The exit code: 0, or 1 if the
/// list could not be written.
int ListOperators(const OperatorsCommand& command);

}  // namespace tenon

#endif  // TENON_TOOLS_OPERATORS_COMMAND_H_
