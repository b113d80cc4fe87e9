#ifndef TENON_TOOLS_STDERR_STYLE_H_
#define TENON_TOOLS_STDERR_STYLE_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "support/diagnostics.h"
#include "support/source.h"

// Messages on stderr: colours, the number of diagnostics, and the closing line of a command.

namespace CLI {
class App;
}

namespace tenon {

class DiagnosticLog;

enum class ColorChoice : uint8_t { kAuto, kAlways, kNever };

/// The choices of the command line.
struct StderrStyle {
  /// The program that messages without a place begin with.
  std::string program = "tenon";
  ColorChoice color = ColorChoice::kAuto;
  /// No notes, no progress and no closing line.
  bool quiet = false;
  /// Where diagnostics go instead of stderr; null: to stderr, as text.
  std::shared_ptr<DiagnosticLog> log;
};

/// Adds --color, and notes the program's name.
void AddColorOption(CLI::App& app, StderrStyle& style);
/// Adds --diagnostics.
void AddDiagnosticsOption(CLI::App& app, StderrStyle& style);
/// Adds -q, --quiet.
void AddQuietOption(CLI::App& app, StderrStyle& style);

/// Whether stderr is a terminal that follows control sequences, which TERM=dumb is not.
bool HasSmartTerminal();
/// Whether messages have colours. By default on a terminal, unless NO_COLOR has a value
/// (https://no-color.org).
bool ColorsStderr(const StderrStyle& style);

/// Adds diagnostics to the log, or prints them to stderr: at most 20, each with at most 20 notes,
/// then the number of the others.
void ShowDiagnostics(const SourceManager& sources, const Diagnostics& diagnostics,
                     const StderrStyle& style);

/// Prints `<program>: note: text`, unless the command is quiet.
void ShowNote(std::string_view text, const StderrStyle& style);

/// Prints a line after the closing line, unless the command is quiet.
void ShowLine(std::string_view text, const StderrStyle& style);

/// The clock of a command, and its closing line.
class ClosingLine {
 public:
  explicit ClosingLine(const StderrStyle& style)
      : is_quiet_(style.quiet), start_(std::chrono::steady_clock::now()) {}
  double Seconds() const;
  /// Prints `what`, `link` and the time, unless the command is quiet.
  void Show(std::string_view what, std::string_view link = ", ") const;

 private:
  bool is_quiet_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace tenon

#endif  // TENON_TOOLS_STDERR_STYLE_H_
