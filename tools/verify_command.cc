#include "tools/verify_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "support/shown_text.h"
#include "tools/device_dump.h"
#include "tools/verify_model.h"

namespace tenon {

namespace {

/// Prints a line for each output and tensor, and sets the closing text. The exit code is 1 if one
/// differs.
int ShowTensors(const VerifyCommand& command, FileKind kind,
                const std::vector<VerifiedTensor>& tensors, std::string& summary) {
  std::string text;
  for (const VerifiedTensor& tensor : tensors)
    text += fmt::format("{}: {}\n", ValueText(tensor.tensor, ""), tensor.Text());
  if (!WriteOutput("-", EscapeControlsOfLines(text))) return 1;
  const std::string first = FirstDifference(tensors);
  if (!first.empty())
    return Fail(fmt::format("{} is the first that differs from {}", first, FrameworkName(kind)));
  const auto compared =
      std::count_if(tensors.begin(), tensors.end(),
                    [](const VerifiedTensor& tensor) { return tensor.is_compared; });
  summary = fmt::format("{} {}{} as {} in {} run{}", compared,
                        command.tensors ? "tensor" : "output", compared == 1 ? "" : "s",
                        FrameworkName(kind), command.count, command.count == 1 ? "" : "s");
  return 0;
}

}  // namespace

int Verify(const VerifyCommand& given, const Engine& engine) {
  if (!given.device_dump.empty()) return VerifyDeviceDump(given);
  VerifyCommand command = given;
  VerifiedFile file{command.module.path};
  command.module.tflite.all_tensors = command.tensors;
  command.module.tflite.dumped = &file.dumped;
  const absl::StatusOr<FileKind> kind = VerifiedKind(file.path);
  if (!kind.ok()) return Fail(std::string(kind.status().message()));
  file.kind = *kind;
  const absl::StatusOr<GivenInputs> inputs = ReadInputs(command.inputs);
  if (!inputs.ok()) return Fail(std::string(inputs.status().message()));
  const ClosingLine closing(command.module.style);
  std::string summary;
  const int code =
      WithModule(command.module, [&](const IRModule& module, Diagnostics& diagnostics) {
        const absl::StatusOr<std::vector<VerifiedTensor>> tensors =
            VerifyModel(command, engine, file, module, *inputs, diagnostics);
        if (tensors.ok()) return ShowTensors(command, *kind, *tensors, summary);
        return tensors.status().message().empty() ? 1
                                                  : Fail(std::string(tensors.status().message()));
      });
  if (code == 0) closing.Show(summary);
  return code;
}

}  // namespace tenon
