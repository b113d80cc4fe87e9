#ifndef TENON_SUPPORT_DIAGNOSTICS_H_
#define TENON_SUPPORT_DIAGNOSTICS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/source.h"

namespace tenon {

/// What a complaint is about; its text stands in brackets behind the message.
enum class DiagnosticKind : uint8_t {
#define TENON_DIAGNOSTIC(Enumerator, text) Enumerator,
#include "support/diagnostic_kinds.def"
};

enum class Severity : uint8_t { kError, kWarning, kNote };

/// The bracketed text of a kind, for example "undefined-name".
std::string_view KindText(DiagnosticKind kind);

/// One complaint about the user's input, or a note that belongs to one. Messages start in lower
/// case, have no full stop, say what was found and then what was expected, and put code in
/// backquotes.
struct Diagnostic {
  Severity severity = Severity::kError;
  DiagnosticKind kind = DiagnosticKind::kSyntax;
  SourceRange range;
  std::string message;
  std::vector<Diagnostic> notes;
};

/// Collects what is wrong with the user's input. Whether a call worked is said by its return value;
/// what was wrong is said here. Not thread safe: give each thread its own and Append them in a
/// fixed order.
class Diagnostics {
 public:
  /// At most this many errors are kept; later ones are only counted.
  static constexpr size_t kMostErrors = 1000;

  /// Adds an error; the result takes notes and is valid until the next call.
  Diagnostic& Error(DiagnosticKind kind, SourceRange range, std::string message);
  Diagnostic& Warning(DiagnosticKind kind, SourceRange range, std::string message);
  static void AddNote(Diagnostic& diagnostic, SourceRange range, std::string message);
  void Append(Diagnostics&& other);

  size_t error_count() const { return error_count_; }
  size_t warning_count() const { return warning_count_; }
  bool has_errors() const { return error_count_ != 0; }
  const std::vector<Diagnostic>& all() const { return all_; }
  void Clear();

 private:
  Diagnostic& Add(Severity severity, DiagnosticKind kind, SourceRange range, std::string message);

  std::vector<Diagnostic> all_;
  Diagnostic dropped_;
  size_t error_count_ = 0;
  size_t warning_count_ = 0;
};

struct RenderOptions {
  /// ANSI colours, for a terminal.
  bool color = false;
};

/// `file:line:col: error: message [kind]`, the line (clipped around the place when long) and a
/// caret, then the notes. A range that is nowhere gives the message alone.
std::string Render(const SourceManager& sources, const Diagnostic& diagnostic,
                   const RenderOptions& options = {});
/// All of them in order, and a closing line `N errors` when errors had to be dropped.
std::string Render(const SourceManager& sources, const Diagnostics& diagnostics,
                   const RenderOptions& options = {});

}  // namespace tenon

#endif  // TENON_SUPPORT_DIAGNOSTICS_H_
