#ifndef TENON_SUPPORT_DIAGNOSTICS_H_
#define TENON_SUPPORT_DIAGNOSTICS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/source.h"

namespace tenon {

/// The kind of a diagnostic. Messages end with its text in brackets.
enum class DiagnosticKind : uint8_t {
#define TENON_DIAGNOSTIC(Enumerator, text) Enumerator,
#include "support/diagnostic_kinds.def"
};

enum class Severity : uint8_t { kError, kWarning, kNote };

/// The bracketed text of a kind, for example "undefined-name".
std::string_view KindText(DiagnosticKind kind);

/// An error in the user's input, or a note that belongs to one. Messages start in lower case, have
/// no full stop, say what was found and then what was expected, and put code in backquotes.
struct Diagnostic {
  Severity severity = Severity::kError;
  DiagnosticKind kind = DiagnosticKind::kSyntax;
  SourceRange range;
  std::string message;
  std::vector<Diagnostic> notes;
};

/// Collects errors in the user's input. The return value of a call says whether it succeeded; the
/// diagnostics say why it failed. Not thread safe: give each thread its own and Append them in a
/// fixed order.
class Diagnostics {
 public:
  /// At most this many errors are kept; later ones are only counted.
  static constexpr size_t kMostErrors = 1000;

  /// Adds an error. Notes can be added to the result, which is valid until the next call.
  Diagnostic& Error(DiagnosticKind kind, SourceRange range, std::string message);
  Diagnostic& Warning(DiagnosticKind kind, SourceRange range, std::string message);
  /// A note that belongs to no error, about something that the user may want to change.
  Diagnostic& Note(DiagnosticKind kind, SourceRange range, std::string message);
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

/// SourceManager::Add, with an error of kind `limit` instead of a status. Null after an error.
const SourceFile* AddSource(SourceManager& sources, std::string_view name, std::string_view text,
                            std::shared_ptr<const void> owner, Diagnostics& diagnostics);

struct RenderOptions {
  /// ANSI colors, for a terminal.
  bool color = false;
  /// The name before errors and warnings without a place, `tenon: error: message`; empty: none.
  std::string_view program = {};
};

/// `file:line:col: error: message [kind]`, the line (clipped around the place if it is long) and a
/// caret, then the notes. With an invalid range, the message begins with the program instead.
std::string Render(const SourceManager& sources, const Diagnostic& diagnostic,
                   const RenderOptions& options = {});
/// All diagnostics in order, and a closing line `N errors` if errors were dropped.
std::string Render(const SourceManager& sources, const Diagnostics& diagnostics,
                   const RenderOptions& options = {});

}  // namespace tenon

#endif  // TENON_SUPPORT_DIAGNOSTICS_H_
