#ifndef TENON_TOOLS_EXPECTED_DIAGNOSTICS_H_
#define TENON_TOOLS_EXPECTED_DIAGNOSTICS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostics.h"

namespace tenon {

/// One `# expected-error@+1 {{text}}` of an input: also expected-warning and expected-note.
///
/// The place is `@+N`, `@-N`, `@above`, `@below` or, without `@`, the comment's own line.
/// `@unknown` expects a diagnostic without a place. With ` at `token`` after the place, the caret
/// marks just that piece of the line, as in "# expected-error at `x + 1` {{text}}". An empty token
/// is an end of line or text. The text is a part of the message, or of the kind in brackets.
struct ExpectedDiagnostic {
  Severity severity = Severity::kError;
  uint32_t line = 0;                 ///< 0: nowhere
  std::optional<std::string> token;  ///< what the caret marks
  std::string text;
  uint32_t written_on = 0;
};

/// The expectations in a text; `errors` gets a line for each that cannot be read.
std::vector<ExpectedDiagnostic> FindExpected(std::string_view text,
                                             std::vector<std::string>& errors);

/// Pairs diagnostics (and their notes) with expectations. Returns a line for each diagnostic and
/// each expectation that has no partner.
std::vector<std::string> CompareExpected(const SourceManager& sources,
                                         const Diagnostics& diagnostics,
                                         std::vector<ExpectedDiagnostic> expected,
                                         std::string_view file);

}  // namespace tenon

#endif  // TENON_TOOLS_EXPECTED_DIAGNOSTICS_H_
