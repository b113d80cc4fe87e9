#include "parser/lexer.h"

#include <fmt/format.h>

#include <array>

#include "support/shown_text.h"

namespace tenon {

namespace {

/// The kind of token that a byte may start. kOther: the end of a line or of the text, skipped
/// bytes, and invalid bytes.
enum CharClass : uint8_t { kLetter, kDigit, kBlank, kQuote, kPunctuation, kOther };

constexpr std::array<CharClass, 256> kClasses = [] {
  std::array<CharClass, 256> classes{};
  for (CharClass& entry : classes) entry = kOther;
  const auto set = [&](std::string_view bytes, CharClass value) {
    for (const char c : bytes) classes[static_cast<unsigned char>(c)] = value;
  };
  set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", kLetter);
  set("0123456789", kDigit);
  set(" \t\f", kBlank);
  set("\"'", kQuote);
  set("()[]{},:.;=!@+-*/%&|^~<>", kPunctuation);
  return classes;
}();

CharClass ClassOf(char c) { return kClasses[static_cast<unsigned char>(c)]; }
bool IsBlank(char c) { return ClassOf(c) == kBlank; }
bool IsDigit(char c) { return ClassOf(c) == kDigit; }
bool IsWord(char c) { return ClassOf(c) <= kDigit; }

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

inline void Lexer::Simple(Token& token, Tok kind, size_t length) {
  token.kind = kind;
  token.op = Tok::kEnd;
  token.name = nullptr;
  token.begin = static_cast<uint32_t>(pos_);
  pos_ += length;
  token.end = static_cast<uint32_t>(pos_);
  token.first_on_line = fresh_line_;
  fresh_line_ = false;
}

void Lexer::Bad(Token& token, DiagnosticKind kind, size_t begin, size_t end, std::string message) {
  if (!quiet_) diagnostics_.Error(kind, Range(begin, end), std::move(message));
  pos_ = begin;
  return Simple(token, Tok::kBad, end - begin);
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
    if (IsBlank(c) || (c == '\r' && At(pos_ + 1) == '\n')) {
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
  while (IsBlank(At(pos)) || (!brackets_.empty() && At(pos) == '\n')) ++pos;
  return At(pos);
}

void Lexer::Indentation(Token& token, size_t column, size_t line) {
  if (column > indents_.back()) {
    if (indents_.size() > kMostIndents) {
      Bad(token, DiagnosticKind::kLimit, line, pos_,
          fmt::format("more than {} levels of indentation", kMostIndents));
      token.kind = Tok::kEnd;
      pos_ = text_.size();
      return;
    }
    indents_.push_back(static_cast<uint32_t>(column));
    line_start_ = false;
    return Simple(token, Tok::kIndent, 0);
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
    // Treats the line as part of the level that was left last.
    if (pending_dedents_ > 0) {
      --pending_dedents_;
      indents_.push_back(static_cast<uint32_t>(column));
    }
  }
  if (pending_dedents_ == 0) return Next(token);
  --pending_dedents_;
  return Simple(token, Tok::kDedent, 0);
}

void Lexer::StartLine(Token& token) {
  for (;;) {
    size_t line = pos_;
    for (; At(pos_) == ' ' || At(pos_) == '\f'; ++pos_) {
      if (At(pos_) == '\f') line = pos_ + 1;  // as in Python, columns restart
    }
    size_t column = pos_ - line;
    const char c = At(pos_);
    if (c == '#') {
      SkipComment();
    } else if (c == '\t') {
      size_t end = pos_;
      while (IsBlank(At(end))) ++end;
      if (At(end) != '\n' && At(end) != '#' && At(end) != '\r' && end < text_.size()) {
        diagnostics_.Error(DiagnosticKind::kIndentation, Range(pos_, pos_ + 1),
                           "tab in the indentation, expected spaces");
        // Counts columns as an editor does, so that the rest can be read.
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
        return Simple(token, Tok::kDedent, 0);
      }
      return Simple(token, Tok::kEnd, 0);
    }
    return Indentation(token, column, line);
  }
}

void Lexer::Word(Token& token) {
  const char* const begin = text_.data() + pos_;
  const char* const limit = text_.data() + text_.size();
  const char* end = begin + 1;
  while (end != limit && IsWord(*end)) ++end;
  const std::string_view word(begin, static_cast<size_t>(end - begin));
  if (end != limit && ClassOf(*end) == kQuote && IsStringPrefix(word))
    return String(token, word.size());
  NameEntry* name = names_.Find(word);
  Simple(token, name->keyword, word.size());
  token.name = name;
}

void Lexer::Number(Token& token) {
  size_t end = pos_;
  bool real = false;
  if (At(end) == '0' && std::string_view("xXoObB").find(At(end + 1)) != std::string_view::npos &&
      At(end + 1) != '\0') {
    end += 2;
    while (IsWord(At(end))) ++end;
    if (end > pos_ + 2) return Simple(token, Tok::kInt, end - pos_);
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
    return Simple(token, real ? Tok::kFloat : Tok::kInt, end - pos_);
  }
  // A name that starts with a digit: TVM's printer makes it from a name hint such as `2d_conv`.
  while (IsWord(At(end))) ++end;
  NameEntry* name = names_.Find(text_.substr(pos_, end - pos_));
  Simple(token, Tok::kName, end - pos_);
  token.name = name;
}

void Lexer::String(Token& token, size_t prefix) {
  const size_t begin = pos_;
  size_t pos = pos_ + prefix;
  const char quote = At(pos);
  const std::string_view triple = quote == '"' ? "\"\"\"" : "'''";
  if (text_.substr(pos).starts_with(triple)) {
    pos += 3;
    for (;;) {
      pos = text_.find(quote, pos);
      if (pos == std::string_view::npos) {
        return Bad(token, DiagnosticKind::kSyntax, begin, text_.size(),
                   fmt::format("string is not closed, expected `{}`", triple));
      }
      size_t backslashes = 0;
      while (text_[pos - 1 - backslashes] == '\\') ++backslashes;
      if (backslashes % 2 == 0 && text_.substr(pos).starts_with(triple)) break;
      ++pos;
    }
    return Simple(token, Tok::kString, pos + 3 - begin);
  }
  for (++pos;; ++pos) {
    const char c = At(pos);
    if (c == quote) break;
    if (pos >= text_.size() || c == '\n') {
      return Bad(
          token, DiagnosticKind::kSyntax, begin, pos,
          fmt::format("string is not closed, expected `{}` before the end of the line", quote));
    }
    if (c == '\\') ++pos;
  }
  return Simple(token, Tok::kString, pos + 1 - begin);
}

void Lexer::Open(Token& token, Tok kind) {
  if (brackets_.size() >= kMostBrackets) {
    return Bad(token, DiagnosticKind::kLimit, pos_, pos_ + 1,
               fmt::format("more than {} nested brackets", kMostBrackets));
  }
  brackets_.push_back(static_cast<uint32_t>(pos_));
  return Simple(token, kind, 1);
}

void Lexer::Close(Token& token, Tok kind, char open) {
  if (brackets_.empty()) {
    return Bad(token, DiagnosticKind::kSyntax, pos_, pos_ + 1,
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
    // It may close an outer bracket, so that the statement ends where its author meant.
    size_t left = brackets_.size() - 1;
    while (left > 0 && text_[brackets_[left]] != open) --left;
    if (text_[brackets_[left]] != open) left = brackets_.size() - 1;
    brackets_.resize(left);
    return Simple(token, Tok::kBad, 1);
  }
  brackets_.pop_back();
  return Simple(token, kind, 1);
}

void Lexer::Operator(Token& token, Tok kind, size_t length) {
  if (At(pos_ + length) == '=') {
    Simple(token, Tok::kAugAssign, length + 1);
    token.op = kind;
    return;
  }
  return Simple(token, kind, length);
}

void Lexer::Punctuation(Token& token) {
  const char c = At(pos_);
  const char next = At(pos_ + 1);
  switch (c) {
    case '(':
      return Open(token, Tok::kLParen);
    case '[':
      return Open(token, Tok::kLBracket);
    case '{':
      return Open(token, Tok::kLBrace);
    case ')':
      return Close(token, Tok::kRParen, '(');
    case ']':
      return Close(token, Tok::kRBracket, '[');
    case '}':
      return Close(token, Tok::kRBrace, '{');
    case ',':
      return Simple(token, Tok::kComma, 1);
    case ':':
      return next == '=' ? Simple(token, Tok::kWalrus, 2) : Simple(token, Tok::kColon, 1);
    case '.':
      return IsDigit(next) ? Number(token) : Simple(token, Tok::kDot, 1);
    case ';':
      return Simple(token, Tok::kSemicolon, 1);
    case '=':
      return next == '=' ? Simple(token, Tok::kEqual, 2) : Simple(token, Tok::kAssign, 1);
    case '!':
      if (next == '=') return Simple(token, Tok::kNotEqual, 2);
      break;
    case '@':
      return Operator(token, Tok::kAt, 1);
    case '+':
      return Operator(token, Tok::kPlus, 1);
    case '-':
      return next == '>' ? Simple(token, Tok::kArrow, 2) : Operator(token, Tok::kMinus, 1);
    case '*':
      return next == '*' ? Operator(token, Tok::kPower, 2) : Operator(token, Tok::kStar, 1);
    case '/':
      return next == '/' ? Operator(token, Tok::kDoubleSlash, 2) : Operator(token, Tok::kSlash, 1);
    case '%':
      return Operator(token, Tok::kPercent, 1);
    case '&':
      return Operator(token, Tok::kAmp, 1);
    case '|':
      return Operator(token, Tok::kBar, 1);
    case '^':
      return Operator(token, Tok::kCaret, 1);
    case '~':
      return Simple(token, Tok::kTilde, 1);
    case '<':
      if (next == '<') return Operator(token, Tok::kShiftLeft, 2);
      return next == '=' ? Simple(token, Tok::kLessEqual, 2) : Simple(token, Tok::kLess, 1);
    case '>':
      if (next == '>') return Operator(token, Tok::kShiftRight, 2);
      return next == '=' ? Simple(token, Tok::kGreaterEqual, 2) : Simple(token, Tok::kGreater, 1);
    default:
      break;
  }
  return StrayCharacter(token);
}

void Lexer::StrayCharacter(Token& token) {
  const char c = At(pos_);
  size_t end = pos_ + 1;
  while (end < text_.size() && (text_[end] & 0xC0) == 0x80) ++end;
  if ((c & 0x80) != 0) {
    return Bad(token, DiagnosticKind::kSyntax, pos_, end,
               "character outside ASCII, which only strings and comments may hold");
  }
  return Bad(token, DiagnosticKind::kSyntax, pos_, end,
             fmt::format("stray character `{}`", EscapeControls({&c, 1})));
}

void Lexer::Next(Token& token) {
  if (pending_dedents_ > 0) {
    --pending_dedents_;
    return Simple(token, Tok::kDedent, 0);
  }
  if (line_start_) return StartLine(token);
  while (IsBlank(At(pos_))) ++pos_;
  CharClass first = ClassOf(At(pos_));
  if (first == kOther) {
    if (!SkipBlanks()) {
      line_start_ = true;
      return Simple(token, Tok::kNewline, 1);
    }
    if (pos_ >= text_.size()) {
      if (brackets_.empty()) line_start_ = true;
      return Simple(token, brackets_.empty() ? Tok::kNewline : Tok::kEnd, 0);
    }
    first = ClassOf(At(pos_));
  }
  switch (first) {
    case kLetter:
      return Word(token);
    case kDigit:
      return Number(token);
    case kQuote:
      return String(token, 0);
    case kPunctuation:
      return Punctuation(token);
    default:
      return StrayCharacter(token);
  }
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
