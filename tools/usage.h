#ifndef TENON_TOOLS_USAGE_H_
#define TENON_TOOLS_USAGE_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>

// The answers of tools to wrong command lines.

namespace tenon {

/// Prints an answer if the first argument is not the name of a command of `app`: no argument,
/// `help [COMMAND]`, or an unknown name. Returns the exit code, or nullopt if a command follows.
std::optional<int> AnswerWithoutCommand(CLI::App& app, int argc, char** argv);

/// An error in a command line.
struct UsageError {
  std::string message;
  /// The command that prints the right use.
  std::string help;
};

/// The error for an exception of CLI11. The message for an unknown flag names the nearest known
/// one.
UsageError UsageErrorOf(const CLI::App& app, const CLI::ParseError& error);

/// The exit code for an exception of CLI11: 0 after --help and --version, which are printed, else 1
/// after the message of UsageErrorOf.
int AnswerParseError(const CLI::App& app, const CLI::ParseError& error);

/// A flag that has an effect only together with others.
struct FlagRule {
  const char* flag;
  /// True if it has an effect with the given options.
  bool applies;
  /// Ends the sentence "... has an effect only ...".
  std::string when;
};

/// An error message for the first of `rules` whose flag was given without effect, or nothing.
std::string FlagWithoutEffect(const CLI::App& app, std::span<const FlagRule> rules);

}  // namespace tenon

#endif  // TENON_TOOLS_USAGE_H_
