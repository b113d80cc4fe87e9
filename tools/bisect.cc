#include "tools/bisect.h"

#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <vector>

#include "printer/printer.h"
#include "support/file.h"
#include "support/programs.h"
#include "support/shown_text.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

/// The command with `"$1"` for the file.
std::string WithFile(const std::string& command) {
  constexpr std::string_view kFile = "\"$1\"";
  std::string text = command;
  size_t at = text.find("{}");
  if (at == std::string::npos) return fmt::format("{} {}", command, kFile);
  for (; at != std::string::npos; at = text.find("{}", at + kFile.size()))
    text.replace(at, 2, kFile);
  return text;
}

class Bisection {
 public:
  Bisection(std::span<const BisectStep> steps, const std::string& command, std::string folder)
      : steps_(steps), script_(WithFile(command)), folder_(std::move(folder)) {}

  /// Whether the command fails for a version.
  absl::StatusOr<bool> Fails(size_t index) {
    const BisectStep& step = steps_[index];
    const std::string name = step.pass.empty() ? "input" : step.pass;
    const std::string path = fmt::format("{}/{:03}.{}.py", folder_, index, name);
    PrintOptions print;
    print.constants = ConstantsMode::kKeep;
    print.text_folder = folder_;
    TENON_TRY(WriteFileAtomically(path, PrintModule(step.module, print) + "\n"));
    const std::string words[] = {"sh", "-c", script_, "sh", path};
    TENON_ASSIGN_OR(const int code, RunProgram(words, folder_ + "/log.txt"));
    // The shell says so if it cannot run the command.
    if (code == 126 || code == 127)
      return absl::InvalidArgumentError(
          fmt::format("--bisect: the shell cannot run `{}` (exit code {})", script_, code));
    fmt::print(stderr, "bisect: {} {}: {}\n", index == 0 ? "before" : "after",
               index == 0 ? "all passes" : fmt::format("`{}` (change {})", name, index),
               code == 0 ? "good" : fmt::format("bad, exit code {}", code));
    return code != 0;
  }

  /// The last line that the command wrote, as the end of a message; empty if it wrote nothing.
  std::string LastLine() const {
    const absl::StatusOr<std::shared_ptr<const FileBytes>> log = ReadFile(folder_ + "/log.txt");
    std::string_view text = log.ok() ? (*log)->view() : std::string_view();
    const size_t end = text.find_last_not_of(" \t\r\n");
    if (end == std::string_view::npos) return "";
    text = text.substr(0, end + 1);
    text.remove_prefix(text.find_last_of('\n') + 1);
    return fmt::format(" and says `{}`", ShownText(text));
  }

 private:
  std::span<const BisectStep> steps_;
  std::string script_;
  std::string folder_;
};

}  // namespace

absl::StatusOr<std::string> BisectPasses(std::span<const BisectStep> steps,
                                         const std::string& command) {
  TENON_ASSIGN_OR(const TemporaryFolder folder, TemporaryFolder::Create());
  Bisection bisection(steps, command, folder.path());
  TENON_ASSIGN_OR(const bool is_bad_before, bisection.Fails(0));
  if (is_bad_before)
    return absl::FailedPreconditionError(
        fmt::format("--bisect: `{}` already fails before the first pass{}; the input is wrong, or "
                    "the command: `--compare=GOOD` finds the first difference from a good module",
                    command, bisection.LastLine()));
  size_t good = 0;
  size_t bad = steps.size() - 1;
  bool is_bad_at_end = false;
  if (bad > 0) {
    TENON_ASSIGN_OR(is_bad_at_end, bisection.Fails(bad));
  }
  if (!is_bad_at_end)
    return absl::FailedPreconditionError(
        fmt::format("--bisect: `{}` does not fail after the last pass", command));
  while (bad - good > 1) {
    const size_t middle = good + (bad - good) / 2;
    TENON_ASSIGN_OR(const bool is_bad, bisection.Fails(middle));
    (is_bad ? bad : good) = middle;
  }
  return fmt::format("`{}`, change {} of {}, is the first pass after which the command fails\n",
                     steps[bad].pass, bad, steps.size() - 1);
}

}  // namespace tenon
