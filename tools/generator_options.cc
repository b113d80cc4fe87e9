#include "tools/generator_options.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "byoc/generators/program/program_generator.h"
#include "support/shown_text.h"
#include "tools/options.h"

namespace tenon {

namespace {

/// The generators that an option adds, and their limits.
struct GivenGenerators {
  CodeGenerators all = CodeGenerators::BuiltIn();
  std::shared_ptr<AnswerLimits> limits = std::make_shared<AnswerLimits>();
};

absl::StatusOr<std::chrono::milliseconds> ParseTimeout(const std::string& text) {
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0' && seconds >= 0.001 && seconds <= 1e6)
    return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
  return absl::InvalidArgumentError(
      fmt::format("expected a number of seconds above 0, found `{}`", ShownText(text)));
}

}  // namespace

void AddGeneratorOptions(CLI::App& app, const CodeGenerators*& generators) {
  // The options keep the generators, and live as long as the app.
  const auto given = std::make_shared<GivenGenerators>();
  const auto parse = [given](const std::string& text) -> absl::StatusOr<GeneratorProgram> {
    absl::StatusOr<GeneratorProgram> program = ParseGeneratorProgram(text);
    if (program.ok() && given->all.Find(program->name) != nullptr) {
      return absl::InvalidArgumentError(
          fmt::format("a code generator `{}` already exists", program->name));
    }
    return program;
  };
  AddParsedOption<GeneratorProgram>(
      app, "--generator", parse,
      [given, &generators](GeneratorProgram program) {
        given->all.Add(ProgramGenerator(std::move(program), given->limits));
        generators = &given->all;
      },
      "NAME=PROGRAM", "a program that is the code generator of the targets NAME; repeatable")
      ->trigger_on_parse();
  AddParsedOption<std::chrono::milliseconds>(
      app, "--generator-timeout", ParseTimeout,
      [given](std::chrono::milliseconds time) { given->limits->time = time; }, "SECONDS",
      "how long a generator's program may take for one answer (default: 60)");
}

}  // namespace tenon
