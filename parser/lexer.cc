#include "parser/lexer.h"

#include <fmt/format.h>

#include <array>

namespace tenon {

namespace {

enum CharClass : uint8_t { kOther = 0, kLetter = 1, kDigit = 2, kBlank = 4 };

constexpr std::array<uint8_t, 256> kClasses = [] {
  std::array<uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[static_cast<size_t>(c)] = kLetter;
  for (int c = 'A'; c <= 'Z'; ++c) classes[static_cast<size_t>(c)] = kLetter;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<size_t>(c)] = kDigit;
  classes['_'] = kLetter;
  classes[' '] = classes['\t'] = classes['\f'] = kBlank;
  return classes;
}();

uint8_t ClassOf(char c) { return kClasses[static_cast<unsigned char>(c)]; }
bool IsWord(char c) { return (ClassOf(c) & (kLetter | kDigit)) != 0; }
bool IsDigit(char c) { return ClassOf(c) == kDigit; }

/// A prefix of string literals.
bool IsStringPrefix(std::string_view word) {
  for (char c : word) {
    if (std::string_view("rRbBfFuU").find(c) == std::string_view::npos) return false;
  }
  return word.size() <= 2;
}

}  // namespace

Lexer::Lexer(std::string_view text, uint32_t base, NameTable& names, Diagnostics& diagnostics)
    : text_(text), base_(base), names_(names), diagnostics_(diagnostics) {
  if (text_.starts_with("\xEF\xBB\xBF")) pos_ = 3;
}

Token Lexer::Simple(Tok kind, size_t length) {
  Token token;
  token.kind = kind;
  token.begin = static_cast<uint32_t>(pos_);
  pos_ += length;
  token.end = static_cast<uint32_t>(pos_);
  token.first_on_line = fresh_line_;
  fresh_line_ = false;
  return token;
}

Token Lexer::Bad(DiagnosticKind kind, size_t begin, size_t end, std::string message) {
  if (!quiet_) diagnostics_.Error(kind, Range(begin, end), std::move(message));
  pos_ = begin;
  return Simple(Tok::kBad, end - begin);
}

void Lexer::SkipComment() {
  constexpr std::string_view kImport = "# from tvm.script import ";
  const size_t begin = pos_;
  pos_ = std::min(text_.find('\n', pos_), text_.size());
  const std::string_view comment = text_.substr(begin, pos_ - begin);
  if (!comment.starts_with(kImport)) return;
  std::string_view rest = comment.substr(kImport.size());
  while (!rest.empty() && (rest.back() == '\r' || rest.back() == ' ')) rest.remove_suffix(1);
  const size_t as = rest.find(" as ");
  if (as != std::string_view::npos) aliases_.emplace_back(rest.substr(0, as), rest.substr(as + 4));
}

bool Lexer::SkipBlanks() {
  for (;;) {
    const char c = At(pos_);
    if ((ClassOf(c) & kBlank) != 0 || (c == '\r' && At(pos_ + 1) == '\n')) {
      ++pos_;
    } else if (c == '#') {
      SkipComment();
    } else if (c == '\n') {
      if (brackets_.empty()) return false;
      ++pos_;
      fresh_line_ = true;
    } else if (c == '\\' &&
               (At(pos_ + 1) == '\n' || (At(pos_ + 1) == '\r' && At(pos_ + 2) == '\n'))) {
      pos_ += At(pos_ + 1) == '\n' ? 2 : 3;
    } else {
      return true;
    }
  }
}

char Lexer::PeekChar() const {
  size_t pos = pos_;
  while ((ClassOf(At(pos)) & kBlank) != 0 || (!brackets_.empty() && At(pos) == '\n')) ++pos;
  return At(pos);
}

Token Lexer::Indentation(size_t column, size_t line) {
  if (column > indents_.back()) {
    if (indents_.size() > kMostIndents) {
      Token bad = Bad(DiagnosticKind::kLimit, line, pos_,
                      fmt::format("more than {} levels of indentation", kMostIndents));
      bad.kind = Tok::kEnd;
      pos_ = text_.size();
      return bad;
    }
    indents_.push_back(static_cast<uint32_t>(column));
    line_start_ = false;
    return Simple(Tok::kIndent, 0);
  }
  line_start_ = false;
  while (indents_.back() > column) {
    indents_.pop_back();
    ++pending_dedents_;
  }
  if (indents_.back() != column) {
    diagnostics_.Error(DiagnosticKind::kIndentation, Range(line, pos_),
                       fmt::format("indentation of {} does not match any outer level, the nearest "
                                   "has {}",
                                   column, indents_.back()));
    // As if it belonged to the level that was left last.
    if (pending_dedents_ > 0) {
      --pending_dedents_;
      indents_.push_back(static_cast<uint32_t>(column));
    }
  }
  if (pending_dedents_ == 0) return Next();
  --pending_dedents_;
  return Simple(Tok::kDedent, 0);
}

Token Lexer::StartLine() {
  for (;;) {
    size_t line = pos_;
    for (; At(pos_) == ' ' || At(pos_) == '\f'; ++pos_) {
      if (At(pos_) == '\f') line = pos_ + 1;  // as in Python, columns are counted anew
    }
    size_t column = pos_ - line;
    const char c = At(pos_);
    if (c == '#') {
      SkipComment();
    } else if (c == '\t') {
      size_t end = pos_;
      while ((ClassOf(At(end)) & kBlank) != 0) ++end;
      if (At(end) != '\n' && At(end) != '#' && At(end) != '\r' && end < text_.size()) {
        diagnostics_.Error(DiagnosticKind::kIndentation, Range(pos_, pos_ + 1),
                           "tab in the indentation, expected spaces");
        // As an editor shows it, so that the rest can be read.
        for (; pos_ < end; ++pos_) column = At(pos_) == '\t' ? column / 8 * 8 + 8 : column + 1;
      }
      pos_ = end;
      if (At(pos_) == '#') SkipComment();
    }
    if (At(pos_) == '\r' && At(pos_ + 1) == '\n') ++pos_;
    if (At(pos_) == '\n' && pos_ < text_.size()) {
      ++pos_;
      continue;
    }
    fresh_line_ = true;
    if (pos_ >= text_.size()) {
      if (indents_.size() > 1) {
        indents_.pop_back();
        return Simple(Tok::kDedent, 0);
      }
      return Simple(Tok::kEnd, 0);
    }
    return Indentation(column, line);
  }
}

Token Lexer::Word() {
  const size_t begin = pos_;
  while (IsWord(At(pos_))) ++pos_;
  if ((At(pos_) == '"' || At(pos_) == '\'') && IsStringPrefix(text_.substr(begin, pos_ - begin))) {
    const size_t prefix = pos_ - begin;
    pos_ = begin;
    return String(prefix);
  }
  const size_t length = pos_ - begin;
  pos_ = begin;
  NameEntry* name = names_.Find(text_.substr(begin, length));
  Token token = Simple(name->keyword, length);
  token.name = name;
  return token;
}

Token Lexer::Number() {
  size_t end = pos_;
  bool real = false;
  if (At(end) == '0' && std::string_view("xXoObB").find(At(end + 1)) != std::string_view::npos &&
      At(end + 1) != '\0') {
    end += 2;
    while (IsWord(At(end))) ++end;
    if (end > pos_ + 2) return Simple(Tok::kInt, end - pos_);
  } else {
    while (IsDigit(At(end)) || (At(end) == '_' && IsDigit(At(end + 1)))) ++end;
    if (At(end) == '.') {
      real = true;
      ++end;
      while (IsDigit(At(end)) || (At(end) == '_' && IsDigit(At(end + 1)))) ++end;
    }
    if (At(end) == 'e' || At(end) == 'E') {
      const size_t sign = At(end + 1) == '+' || At(end + 1) == '-' ? 1 : 0;
      if (IsDigit(At(end + 1 + sign))) {
        real = true;
        end += 2 + sign;
        while (IsDigit(At(end))) ++end;
      }
    }
  }
  if (!IsWord(At(end)) && end > pos_ && !(end == pos_ + 2 && !IsDigit(At(pos_ + 1)) && !real)) {
    return Simple(real ? Tok::kFloat : Tok::kInt, end - pos_);
  }
  // A name that starts with a digit: TVM's printer makes them of hints such as `2d_conv`.
  while (IsWord(At(end))) ++end;
  NameEntry* name = names_.Find(text_.substr(pos_, end - pos_));
  Token token = Simple(Tok::kName, end - pos_);
  token.name = name;
  return token;
}

Token Lexer::String(size_t prefix) {
  const size_t begin = pos_;
  size_t pos = pos_ + prefix;
  const char quote = At(pos);
  const std::string_view triple = quote == '"' ? "\"\"\"" : "'''";
  if (text_.substr(pos).starts_with(triple)) {
    pos += 3;
    for (;;) {
      pos = text_.find(quote, pos);
      if (pos == std::string_view::npos) {
        return Bad(DiagnosticKind::kSyntax, begin, text_.size(),
                   fmt::format("string is not closed, expected `{}`", triple));
      }
      size_t backslashes = 0;
      while (text_[pos - 1 - backslashes] == '\\') ++backslashes;
      if (backslashes % 2 == 0 && text_.substr(pos).starts_with(triple)) break;
      ++pos;
    }
    return Simple(Tok::kString, pos + 3 - begin);
  }
  for (++pos;; ++pos) {
    const char c = At(pos);
    if (c == quote) break;
    if (pos >= text_.size() || c == '\n') {
      return Bad(
          DiagnosticKind::kSyntax, begin, pos,
          fmt::format("string is not closed, expected `{}` before the end of the line", quote));
    }
    if (c == '\\') ++pos;
  }
  return Simple(Tok::kString, pos + 1 - begin);
}

Token Lexer::Open(Tok kind) {
  if (brackets_.size() >= kMostBrackets) {
    Token bad = Bad(DiagnosticKind::kLimit, pos_, pos_ + 1,
                    fmt::format("more than {} nested brackets", kMostBrackets));
    return bad;
  }
  brackets_.push_back(static_cast<uint32_t>(pos_));
  return Simple(kind, 1);
}

Token Lexer::Close(Tok kind, char open) {
  if (brackets_.empty()) {
    return Bad(DiagnosticKind::kSyntax, pos_, pos_ + 1,
               fmt::format("`{}` closes no bracket", At(pos_)));
  }
  if (text_[brackets_.back()] != open) {
    const size_t opened = brackets_.back();
    if (!quiet_) {
      Diagnostic& error =
          diagnostics_.Error(DiagnosticKind::kSyntax, Range(pos_, pos_ + 1),
                             fmt::format("`{}` does not close `{}`", At(pos_), text_[opened]));
      Diagnostics::AddNote(error, Range(opened, opened + 1), "opened here");
    }
    // It may close a bracket further out, so that the statement ends where its author thought.
    size_t left = brackets_.size() - 1;
    while (left > 0 && text_[brackets_[left]] != open) --left;
    if (text_[brackets_[left]] != open) left = brackets_.size() - 1;
    brackets_.resize(left);
    return Simple(Tok::kBad, 1);
  }
  brackets_.pop_back();
  return Simple(kind, 1);
}

Token Lexer::Operator(Tok kind, size_t length) {
  if (At(pos_ + length) == '=') {
    Token token = Simple(Tok::kAugAssign, length + 1);
    token.op = kind;
    return token;
  }
  return Simple(kind, length);
}

Token Lexer::Punctuation() {
  const char c = At(pos_);
  const char next = At(pos_ + 1);
  switch (c) {
    case '(':
      return Open(Tok::kLParen);
    case '[':
      return Open(Tok::kLBracket);
    case '{':
      return Open(Tok::kLBrace);
    case ')':
      return Close(Tok::kRParen, '(');
    case ']':
      return Close(Tok::kRBracket, '[');
    case '}':
      return Close(Tok::kRBrace, '{');
    case ',':
      return Simple(Tok::kComma, 1);
    case ':':
      return next == '=' ? Simple(Tok::kWalrus, 2) : Simple(Tok::kColon, 1);
    case '.':
      return IsDigit(next) ? Number() : Simple(Tok::kDot, 1);
    case ';':
      return Simple(Tok::kSemicolon, 1);
    case '=':
      return next == '=' ? Simple(Tok::kEqual, 2) : Simple(Tok::kAssign, 1);
    case '!':
      if (next == '=') return Simple(Tok::kNotEqual, 2);
      break;
    case '@':
      return Operator(Tok::kAt, 1);
    case '+':
      return Operator(Tok::kPlus, 1);
    case '-':
      return next == '>' ? Simple(Tok::kArrow, 2) : Operator(Tok::kMinus, 1);
    case '*':
      return next == '*' ? Operator(Tok::kPower, 2) : Operator(Tok::kStar, 1);
    case '/':
      return next == '/' ? Operator(Tok::kDoubleSlash, 2) : Operator(Tok::kSlash, 1);
    case '%':
      return Operator(Tok::kPercent, 1);
    case '&':
      return Operator(Tok::kAmp, 1);
    case '|':
      return Operator(Tok::kBar, 1);
    case '^':
      return Operator(Tok::kCaret, 1);
    case '~':
      return Simple(Tok::kTilde, 1);
    case '<':
      if (next == '<') return Operator(Tok::kShiftLeft, 2);
      return next == '=' ? Simple(Tok::kLessEqual, 2) : Simple(Tok::kLess, 1);
    case '>':
      if (next == '>') return Operator(Tok::kShiftRight, 2);
      return next == '=' ? Simple(Tok::kGreaterEqual, 2) : Simple(Tok::kGreater, 1);
    default:
      break;
  }
  return StrayCharacter();
}

Token Lexer::StrayCharacter() {
  const char c = At(pos_);
  size_t end = pos_ + 1;
  while (end < text_.size() && (text_[end] & 0xC0) == 0x80) ++end;
  if ((c & 0x80) != 0) {
    return Bad(DiagnosticKind::kSyntax, pos_, end,
               "character outside ASCII, which only strings and comments may hold");
  }
  return Bad(DiagnosticKind::kSyntax, pos_, end, fmt::format("stray character `{}`", c));
}

Token Lexer::Next() {
  if (pending_dedents_ > 0) {
    --pending_dedents_;
    return Simple(Tok::kDedent, 0);
  }
  if (line_start_) return StartLine();
  if (!SkipBlanks()) {
    line_start_ = true;
    return Simple(Tok::kNewline, 1);
  }
  if (pos_ >= text_.size()) {
    if (brackets_.empty()) line_start_ = true;
    return Simple(brackets_.empty() ? Tok::kNewline : Tok::kEnd, 0);
  }
  const uint8_t c = ClassOf(At(pos_));
  if (c == kLetter) return Word();
  if (c == kDigit) return Number();
  if (At(pos_) == '"' || At(pos_) == '\'') return String(0);
  return Punctuation();
}

bool Lexer::AtBlockLevel(const Token& token) const {
  const size_t before =
      token.begin == 0 ? std::string_view::npos : text_.rfind('\n', token.begin - 1);
  const size_t line = before == std::string_view::npos ? 0 : before + 1;
  return token.begin - line <= indents_.back();
}

void Lexer::RestartLine(size_t pos) {
  brackets_.clear();
  pending_dedents_ = 0;
  const size_t before = pos == 0 ? std::string_view::npos : text_.rfind('\n', pos - 1);
  pos_ = before == std::string_view::npos ? 0 : before + 1;
  line_start_ = true;
}

void Lexer::AbandonLine() {
  brackets_.clear();
  pos_ = std::min(text_.find('\n', pos_), text_.size());
  line_start_ = false;
}

}  // namespace tenon
