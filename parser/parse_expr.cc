#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "parser/parser_internal.h"

namespace tenon {

namespace {

/// Binding strength of infix operators, as Python's; 0 for other tokens.
constexpr std::array<int8_t, static_cast<size_t>(Tok::kOtherKeyword) + 1> kLevels = [] {
  std::array<int8_t, static_cast<size_t>(Tok::kOtherKeyword) + 1> levels{};
  const auto set = [&](std::initializer_list<Tok> kinds, int8_t level) {
    for (const Tok kind : kinds) levels[static_cast<size_t>(kind)] = level;
  };
  set({Tok::kOr}, 3);
  set({Tok::kAnd}, 4);
  set({Tok::kLess, Tok::kLessEqual, Tok::kGreater, Tok::kGreaterEqual, Tok::kEqual, Tok::kNotEqual,
       Tok::kIn, Tok::kIs},
      6);
  set({Tok::kBar}, 7);
  set({Tok::kCaret}, 8);
  set({Tok::kAmp}, 9);
  set({Tok::kShiftLeft, Tok::kShiftRight}, 10);
  set({Tok::kPlus, Tok::kMinus}, 11);
  set({Tok::kStar, Tok::kSlash, Tok::kDoubleSlash, Tok::kPercent, Tok::kAt}, 12);
  set({Tok::kPower}, 14);
  return levels;
}();

int LevelOf(Tok kind) { return kLevels[static_cast<size_t>(kind)]; }

constexpr int kNotLevel = 6;  // the operand of `not`
constexpr int kLowestLevel = 3;
constexpr size_t kMostUnary = 1000;

}  // namespace

PyValue Parser::ParseExpr() {
  PyValue value = ParseBinary(kLowestLevel);
  if (At(Tok::kIf) && !failed_ && value.kind != PyKind::kDone) {
    SyntaxError(DiagnosticKind::kUnsupported, Here(),
                "conditional expression, expected `T.if_then_else` or `T.Select`");
  }
  return value;
}

PyValue Parser::ParseExprList() {
  PyValue first = ParseExpr();
  if (!At(Tok::kComma)) return first;
  absl::InlinedVector<PyValue, 8> items{first};
  while (Accept(Tok::kComma)) {
    if (At(Tok::kNewline) || At(Tok::kAssign) || At(Tok::kEnd) || failed_) break;
    items.push_back(ParseExpr());
  }
  return Items(PyKind::kTuple, Since(first.range), Span<PyValue>(items.data(), items.size()));
}

PyValue Parser::Items(PyKind kind, SourceRange range, Span<PyValue> items) {
  PyValue value(kind, range);
  const std::span<const PyValue> copy = scratch_->Copy(items);
  value.items = copy.data();
  value.count = static_cast<uint32_t>(copy.size());
  return value;
}

PyValue Parser::ParseBinary(int level) {
  PyValue left = ParseUnary();
  for (;;) {
    const Tok op = token_.kind;
    const int strength = LevelOf(op);
    if (strength == 0 || strength < level) return left;
    const SourceRange op_range = Here();
    if (op == Tok::kPower || op == Tok::kIn || op == Tok::kIs || op == Tok::kAt) {
      SyntaxError(DiagnosticKind::kUnsupported, op_range,
                  fmt::format("operator `{}` is not supported", lexer_.Text(token_)));
      return left;
    }
    Advance();
    const PyValue right = ParseBinary(strength + 1);
    left = failed_ ? PyValue() : Binary(op, left, right, op_range);
    if (failed_) return left;
  }
}

PyValue Parser::ParseUnary() {
  const auto is_prefix = [](Tok kind) {
    return kind == Tok::kMinus || kind == Tok::kTilde || kind == Tok::kPlus;
  };
  const bool logical = At(Tok::kNot);
  if (!logical && !is_prefix(token_.kind)) return ParsePostfix();
  absl::InlinedVector<std::pair<Tok, SourceRange>, 4> prefixes;
  while (logical ? At(Tok::kNot) : is_prefix(token_.kind)) {
    if (prefixes.size() == kMostUnary) {
      SyntaxError(DiagnosticKind::kLimit, Here(),
                  fmt::format("more than {} unary operators in a row", kMostUnary));
      return PyValue();
    }
    prefixes.emplace_back(token_.kind, Here());
    Advance();
  }
  PyValue value = logical ? ParseBinary(kNotLevel) : ParsePostfix();
  if (failed_) return PyValue();
  for (size_t i = prefixes.size(); i-- > 0;) {
    value = Unary(prefixes[i].first, value, {prefixes[i].second.begin, value.range.end});
  }
  return value;
}

PyValue Parser::ParsePostfix() {
  PyValue value = ParseAtom();
  for (;;) {
    switch (token_.kind) {
      case Tok::kDot:
        value = ParseAttribute(value);
        break;
      case Tok::kLParen:
        value = ParseCall(value);
        break;
      case Tok::kLBracket:
        value = ParseSubscript(value);
        break;
      default:
        return value;
    }
  }
}

PyValue Parser::ParseAtom() {
  switch (token_.kind) {
    case Tok::kName:
      return ParseName();
    case Tok::kInt:
    case Tok::kFloat:
      return ParseNumber();
    case Tok::kString:
      return ParseStringLiteral();
    case Tok::kLParen:
      return ParseParenthesised();
    case Tok::kLBracket:
      return ParseListDisplay();
    case Tok::kLBrace:
      return ParseDictDisplay();
    case Tok::kTrue:
    case Tok::kFalse: {
      const PyValue value = PyValue::Bool(Here(), At(Tok::kTrue));
      Advance();
      return value;
    }
    case Tok::kNone: {
      const PyValue value(PyKind::kNone, Here());
      Advance();
      return value;
    }
    case Tok::kLambda:
      SyntaxError(DiagnosticKind::kUnsupported, Here(),
                  "`lambda` is supported only in `T.comm_reducer` and `T.index_map`");
      return PyValue();
    default:
      // Names that are Python's keywords come from hints such as `in`.
      if (token_.name != nullptr && scopes_.Find(token_.name) != nullptr) return ParseName();
      UnexpectedToken("an expression");
      return PyValue();
  }
}

PyValue Parser::ParseName() {
  const Binding* binding = scopes_.Find(token_.name);
  const SourceRange range = Here();
  if (binding == nullptr) [[unlikely]] {
    if (token_.name != range_name_) return UndefinedName();
    Advance();
    return PyValue(PyKind::kRangeName, range);
  }
  Advance();
  return binding->value.At(range);
}

PyValue Parser::ParseNumber() {
  const SourceRange range = Here();
  std::string_view text = lexer_.Text(token_);
  const bool real = At(Tok::kFloat);
  Advance();
  std::string digits;
  if (text.find('_') != std::string_view::npos) {
    for (char c : text) {
      if (c != '_') digits += c;
    }
    text = digits;
  }
  if (real) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range) {
      // Python's own floats become zero, too; but nobody means infinity by digits.
      if (text.find("e-") == std::string_view::npos && text.find("E-") == std::string_view::npos) {
        Error(DiagnosticKind::kLiteral, range,
              "number does not fit float64, expected `T.float32(\"inf\")` or the like");
        return PyValue(PyKind::kError, range);
      }
      value = 0;
    }
    return PyValue::Float(range, value);
  }
  int radix = 10;
  std::string_view body = text;
  if (text.size() > 2 && text[0] == '0' && (text[1] < '0' || text[1] > '9')) {
    const char letter = static_cast<char>(text[1] | 0x20);
    radix = letter == 'x' ? 16 : letter == 'o' ? 8 : 2;
    body.remove_prefix(2);
  }
  if (radix == 10 && text[0] == '0' && text.find_first_not_of('0') != std::string_view::npos) {
    Error(DiagnosticKind::kLiteral, range,
          fmt::format("leading zeros in `{}`, octal numbers are written `0o...`", text));
    return PyValue(PyKind::kError, range);
  }
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), value, radix);
  if (error == std::errc::result_out_of_range) {
    Error(DiagnosticKind::kLiteral, range, "integer does not fit 64 bits");
    return PyValue(PyKind::kError, range);
  }
  if (error != std::errc() || end != body.data() + body.size()) {
    Error(DiagnosticKind::kLiteral, range, fmt::format("expected a number, found `{}`", text));
    return PyValue(PyKind::kError, range);
  }
  PyValue result = PyValue::Int(range, static_cast<int64_t>(value));
  if (result.integer < 0) result.kind = PyKind::kBigInt;
  return result;
}

PyValue Parser::ParseStringLiteral() {
  const SourceRange start = Here();
  std::string_view text;
  if (!DecodeString(lexer_.Text(token_), Here(), arena_, diagnostics_, &text)) {
    Advance();
    while (At(Tok::kString)) Advance();
    return PyValue(PyKind::kError, start);
  }
  Advance();
  if (At(Tok::kString)) {  // adjacent literals are one
    std::string joined(text);
    for (; At(Tok::kString); Advance()) {
      std::string_view more;
      if (DecodeString(lexer_.Text(token_), Here(), arena_, diagnostics_, &more)) joined += more;
    }
    text = arena_.Copy(joined);
  }
  return PyValue::Text(PyKind::kString, Since(start), text);
}

PyValue Parser::ParseParenthesised() {
  const SourceRange start = Here();
  Advance();
  if (At(Tok::kRParen)) {
    Advance();
    return Items(PyKind::kTuple, Since(start), {});
  }
  PyValue first = ParseExpr();
  if (At(Tok::kRParen)) {
    Advance();
    return first;
  }
  absl::InlinedVector<PyValue, 8> items{first};
  while (Accept(Tok::kComma)) {
    if (At(Tok::kRParen)) break;
    items.push_back(ParseExpr());
    if (failed_) return PyValue();
  }
  if (!Expect(Tok::kRParen, "`,` or `)`")) return PyValue();
  return Items(PyKind::kTuple, Since(start), Span<PyValue>(items.data(), items.size()));
}

PyValue Parser::ParseListDisplay() {
  const SourceRange start = Here();
  Advance();
  absl::InlinedVector<PyValue, 8> items;
  while (!At(Tok::kRBracket)) {
    items.push_back(ParseExpr());
    if (failed_) return PyValue();
    if (At(Tok::kRBracket)) break;
    if (!Expect(Tok::kComma, "`,` or `]`")) return PyValue();
  }
  Advance();
  return Items(PyKind::kList, Since(start), Span<PyValue>(items.data(), items.size()));
}

PyValue Parser::ParseDictDisplay() {
  const SourceRange start = Here();
  Advance();
  absl::InlinedVector<PyValue, 8> items;
  while (!At(Tok::kRBrace)) {
    items.push_back(ParseExpr());
    if (!Expect(Tok::kColon, "`:` after the key")) return PyValue();
    items.push_back(ParseExpr());
    if (failed_) return PyValue();
    if (At(Tok::kRBrace)) break;
    if (!Expect(Tok::kComma, "`,` or `}`")) return PyValue();
  }
  Advance();
  return Items(PyKind::kDict, Since(start), Span<PyValue>(items.data(), items.size()));
}

}  // namespace tenon
