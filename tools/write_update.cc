#include "tools/write_update.h"

#include <fmt/format.h>

#include "support/shown_text.h"

namespace tenon {

namespace {

/// More sentences do not help to find the reason.
constexpr size_t kMostObstacles = 12;

void RefuseUpdate(const CompileCommand& command, const std::vector<std::string>& obstacles,
                  Diagnostics& diagnostics) {
  Diagnostic& error = diagnostics.Error(
      DiagnosticKind::kArguments, {},
      fmt::format("{}: these constants need other code than `{}` describes: also compile and "
                  "replace the code",
                  ShownText(command.paths[0]), ShownText(command.update_of)));
  for (size_t i = 0; i < obstacles.size() && i < kMostObstacles; ++i)
    Diagnostics::AddNote(error, {}, obstacles[i]);
  if (!command.compile.dynamic_scales)
    Diagnostics::AddNote(error, {},
                         "scales are part of this code; in the code of --dynamic-scales they are "
                         "data of the file");
  if (obstacles.size() > kMostObstacles)
    Diagnostics::AddNote(error, {}, fmt::format("and {} more", obstacles.size() - kMostObstacles));
}

/// The scales of the interface, for people who convert inputs.
void PrintScales(const UpdateManifest& then, const UpdateManifest& now) {
  for (size_t i = 0; i < now.scales.size(); ++i) {
    const InterfaceScale& scale = now.scales[i];
    const bool is_same = i < then.scales.size() && then.scales[i].scale == scale.scale &&
                         then.scales[i].zero_point == scale.zero_point;
    if (scale.scale == 0) continue;
    fmt::print("{}: scale {}, zero point {}{}\n", EscapeControlsOfLines(scale.name), scale.scale,
               scale.zero_point, is_same ? ", as before" : "");
  }
}

}  // namespace

std::optional<std::string> WriteUpdate(const CompileCommand& command,
                                       const std::vector<std::string>& inputs,
                                       const Artifacts& artifacts, Diagnostics& diagnostics) {
  const UpdateManifest& then = *command.update;
  const UpdateManifest& now = *artifacts.units[0].update;
  std::vector<std::string> obstacles = command.compile.weight_facts->broken();
  for (std::string& obstacle : UpdateObstacles(then, now)) obstacles.push_back(std::move(obstacle));
  if (!obstacles.empty()) {
    RefuseUpdate(command, obstacles, diagnostics);
    return std::nullopt;
  }
  for (const WeightFact& fact : now.facts)
    fmt::print("`{}`: {} {}: holds\n", EscapeControlsOfLines(fact.where), fact.what, fact.value);
  PrintScales(then, now);
  const std::string wanted = now.prefix + "_constants.safetensors";
  for (const Artifact& artifact : artifacts.files) {
    if (artifact.file.name != wanted) continue;
    const FolderFile file{command.output, artifact.file.text, artifact.file.append};
    const absl::Status written = WriteFolder(".", {}, {&file, 1}, inputs);
    if (written.ok())
      return fmt::format("the code of {} is unchanged, {}", now.prefix, command.output);
    Fail(std::string(written.message()));
    return std::nullopt;
  }
  Fail("the module has no constants");
  return std::nullopt;
}

}  // namespace tenon
