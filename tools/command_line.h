#ifndef TENON_TOOLS_COMMAND_LINE_H_
#define TENON_TOOLS_COMMAND_LINE_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "support/diagnostics.h"
#include "support/source.h"
#include "tools/command_tables.h"

namespace tenon {

/// The command line of `tenon`. The program and the Python module read their options with it, so
/// that both have the same options. External code generators that words name live as long as it.
class CommandLine {
 public:
  CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// Reads the words after the program's name, such as {"compile", "--target=cortex-m4",
  /// "kws.tflite"}. InvalidArgument: the message that `tenon` prints for wrong words. Call it once.
  absl::Status Read(std::vector<std::string> words);
  /// The same for the words of a program. Prints messages, and the answers to --help and --version.
  /// Nullopt if a command follows, else the exit code.
  std::optional<int> ReadOrAnswer(int argc, char** argv);

  /// The values of the options.
  Commands& commands() { return commands_; }
  /// The command that the words name, or the command called `name`.
  const CLI::App& command() const { return *app_.get_subcommands()[0]; }
  const CLI::App& command(const std::string& name) const { return *app_.get_subcommand(name); }

 private:
  /// Sets options that follow from others, and checks those that exclude each other.
  absl::Status Settle();

  /// The choices for messages of the command.
  const StderrStyle& StyleOf(const CLI::App& command) const;

  /// Errors in files that options name.
  SourceManager sources_;
  Diagnostics errors_;
  CLI::App app_;
  Commands commands_;
  const CLI::Option* run_planner_ = nullptr;
};

}  // namespace tenon

#endif  // TENON_TOOLS_COMMAND_LINE_H_
