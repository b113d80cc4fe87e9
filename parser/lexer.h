#ifndef TENON_PARSER_LEXER_H_
#define TENON_PARSER_LEXER_H_

#include <string_view>
#include <vector>

#include "parser/names.h"
#include "support/diagnostics.h"

namespace tenon {

enum class Tok : uint8_t {
  kEnd,
  kBad,  ///< the error is already reported
  kNewline,
  kIndent,
  kDedent,
  kName,
  kInt,
  kFloat,
  kString,
  kLParen,
  kRParen,
  kLBracket,
  kRBracket,
  kLBrace,
  kRBrace,
  kComma,
  kColon,
  kDot,
  kSemicolon,
  kAssign,
  kArrow,
  kAt,
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kDoubleSlash,
  kPercent,
  kPower,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kAmp,
  kBar,
  kCaret,
  kTilde,
  kShiftLeft,
  kShiftRight,
  kAugAssign,  ///< `+=` and the like; Token::op is the operator
  kWalrus,
  // Keywords from here on.
  kAnd,
  kOr,
  kNot,
  kIf,
  kElif,
  kElse,
  kFor,
  kWhile,
  kIn,
  kIs,
  kWith,
  kAs,
  kDef,
  kClass,
  kReturn,
  kPass,
  kAssert,
  kLambda,
  kTrue,
  kFalse,
  kNone,
  kImport,
  kFrom,
  kOtherKeyword,  ///< keywords that TVMScript does not use: `try`, `del`, ...
};

struct Token {
  Tok kind = Tok::kEnd;
  Tok op = Tok::kEnd;
  bool first_on_line = false;
  uint32_t begin = 0;  ///< offsets into the text
  uint32_t end = 0;
  NameEntry* name = nullptr;  ///< for names and keywords
};

/// Turns text into Python's tokens, one at a time. Indentation counts only outside of brackets.
class Lexer {
 public:
  static constexpr size_t kMostIndents = 100;
  static constexpr size_t kMostBrackets = 200;

  Lexer(std::string_view text, uint32_t base, NameTable& names, Diagnostics& diagnostics);

  /// Reads the next token into `token`.
  void Next(Token& token);
  /// The byte at which reading continues.
  size_t position() const { return pos_; }
  /// Continues at `pos`, which is on the same logical line. Open brackets stay open.
  void set_position(size_t pos) { pos_ = pos; }
  const std::vector<uint32_t>& brackets() const { return brackets_; }
  /// Continues at `pos`, in the middle of a line, inside `brackets`.
  void GoTo(size_t pos, std::vector<uint32_t> brackets) {
    pos_ = pos;
    line_start_ = false;
    brackets_ = std::move(brackets);
  }
  /// Ends the text at `end`; returns the whole text, for Restore.
  std::string_view Clip(size_t end) { return std::exchange(text_, text_.substr(0, end)); }
  void Restore(std::string_view text) { text_ = text; }
  size_t bracket_depth() const { return brackets_.size(); }
  size_t indent_depth() const { return indents_.size() - 1; }
  /// The place of the innermost open bracket.
  uint32_t open_bracket() const { return brackets_.back(); }
  /// The next byte that is not a blank, without reading a token; 0 at the end.
  char PeekChar() const;

  /// Forgets open brackets, and continues at the line that contains `pos`, as a new statement.
  void RestartLine(size_t pos);
  /// Whether errors in skipped text are not reported.
  void set_quiet(bool quiet) { quiet_ = quiet; }
  /// True if `token`, the first of its line, is indented no deeper than the current block. It then
  /// most likely begins a statement, whatever bracket is open.
  bool AtBlockLevel(const Token& token) const;
  /// Forgets open brackets, and continues at the end of the line that contains the current
  /// position.
  void AbandonLine();

  std::string_view text() const { return text_; }
  SourceRange Range(const Token& token) const { return {base_ + token.begin, base_ + token.end}; }
  SourceRange Range(size_t begin, size_t end) const {
    return {base_ + static_cast<uint32_t>(begin), base_ + static_cast<uint32_t>(end)};
  }
  std::string_view Text(const Token& token) const {
    return text_.substr(token.begin, token.end - token.begin);
  }
  /// Comments `from tvm.script import X as Y` seen so far: (dialect, prefix).
  const std::vector<std::pair<std::string_view, std::string_view>>& aliases() const {
    return aliases_;
  }

 private:
  // Each function reads a token of its kind into the caller's token. A copy of a token that was
  // just written in parts would wait for memory.
  void StartLine(Token& token);
  void Simple(Token& token, Tok kind, size_t length);
  void Operator(Token& token, Tok kind, size_t length);
  void Word(Token& token);
  void Number(Token& token);
  void String(Token& token, size_t prefix);
  void Punctuation(Token& token);
  void StrayCharacter(Token& token);
  void Bad(Token& token, DiagnosticKind kind, size_t begin, size_t end, std::string message);
  void Open(Token& token, Tok kind);
  void Close(Token& token, Tok kind, char open);
  void Indentation(Token& token, size_t column, size_t line);
  /// Skips blanks, comments and joined lines. False at the end of a logical line.
  bool SkipBlanks();
  void SkipComment();
  char At(size_t pos) const { return pos < text_.size() ? text_[pos] : '\0'; }

  std::string_view text_;
  uint32_t base_;
  NameTable& names_;
  Diagnostics& diagnostics_;
  size_t pos_ = 0;
  bool line_start_ = true;
  bool fresh_line_ = false;
  bool quiet_ = false;
  size_t pending_dedents_ = 0;
  std::vector<uint32_t> indents_{0};
  std::vector<uint32_t> brackets_;
  std::vector<std::pair<std::string_view, std::string_view>> aliases_;
};

/// The name of a token in messages: "`for`", "end of line", ...
std::string Describe(const Lexer& lexer, const Token& token);

/// Decodes a complete Python string literal, including quotes and prefix. Returns false, with a
/// diagnostic, for an escape without a meaning. Text without escapes is not copied.
bool DecodeString(std::string_view literal, SourceRange range, Arena& arena,
                  Diagnostics& diagnostics, std::string_view* result);

/// Reports NUL bytes and bytes that are not UTF-8. False if there was any.
bool CheckEncoding(std::string_view text, uint32_t base, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_PARSER_LEXER_H_
