#include "tools/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

#include "support/nearest_name.h"
#include "support/shown_text.h"

namespace tenon {

namespace {

int Complain(const CLI::App& app, const UsageError& error) {
  fmt::print(stderr, "{}: error: {}\nRun `{}` for more information.\n", app.get_name(),
             EscapeControlsOfLines(error.message), error.help);
  return 1;
}

std::vector<std::string> CommandNames(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands(nullptr)) names.push_back(sub->get_name());
  names.emplace_back("help");
  return names;
}

int UnknownCommand(CLI::App& app, std::string_view name) {
  const std::vector<std::string> names = CommandNames(app);
  std::string near = DidYouMean(name, names);
  // `tenon version` is a habit of other tools.
  const std::string flag = "--" + std::string(name);
  if (near.empty() && app.get_option_no_throw(flag) != nullptr)
    near = fmt::format("; did you mean `{}`?", flag);
  if (near.empty()) near = fmt::format("; expected one of {}", fmt::join(names, ", "));
  return Complain(app, {fmt::format("unknown command `{}`{}", ShownText(name), near),
                        app.get_name() + " help"});
}

std::vector<std::string> FlagNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// The command that was given, or the program itself.
const CLI::App& GivenCommand(const CLI::App& app) {
  const std::vector<CLI::App*> given = app.get_subcommands();
  return given.empty() ? app : *given[0];
}

std::string FullName(const CLI::App& app, const CLI::App& command) {
  return &app == &command ? app.get_name() : app.get_name() + " " + command.get_name();
}

/// The command that has the flag, if another one lacks it.
std::string CommandWithFlag(const CLI::App& app, const CLI::App& command, const std::string& flag) {
  for (const CLI::App* other : app.get_subcommands(nullptr)) {
    if (other == &command || other->get_option_no_throw(flag) == nullptr) continue;
    if (other->get_name() == "compile" && command.get_name() == "report")
      return fmt::format("; use `tenon compile {}=... --report=FILE`, then `tenon report FILE`",
                         flag);
    return fmt::format("; `{}` has it", FullName(app, *other));
  }
  return "";
}

UsageError UnknownFlag(const CLI::App& app, const CLI::App& command, std::string_view argument) {
  const std::string_view flag = argument.substr(0, argument.find('='));
  // One dash in front of a long name is a habit of other tools.
  const size_t letters = std::min(flag.find_first_not_of('-'), flag.size());
  const std::string spelled = "--" + std::string(flag.substr(letters));
  const std::string name = FullName(app, command);
  std::string near = &app == &command ? "" : CommandWithFlag(app, command, spelled);
  if (near.empty()) near = DidYouMean(spelled, FlagNames(command));
  if (near.empty() && spelled == "--pipeline") near = "; `tenon-opt` runs pipelines of passes";
  return {fmt::format("unknown flag `{}` of `{}`{}", ShownText(flag), name, near),
          name + " --help-all"};
}

/// The value of the option as --help shows it: `FILE`, `packed|first_use|tvm`.
std::string FormOf(const CLI::Option& option) {
  const std::string form = option.get_option_text();
  return form.empty() ? option.get_type_name() : form;
}

/// The message for an argument or the value of a flag that is missing; empty for other errors.
std::string MissingText(const CLI::App& command, const CLI::ParseError& error) {
  const std::string message = error.what();
  for (const CLI::Option* option : command.get_options()) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError)) {
      if (!option->get_required() || option->count() > 0) continue;
      const std::string text = option->get_description();
      return fmt::format("expected {}: {}", FormOf(*option), text.substr(0, text.find(';')));
    }
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch) &&
        message.starts_with(option->get_name() + ":")) {
      if (message.find("At Most") != std::string::npos)
        return fmt::format("expected `{}` once, found it again", option->get_name());
      return fmt::format("expected a value after `{}`: {}", option->get_name(), FormOf(*option));
    }
  }
  return "";
}

}  // namespace

std::optional<int> AnswerWithoutCommand(CLI::App& app, int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "{}", app.help());
    return 1;
  }
  const std::string_view first = argv[1];
  if (first.starts_with('-')) {
    for (const CLI::Option* option : app.get_options()) {
      if (option->check_name(std::string(first))) return std::nullopt;
    }
    return Complain(app, UnknownFlag(app, app, first));
  }
  const auto find = [&](std::string_view name) -> const CLI::App* {
    const std::vector<CLI::App*> found =
        app.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == name; });
    return found.empty() ? nullptr : found[0];
  };
  if (first != "help") {
    if (find(first) != nullptr) return std::nullopt;
    return UnknownCommand(app, first);
  }
  const CLI::App* command = argc > 2 ? find(argv[2]) : &app;
  if (command == nullptr) return UnknownCommand(app, argv[2]);
  fmt::print("{}", command == &app ? app.help() : command->help(app.get_name()));
  return 0;
}

UsageError UsageErrorOf(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = GivenCommand(app);
  const std::vector<std::string> unknown = command.remaining(/*recurse=*/true);
  for (const std::string& argument : unknown) {
    if (argument.size() > 1 && argument[0] == '-') return UnknownFlag(app, command, argument);
  }
  const std::string help = FullName(app, command) + " --help";
  if (!unknown.empty())
    return {fmt::format("unexpected argument `{}`", ShownText(unknown[0])), help};
  const std::string missing = MissingText(command, error);
  return {missing.empty() ? error.what() : missing, help};
}

int AnswerParseError(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  return Complain(app, UsageErrorOf(app, error));
}

std::string FlagWithoutEffect(const CLI::App& app, std::span<const FlagRule> rules) {
  for (const FlagRule& rule : rules) {
    const CLI::Option* option = app.get_option_no_throw(rule.flag);
    if (rule.applies || option == nullptr || option->count() == 0) continue;
    return fmt::format("`{}` has an effect only {}", rule.flag, rule.when);
  }
  return "";
}

}  // namespace tenon
