#include "parser/token_cursor.h"

#include <fmt/format.h>

#include "parser/constant_list.h"

namespace tenon {

void TokenCursor::Start() {
  lexer_.Next(token_);
  if (token_.kind == Tok::kBad) failed_ = true;
}

void TokenCursor::StartAt(size_t begin) {
  lexer_.RestartLine(begin);
  lexer_.Next(token_);
  while (At(Tok::kIndent)) lexer_.Next(token_);
}

std::optional<SourceRange> TokenCursor::SkipList() {
  const size_t open = token_.begin;
  const size_t close = FindListEnd(lexer_.text(), open);
  if (close == std::string_view::npos) {
    SyntaxError(DiagnosticKind::kSyntax, Here(), "`[` is not closed");
    return std::nullopt;
  }
  lexer_.set_position(close);
  Advance();  // the `]`, which closes the bracket that the lexer has open
  Advance();
  return lexer_.Range(open, close + 1);
}

void TokenCursor::SyntaxError(DiagnosticKind kind, SourceRange range, std::string message) {
  if (failed_) return;
  diagnostics_.Error(kind, range, std::move(message));
  failed_ = true;
  failed_kind_ = token_.kind;
  token_.kind = Tok::kBad;
}

void TokenCursor::SyntaxError(std::string message) {
  SyntaxError(DiagnosticKind::kSyntax, Here(), std::move(message));
}

void TokenCursor::UnexpectedToken(std::string_view expected) {
  if (failed_) return;
  const bool unclosed =
      lexer_.bracket_depth() > 0 && (token_.first_on_line || token_.kind == Tok::kEnd);
  if (!unclosed) {
    return SyntaxError(fmt::format("found {}, expected {}", Describe(lexer_, token_), expected));
  }
  const uint32_t open = lexer_.open_bracket();
  const bool at_end = token_.kind == Tok::kEnd;
  SyntaxError(DiagnosticKind::kSyntax, lexer_.Range(open, open + 1),
              fmt::format("`{}` is not closed", lexer_.text()[open]));
  // The current line is a separate statement. The end of the text is not a statement, and may be on
  // the line of the bracket.
  token_.first_on_line = !at_end;
}

void TokenCursor::Recover() {
  const Tok failed_kind = std::exchange(failed_kind_, Tok::kBad);
  if (failed_kind == Tok::kNewline) {  // the next line has not been begun
    failed_ = false;
    token_.kind = Tok::kNewline;
    return Advance();
  }
  // Open brackets end where a line starts a separate statement. No line is restarted twice, so the
  // recovery ends.
  const auto may_restart = [&](const Token& token) {
    if (!token.first_on_line || int64_t{token.begin} <= restarted_at_) return false;
    restarted_at_ = token.begin;
    return true;
  };
  if (lexer_.bracket_depth() > 0 && token_.kind == Tok::kBad && may_restart(token_)) {
    lexer_.RestartLine(token_.begin);
    failed_ = false;
    lexer_.Next(token_);
    return;
  }
  Tok previous = failed_kind;
  lexer_.set_quiet(true);  // one error is enough
  while (lexer_.bracket_depth() > 0) {
    Token token;
    lexer_.Next(token);
    if (token.kind == Tok::kEnd) break;
    const bool closes =
        token.kind == Tok::kRParen || token.kind == Tok::kRBracket || token.kind == Tok::kRBrace;
    const bool starts_item = token.kind == Tok::kDef || token.kind == Tok::kClass ||
                             token.kind == Tok::kAt || token.kind == Tok::kFor ||
                             token.kind == Tok::kWith || token.kind == Tok::kReturn;
    // After a line that ends with a colon, the next line is the body of a header with an open
    // bracket.
    const bool starts_line =
        token.first_on_line && !closes && (previous == Tok::kColon || lexer_.AtBlockLevel(token));
    previous = token.kind;
    if ((starts_item || starts_line) && may_restart(token)) {
      lexer_.set_quiet(false);
      lexer_.RestartLine(token.begin);
      failed_ = false;
      lexer_.Next(token_);
      return;
    }
  }
  lexer_.set_quiet(false);
  failed_ = false;
  if (token_.kind == Tok::kNewline) return Advance();
  lexer_.AbandonLine();
  Advance();
  if (token_.kind == Tok::kNewline) Advance();
}

void TokenCursor::EndOfStatement() {
  if (failed_) return;
  if (At(Tok::kNewline)) return Advance();
  if (At(Tok::kSemicolon)) {
    Advance();
    if (At(Tok::kNewline)) Advance();
    return;
  }
  if (At(Tok::kEnd) || At(Tok::kDedent)) return;
  UnexpectedToken("end of line");
}

void TokenCursor::SkipBlock() {
  Recover();
  for (size_t depth = 0; !At(Tok::kEnd);) {
    if (At(Tok::kIndent)) ++depth;
    if (depth == 0) return;
    if (At(Tok::kDedent) && --depth == 0) return Advance();
    Advance();
    if (failed_) Recover();
  }
}

}  // namespace tenon
