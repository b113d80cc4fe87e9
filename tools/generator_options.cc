#include "tools/generator_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "byoc/generators/program/program_generator.h"
#include "support/shown_text.h"
#include "tools/find_program.h"
#include "tools/options.h"

namespace tenon {

namespace {

/// A generator that comes with Tenon as a program, so that only this program needs its library.
constexpr std::string_view kOnednn = "onednn";

/// The generators of the options, and their limits.
struct GivenGenerators {
  CodeGenerators all = CodeGenerators::BuiltIn();
  std::shared_ptr<AnswerLimits> limits = std::make_shared<AnswerLimits>();
  /// The folder for copies of requests and answers.
  std::shared_ptr<std::string> record = std::make_shared<std::string>();
  /// Whether an option names another program for kOnednn.
  bool has_own_onednn = false;

  GivenGenerators() {
    GeneratorProgram program;
    program.name = std::string(kOnednn);
    program.words = {ProgramBesideThis("tenon-onednn")};
    program.if_missing =
        "tenon-onednn is built if oneDNN is installed: scripts/setup.sh byoc, or libdnnl-dev";
    all.Add(ProgramGenerator(std::move(program), limits, record));
  }
  bool IsTaken(std::string_view name) const {
    return all.Find(name) != nullptr && (name != kOnednn || has_own_onednn);
  }
  void Add(GeneratorProgram program) {
    has_own_onednn |= program.name == kOnednn;
    all.MarkGiven(program.name);
    all.Replace(ProgramGenerator(std::move(program), limits, record));
  }
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

bool NamesGeneratorProgram(const CLI::App& app, std::string_view targets) {
  return app.count("--generator") > 0 || targets.find(kOnednn) != std::string_view::npos;
}

bool NamesGeneratorProgram(const CLI::App& app, const std::vector<std::string>& targets) {
  return NamesGeneratorProgram(app, fmt::format("{}", fmt::join(targets, ",")));
}

void AddGeneratorOptions(CLI::App& app, const CodeGenerators*& generators) {
  // The options keep the generators, and live as long as the app.
  const auto given = std::make_shared<GivenGenerators>();
  generators = &given->all;
  const auto parse = [given](const std::string& text) -> absl::StatusOr<GeneratorProgram> {
    absl::StatusOr<GeneratorProgram> program = ParseGeneratorProgram(text);
    if (program.ok() && given->IsTaken(program->name)) {
      return absl::InvalidArgumentError(
          fmt::format("a code generator `{}` already exists", program->name));
    }
    return program;
  };
  AddParsedOption<GeneratorProgram>(
      app, "--generator", parse,
      [given](GeneratorProgram program) { given->Add(std::move(program)); }, "NAME=PROGRAM",
      "a program that is the code generator of the targets NAME, NAME:0 and so on; repeatable")
      ->trigger_on_parse();
  AddParsedOption<std::chrono::milliseconds>(
      app, "--generator-timeout", ParseTimeout,
      [given](std::chrono::milliseconds time) { given->limits->time = time; }, "SECONDS",
      "how long a generator's program may take for one answer (default: 60)");
  app.add_option(
         "--generator-record", *given->record,
         "write each request to a generator's program, its files and the answer to a folder "
         "of their own in this folder")
      ->type_name("FOLDER");
}

}  // namespace tenon
