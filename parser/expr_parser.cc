#include "parser/expr_parser.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace tenon {

namespace {

/// Binding strength of infix operators, as in Python; 0 for other tokens.
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

ExprParser::ExprParser(ParseEnv& env, TokenCursor& cursor, Scopes& scopes, Values& values,
                       Operators& operators, ModuleFunctions& functions, ShapeVars& shape_vars,
                       FormContext& forms, SyntaxForms& syntax)
    : env_(env),
      cursor_(cursor),
      scopes_(scopes),
      values_(values),
      operators_(operators),
      functions_(functions),
      shape_vars_(shape_vars),
      forms_(forms),
      syntax_(syntax),
      range_name_(env.names.Find("range")) {}

PyValue ExprParser::ParseExpr() {
  PyValue value = ParseBinary(kLowestLevel);
  if (cursor_.At(Tok::kIf) && !cursor_.failed() && value.kind != PyKind::kDone) {
    cursor_.SyntaxError(DiagnosticKind::kUnsupported, cursor_.Here(),
                        "conditional expression, expected `T.if_then_else` or `T.Select`");
  }
  return value;
}

PyValue ExprParser::ParseExprList() {
  PyValue first = ParseExpr();
  if (!cursor_.At(Tok::kComma)) return first;
  absl::InlinedVector<PyValue, 8> items{first};
  while (cursor_.Accept(Tok::kComma)) {
    if (cursor_.At(Tok::kNewline) || cursor_.At(Tok::kAssign) || cursor_.At(Tok::kEnd) ||
        cursor_.failed())
      break;
    items.push_back(ParseExpr());
  }
  return env_.Items(PyKind::kTuple, cursor_.Since(first.range), items);
}

PyValue ExprParser::ParseBinary(int level) {
  PyValue left = ParseUnary();
  for (;;) {
    const Tok op = cursor_.token().kind;
    const int strength = LevelOf(op);
    if (strength == 0 || strength < level) return left;
    const SourceRange op_range = cursor_.Here();
    if (op == Tok::kPower || op == Tok::kIn || op == Tok::kIs || op == Tok::kAt) {
      cursor_.SyntaxError(DiagnosticKind::kUnsupported, op_range,
                          fmt::format("operator `{}` is not supported", cursor_.Text()));
      return left;
    }
    cursor_.Advance();
    const PyValue right = ParseBinary(strength + 1);
    left = cursor_.failed() ? PyValue() : operators_.Binary(op, left, right, op_range);
    if (cursor_.failed()) return left;
  }
}

PyValue ExprParser::ParseUnary() {
  const auto is_prefix = [](Tok kind) {
    return kind == Tok::kMinus || kind == Tok::kTilde || kind == Tok::kPlus;
  };
  const bool logical = cursor_.At(Tok::kNot);
  if (!logical && !is_prefix(cursor_.token().kind)) return ParsePostfix();
  absl::InlinedVector<std::pair<Tok, SourceRange>, 4> prefixes;
  while (logical ? cursor_.At(Tok::kNot) : is_prefix(cursor_.token().kind)) {
    if (prefixes.size() == kMostUnary) {
      cursor_.SyntaxError(DiagnosticKind::kLimit, cursor_.Here(),
                          fmt::format("more than {} unary operators in a row", kMostUnary));
      return PyValue();
    }
    prefixes.emplace_back(cursor_.token().kind, cursor_.Here());
    cursor_.Advance();
  }
  PyValue value = logical ? ParseBinary(kNotLevel) : ParsePostfix();
  if (cursor_.failed()) return PyValue();
  for (size_t i = prefixes.size(); i-- > 0;) {
    value = operators_.Unary(prefixes[i].first, value, {prefixes[i].second.begin, value.range.end});
  }
  return value;
}

PyValue ExprParser::ParsePostfix() {
  PyValue value = ParseAtom();
  for (;;) {
    switch (cursor_.token().kind) {
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

PyValue ExprParser::ParseAtom() {
  switch (cursor_.token().kind) {
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
      const PyValue value = PyValue::Bool(cursor_.Here(), cursor_.At(Tok::kTrue));
      cursor_.Advance();
      return value;
    }
    case Tok::kNone: {
      const PyValue value(PyKind::kNone, cursor_.Here());
      cursor_.Advance();
      return value;
    }
    case Tok::kLambda:
      cursor_.SyntaxError(DiagnosticKind::kUnsupported, cursor_.Here(),
                          "`lambda` is supported only in `T.comm_reducer` and `T.index_map`");
      return PyValue();
    default:
      // Names that are keywords of Python come from name hints such as `in`.
      if (cursor_.token().name != nullptr && scopes_.Find(cursor_.token().name) != nullptr)
        return ParseName();
      cursor_.UnexpectedToken("an expression");
      return PyValue();
  }
}

PyValue ExprParser::ParseName() {
  const Binding* binding = scopes_.Find(cursor_.token().name);
  const SourceRange range = cursor_.Here();
  if (binding == nullptr) [[unlikely]] {
    if (cursor_.token().name != range_name_) return UndefinedName();
    cursor_.Advance();
    return PyValue(PyKind::kRangeName, range);
  }
  cursor_.Advance();
  env_.UseSymbol(binding->symbol, range);
  return binding->value.At(range);
}

PyValue ExprParser::UndefinedName() {
  const SourceRange range = cursor_.Here();
  NameEntry* name = cursor_.token().name;
  if (shape_vars_.Introduces(name)) {
    cursor_.Advance();
    return shape_vars_.ShapeVar(name, range);
  }
  if (const Binding* passing = scopes_.FindPassing(name)) {
    cursor_.Advance();
    env_.UseSymbol(passing->symbol, range);
    return passing->value.At(range);
  }
  cursor_.Advance();
  if (cursor_.At(Tok::kWalrus)) {
    cursor_.SyntaxError(DiagnosticKind::kUnsupported, cursor_.Here(), "`:=` is not supported");
    return PyValue();
  }
  if (cursor_.At(Tok::kFor) && cursor_.bracket_depth() > 0 && !cursor_.token().first_on_line) {
    cursor_.SyntaxError(DiagnosticKind::kUnsupported, cursor_.Here(),
                        "comprehensions are not supported");
    return PyValue();
  }
  const std::string_view text = name->text;
  if (text[0] >= '0' && text[0] <= '9') {
    return env_.Fail(DiagnosticKind::kLiteral, range,
                     fmt::format("expected a number, found `{}`", text));
  }
  Diagnostic& error = env_.Error(DiagnosticKind::kUndefinedName, range,
                                 fmt::format("`{}` is not defined here", text));
  if (const Binding* nearest = scopes_.Nearest(text)) {
    Diagnostics::AddNote(error, nearest->where,
                         fmt::format("did you mean `{}`?", nearest->name->text));
  }
  return PyValue(PyKind::kError, range);
}

PyValue ExprParser::ParseNumber() {
  const SourceRange range = cursor_.Here();
  std::string_view text = cursor_.Text();
  const bool real = cursor_.At(Tok::kFloat);
  cursor_.Advance();
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
      // Python also turns too small floats into zero; but digits are never meant as infinity.
      if (text.find("e-") == std::string_view::npos && text.find("E-") == std::string_view::npos) {
        return env_.Fail(DiagnosticKind::kLiteral, range,
                         "number does not fit float64, expected `T.float32(\"inf\")` or the like");
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
    return env_.Fail(DiagnosticKind::kLiteral, range,
                     fmt::format("leading zeros in `{}`, octal numbers are written `0o...`", text));
  }
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), value, radix);
  if (error == std::errc::result_out_of_range) {
    return env_.Fail(DiagnosticKind::kLiteral, range, "integer does not fit 64 bits");
  }
  if (error != std::errc() || end != body.data() + body.size()) {
    return env_.Fail(DiagnosticKind::kLiteral, range,
                     fmt::format("expected a number, found `{}`", text));
  }
  PyValue result = PyValue::Int(range, static_cast<int64_t>(value));
  if (result.integer < 0) result.kind = PyKind::kBigInt;
  return result;
}

PyValue ExprParser::ParseStringLiteral() {
  const SourceRange start = cursor_.Here();
  std::string_view text;
  if (!DecodeString(cursor_.Text(), cursor_.Here(), env_.arena, env_.diagnostics, &text)) {
    cursor_.Advance();
    while (cursor_.At(Tok::kString)) cursor_.Advance();
    return PyValue(PyKind::kError, start);
  }
  cursor_.Advance();
  if (cursor_.At(Tok::kString)) {  // adjacent literals are one
    std::string joined(text);
    for (; cursor_.At(Tok::kString); cursor_.Advance()) {
      std::string_view more;
      if (DecodeString(cursor_.Text(), cursor_.Here(), env_.arena, env_.diagnostics, &more))
        joined += more;
    }
    text = env_.arena.Copy(joined);
  }
  return PyValue::Text(PyKind::kString, cursor_.Since(start), text);
}

PyValue ExprParser::ParseParenthesised() {
  const SourceRange start = cursor_.Here();
  cursor_.Advance();
  if (cursor_.At(Tok::kRParen)) {
    cursor_.Advance();
    return env_.Items(PyKind::kTuple, cursor_.Since(start), {});
  }
  PyValue first = ParseExpr();
  if (cursor_.At(Tok::kRParen)) {
    cursor_.Advance();
    return first;
  }
  absl::InlinedVector<PyValue, 8> items{first};
  while (cursor_.Accept(Tok::kComma)) {
    if (cursor_.At(Tok::kRParen)) break;
    items.push_back(ParseExpr());
    if (cursor_.failed()) return PyValue();
  }
  if (!cursor_.Expect(Tok::kRParen, "`,` or `)`")) return PyValue();
  return env_.Items(PyKind::kTuple, cursor_.Since(start), items);
}

PyValue ExprParser::ParseListDisplay() {
  const SourceRange start = cursor_.Here();
  cursor_.Advance();
  absl::InlinedVector<PyValue, 8> items;
  while (!cursor_.At(Tok::kRBracket)) {
    items.push_back(ParseExpr());
    if (cursor_.failed()) return PyValue();
    if (cursor_.At(Tok::kRBracket)) break;
    if (!cursor_.Expect(Tok::kComma, "`,` or `]`")) return PyValue();
  }
  cursor_.Advance();
  return env_.Items(PyKind::kList, cursor_.Since(start), items);
}

PyValue ExprParser::ParseDictDisplay() {
  const SourceRange start = cursor_.Here();
  cursor_.Advance();
  absl::InlinedVector<PyValue, 8> items;
  while (!cursor_.At(Tok::kRBrace)) {
    items.push_back(ParseExpr());
    if (!cursor_.Expect(Tok::kColon, "`:` after the key")) return PyValue();
    items.push_back(ParseExpr());
    if (cursor_.failed()) return PyValue();
    if (cursor_.At(Tok::kRBrace)) break;
    if (!cursor_.Expect(Tok::kComma, "`,` or `}`")) return PyValue();
  }
  cursor_.Advance();
  return env_.Items(PyKind::kDict, cursor_.Since(start), items);
}

PyValue ExprParser::ParseAtomWithDots() {
  PyValue value = ParseAtom();
  while (cursor_.At(Tok::kDot) && !cursor_.failed()) value = ParseAttribute(value);
  return value;
}

PyValue ExprParser::ReadQuotedExtents(const PyValue& shape) {
  const auto is_quoted = [](const PyValue& item) { return item.is(PyKind::kString); };
  const bool any = env_.rules->annotates_all_params && shape.is_sequence() &&
                   std::any_of(shape.elements().begin(), shape.elements().end(), is_quoted);
  if (!any) return shape;
  env_.RaiseDialect(Dialect::kV026);
  absl::InlinedVector<PyValue, 6> extents;
  for (const PyValue& item : shape.elements()) {
    extents.push_back(is_quoted(item) ? ReadQuotedExtent(item) : item);
  }
  return env_.Items(shape.kind, shape.range, extents);
}

PyValue ExprParser::ReadQuotedExtent(const PyValue& text) {
  const size_t begin = text.range.begin - env_.base;
  const size_t end = text.range.end - env_.base;
  const std::string_view literal = env_.text.substr(begin, end - begin);
  const bool is_plain = literal.size() > 2 && literal.substr(1, literal.size() - 2) == text.text();
  if (!is_plain) {
    return env_.Fail(DiagnosticKind::kArguments, text.range,
                     "a quoted extent, expected an expression");
  }
  PyValue value;
  shape_vars_.set_in_quotes(true);
  cursor_.ReadInside(begin + 1, end - 1, [&] {
    value = ParseExpr();
    if (!cursor_.failed() && cursor_.token().begin + 1 != end) {
      cursor_.UnexpectedToken("the end of the extent");
    }
  });
  shape_vars_.set_in_quotes(false);
  return cursor_.failed() ? PyValue(PyKind::kError, text.range) : value;
}

}  // namespace tenon
