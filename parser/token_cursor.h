#ifndef TENON_PARSER_TOKEN_CURSOR_H_
#define TENON_PARSER_TOKEN_CURSOR_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/lexer.h"

namespace tenon {

/// A place in the text to return to, within one statement.
struct LexerMark {
  Token token;
  size_t position;
  std::vector<uint32_t> brackets;
};

/// The current token of the text. After an error the cursor stays on a token that fits nothing,
/// until Recover() finds the next statement. So one error gives one message.
class TokenCursor {
 public:
  TokenCursor(std::string_view text, uint32_t base, NameTable& names, Diagnostics& diagnostics)
      : lexer_(text, base, names, diagnostics), diagnostics_(diagnostics), base_(base) {}

  /// Reads the first token.
  void Start();
  /// Goes to the statement whose line contains the byte `begin` of the text.
  void StartAt(size_t begin);

  const Token& token() const { return token_; }
  bool failed() const { return failed_; }
  /// The end of the previous token, in the source manager's space.
  uint32_t previous_end() const { return previous_end_; }
  bool At(Tok kind) const { return token_.kind == kind; }
  SourceRange Here() const { return lexer_.Range(token_); }
  SourceRange Since(SourceRange start) const { return {start.begin, previous_end_}; }
  SourceRange RangeOf(const Token& token) const { return lexer_.Range(token); }
  std::string_view Text() const { return lexer_.Text(token_); }
  std::string_view Text(const Token& token) const { return lexer_.Text(token); }
  /// The token's name for messages: "`for`", "end of line", ...
  std::string DescribeToken() const { return Describe(lexer_, token_); }
  char PeekChar() const { return lexer_.PeekChar(); }
  size_t bracket_depth() const { return lexer_.bracket_depth(); }
  size_t indent_depth() const { return lexer_.indent_depth(); }
  const std::vector<std::pair<std::string_view, std::string_view>>& aliases() const {
    return lexer_.aliases();
  }

  void Advance() {
    if (failed_) return;
    previous_end_ = base_ + token_.end;
    lexer_.Next(token_);
    if (token_.kind == Tok::kBad) [[unlikely]]
      failed_ = true;  // the lexer has reported the error
  }
  bool Accept(Tok kind) {
    if (token_.kind != kind) return false;
    Advance();
    return true;
  }
  bool Expect(Tok kind, std::string_view what) {
    if (token_.kind != kind) [[unlikely]] {
      UnexpectedToken(what);
      return false;
    }
    Advance();
    return !failed_;
  }
  void EndOfStatement();
  LexerMark MarkHere() const { return {token_, lexer_.position(), lexer_.brackets()}; }
  void GoTo(const LexerMark& mark) {
    token_ = mark.token;
    lexer_.GoTo(mark.position, mark.brackets);
  }
  /// Reads again from `token`, which is on the same line.
  void Rewind(const Token& token) {
    lexer_.set_position(token.begin);
    lexer_.Next(token_);
  }
  /// Moves from the current `[` to after its `]`, without reading the elements. Nullopt after an
  /// error.
  std::optional<SourceRange> SkipList();
  /// Calls `read` on the bytes [begin, end) of the text, which are on the current line, as if the
  /// text ended there. Returns to the current token, unless `read` failed.
  template <class F>
  void ReadInside(size_t begin, size_t end, F&& read);

  /// Reports the current token, and gives the statement up.
  void SyntaxError(std::string message);
  void SyntaxError(DiagnosticKind kind, SourceRange range, std::string message);
  void UnexpectedToken(std::string_view expected);
  /// Gives up a statement whose error is already reported.
  void GiveUp() {
    failed_ = true;
    failed_kind_ = token_.kind;
  }
  /// Continues after a statement with an error.
  void Recover();
  /// Skips the indented block below a line without a meaning here.
  void SkipBlock();

 private:
  Lexer lexer_;
  Diagnostics& diagnostics_;
  uint32_t base_;
  Token token_;
  uint32_t previous_end_ = 0;
  bool failed_ = false;          ///< the parser gave up the current statement
  Tok failed_kind_ = Tok::kBad;  ///< the kind of the token at that point
  /// The start of the last line that Recover() read as a separate statement.
  int64_t restarted_at_ = -1;
};

template <class F>
void TokenCursor::ReadInside(size_t begin, size_t end, F&& read) {
  const LexerMark mark = MarkHere();
  const uint32_t previous_end = previous_end_;
  const std::string_view whole = lexer_.Clip(end);
  lexer_.set_position(begin);
  lexer_.Next(token_);
  read();
  lexer_.Restore(whole);
  if (failed_) return;
  GoTo(mark);
  previous_end_ = previous_end;
}

}  // namespace tenon

#endif  // TENON_PARSER_TOKEN_CURSOR_H_
