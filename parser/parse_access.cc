#include <fmt/format.h>

#include <algorithm>

#include "ir/opaque_calls.h"
#include "parser/metadata.h"
#include "parser/parser_internal.h"
#include "support/nearest_name.h"

namespace tenon {

const Binding* Parser::NearestName(std::string_view text) {
  constexpr int kMostSuggestions = 100;  // looking for them takes long
  constexpr size_t kMostLength = 64;
  constexpr size_t kMostNames = 2000;
  const std::vector<Binding>& all = scopes_.all();
  if (text.size() > kMostLength || all.size() > kMostNames) return nullptr;
  if (text.size() <= 2) return nullptr;  // anything is near to those
  if (++suggestions_ > kMostSuggestions) return nullptr;
  size_t best = text.size() <= 4 ? 2 : 3;
  const Binding* nearest = nullptr;
  for (const Binding& binding : all) {  // the first of equally near ones
    const std::string_view other = binding.name->text;
    const size_t gap = std::max(other.size(), text.size()) - std::min(other.size(), text.size());
    if (gap >= best || other.size() > kMostLength || !binding.where.valid()) continue;
    const size_t distance = EditDistance(text, other, best);
    if (distance >= best) continue;
    best = distance;
    nearest = &binding;
  }
  return nearest;
}

PyValue Parser::UndefinedName() {
  const SourceRange range = Here();
  NameEntry* name = token_.name;
  if (in_quoted_extent_ || (in_signature_ && quoted_names_.contains(name))) {
    Advance();
    return ShapeVar(name, range);
  }
  if (const auto passing = passing_names_.find(token_.name); passing != passing_names_.end()) {
    Advance();
    return passing->second.At(range);
  }
  Advance();
  if (At(Tok::kWalrus)) {
    SyntaxError(DiagnosticKind::kUnsupported, Here(), "`:=` is not supported");
    return PyValue();
  }
  if (At(Tok::kFor) && lexer_.bracket_depth() > 0 && !token_.first_on_line) {
    SyntaxError(DiagnosticKind::kUnsupported, Here(), "comprehensions are not supported");
    return PyValue();
  }
  const std::string_view text = name->text;
  if (text[0] >= '0' && text[0] <= '9') {
    Error(DiagnosticKind::kLiteral, range, fmt::format("expected a number, found `{}`", text));
    return PyValue(PyKind::kError, range);
  }
  Diagnostic& error =
      Error(DiagnosticKind::kUndefinedName, range, fmt::format("`{}` is not defined here", text));
  if (const Binding* nearest = NearestName(text)) {
    Diagnostics::AddNote(error, nearest->where,
                         fmt::format("did you mean `{}`?", nearest->name->text));
  }
  return PyValue(PyKind::kError, range);
}

bool Parser::CheckUnknownName(std::string_view name, SourceRange range) {
  const size_t digits = name.find_first_of("0123456789");
  const std::string_view stem = name.substr(0, digits);
  const bool like_dtype =
      digits != std::string_view::npos &&
      (stem == "int" || stem == "uint" || stem == "float" || stem == "bfloat" || stem == "bool");
  if (like_dtype) {
    Error(DiagnosticKind::kType, range,
          fmt::format("expected a dtype such as `float32`, found `{}`", name));
    return false;
  }
  const bool is_call = At(Tok::kLParen);
  if (is_call && options_.allow_unknown_ops) return true;
  const std::string_view near = NearestTirName(name);
  if (!near.empty()) {
    Error(DiagnosticKind::kUndefinedName, range,
          fmt::format("unknown name `T.{}`; did you mean `T.{}`?", name, near));
  } else {
    Error(DiagnosticKind::kUndefinedName, range,
          fmt::format("unknown name `T.{}`{}", name,
                      is_call ? "; pass --allow-unknown-ops to keep calls to it" : ""));
  }
  return false;
}

bool Parser::CanFollowT(std::string_view name) {
  const std::string_view first = name.substr(0, name.find('.'));
  if (FindTirName(first, context_, name_arena_)->form != TirForm::kOp) return false;
  while (true) {
    const size_t end = std::min(name.find('.'), name.size());
    const std::string_view word = name.substr(0, end);
    const bool is_word = !word.empty() && (word[0] < '0' || word[0] > '9') &&
                         std::all_of(word.begin(), word.end(), [](char c) {
                           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                  (c >= '0' && c <= '9') || c == '_';
                         });
    if (!is_word || names_.Find(word)->keyword != Tok::kName) return false;
    if (end == name.size()) return true;
    name.remove_prefix(end + 1);
  }
}

bool Parser::CheckKnownOp(const Op* op, SourceRange range) {
  if (op->kind != OpKind::kUnknown || IsOpaqueCall(*op)) return true;
  if (options_.allow_unknown_ops) {
    if (CanFollowT(op->text)) return true;
    Error(DiagnosticKind::kUndefinedName, range,
          fmt::format("expected the name of a builtin (words separated by dots), found `{}`",
                      op->text));
    return false;
  }
  const std::string_view near = NearestTirName(op->text);
  Error(DiagnosticKind::kUndefinedName, range,
        near.empty()
            ? fmt::format("unknown builtin `tir.{}`; pass --allow-unknown-ops to keep calls to it",
                          op->text)
            : fmt::format("unknown builtin `tir.{}`; did you mean `tir.{}`?", op->text, near));
  return false;
}

/// Whether it names a builtin that no TVM has.
static bool IsUnknownOp(const TirName& name) {
  return name.form == TirForm::kOp && name.op->kind == OpKind::kUnknown && !IsOpaqueCall(*name.op);
}

PyValue Parser::TirAttribute(SourceRange start) {
  // The name is the current token.
  NameEntry* entry = token_.name;
  const TirName* tir_name = entry->tir_name;
  if (tir_name == nullptr) {
    tir_name = FindTirName(entry->text, context_, name_arena_);
    entry->tir_name = tir_name;
  }
  const SourceRange name = Here();
  Advance();
  if (!CheckDialectName(entry->text, name)) return PyValue(PyKind::kError, Since(start));
  if (IsUnknownOp(*tir_name) && !At(Tok::kDot) && !CheckUnknownName(entry->text, name)) {
    return PyValue(PyKind::kError, Since(start));
  }
  PyValue value(tir_name->form == TirForm::kAxis ? PyKind::kAxis : PyKind::kTirName, Since(start));
  value.tir_name = tir_name;
  return value;
}

PyValue Parser::FunctionAttribute(std::string_view name, SourceRange range) {
  ScanSignatures();
  const bool known = signatures_.contains(token_.name);
  if (!known) {
    Error(DiagnosticKind::kUndefinedName, Here(),
          fmt::format("the module has no function `{}`", name));
  }
  Advance();
  return known ? PyValue::Text(PyKind::kFunction, range, name) : PyValue(PyKind::kError, range);
}

PyValue Parser::ExprAttribute(const PyValue& object, std::string_view name, SourceRange range) {
  const Expr* expr = ToExpr(object);
  Advance();
  if (expr == nullptr) return PyValue(PyKind::kError, range);
  if (name == "dtype") {
    return PyValue::Text(PyKind::kString, range, arena_.Copy(expr->dtype.ToString()));
  }
  PyValue value(PyKind::kMethod, range);
  value.method = scratch_->New<PyMethod>(PyMethod{nullptr, expr, name});
  return value;
}

// A builtin with dots in its name.
PyValue Parser::DottedName(const PyValue& object, std::string_view name, SourceRange range) {
  constexpr size_t kMostName = 1000;
  const std::string joined = fmt::format("{}.{}", object.tir_name->text, name);
  if (joined.size() > kMostName) {
    SyntaxError(DiagnosticKind::kLimit, range,
                fmt::format("name of a builtin with more than {} characters", kMostName));
    return PyValue();
  }
  PyValue value(PyKind::kTirName, range);
  value.tir_name = FindTirName(names_.Find(arena_.Copy(joined))->text, context_, name_arena_);
  return value;
}

// `T.axis.remap`, `T.cuda.f`: the name after the second dot.
PyValue Parser::LongerName(const PyValue& object, std::string_view name, SourceRange range) {
  Advance();
  if (object.is(PyKind::kAxis)) {
    PyValue value = PyValue::Text(PyKind::kAxis, range, name);
    value.count = 1;  // with a name
    return value;
  }
  PyValue dotted = DottedName(object, name, range);
  if (failed_ || !IsUnknownOp(*dotted.tir_name) || At(Tok::kDot) ||
      CheckUnknownName(dotted.tir_name->text, range)) {
    return dotted;
  }
  return PyValue(PyKind::kError, range);
}

PyValue Parser::ParseAttribute(const PyValue& object) {
  Advance();  // the dot
  if (token_.name == nullptr) {
    UnexpectedToken("a name after `.`");
    return PyValue();
  }
  const std::string_view name = token_.name->text;
  // A variable may be called `T`: the printer of 0.15 does not keep that name free.
  const bool is_prefix =
      object.is(PyKind::kExpr) && isa<Var>(object.expr) &&
      (cast<Var>(object.expr)->name.view() == "T" || cast<Var>(object.expr)->name.view() == "tir");
  if (object.is(PyKind::kTirModule) || is_prefix) return TirAttribute(object.range);
  const SourceRange range{object.range.begin, Here().end};
  switch (object.kind) {
    case PyKind::kIrModule: {
      Advance();
      return PyValue::Text(PyKind::kIrName, range, name);
    }
    case PyKind::kRelaxModule: {
      Advance();
      return PyValue::Text(PyKind::kRelaxName, range, name);
    }
    case PyKind::kClass:
      return FunctionAttribute(name, range);
    case PyKind::kAxis:
    case PyKind::kTirName:
      return LongerName(object, name, range);
    case PyKind::kScalar:
      if (name == "buffer") {
        Advance();
        return PyValue::Of(range, object.buffer);
      }
      [[fallthrough]];
    case PyKind::kBuffer:
      Advance();
      return BufferAttribute(object, name, range);
    case PyKind::kError:
      Advance();
      return PyValue(PyKind::kError, range);
    case PyKind::kIterVar:
      if (name == "var") {
        Advance();
        return PyValue::Of(range, static_cast<const Expr*>(object.iter_var->var));
      }
      break;
    case PyKind::kExpr:
    case PyKind::kFreshVar:
    case PyKind::kSubscript:
      if (name == "astype" || name == "dtype") return ExprAttribute(object, name, range);
      break;
    default:
      break;
  }
  Error(DiagnosticKind::kType, Here(),
        fmt::format("{} has no attribute `{}`", Describe(object), name));
  Advance();
  return PyValue(PyKind::kError, range);
}

PyValue Parser::BufferAttribute(const PyValue& object, std::string_view name, SourceRange range) {
  const Buffer* buffer = object.buffer;
  if (name == "data") return PyValue::Of(range, static_cast<const Expr*>(buffer->data));
  if (name == "elem_offset") return PyValue::Of(range, buffer->elem_offset);
  if (name == "dtype") {
    return PyValue::Text(PyKind::kString, range, arena_.Copy(buffer->dtype.ToString()));
  }
  if (name == "shape" || name == "strides") {
    absl::InlinedVector<PyValue, 8> items;
    for (const Expr* expr : name == "shape" ? buffer->shape : buffer->strides) {
      items.push_back(PyValue::Of(range, expr));
    }
    return Items(PyKind::kField, range, Span<PyValue>(items.data(), items.size()));
  }
  const bool is_view = name == "view" && rules_->has_flat_scopes;
  if (name == "vload" || name == "vstore" || name == "access_ptr" || name == "scope" || is_view) {
    PyValue value(PyKind::kMethod, range);
    value.method = scratch_->New<PyMethod>(PyMethod{buffer, nullptr, name});
    return value;
  }
  Error(DiagnosticKind::kType, range, fmt::format("a buffer has no attribute `{}`", name));
  return PyValue(PyKind::kError, range);
}

const Expr* Parser::IndexOf(const PyValue& value, std::string_view what) {
  const Expr* index = ToExpr(value);
  if (index == nullptr || index->dtype.is_integer()) return index;
  Error(DiagnosticKind::kType, value.range,
        fmt::format("{} is {}, expected an integer", what, DescribeTyped(value, index)));
  return nullptr;
}

void Parser::ParseIndex(PyIndex& index, PyValue& tuple) {
  const SourceRange start = Here();
  if (!At(Tok::kColon)) {
    const PyValue value = ParseExpr();
    if (value.is(PyKind::kTuple) && At(Tok::kRBracket)) {
      tuple = value;
      return;
    }
    index.start = failed_ ? nullptr : IndexOf(value, "index");
    index.range = value.range;
    if (!At(Tok::kColon)) return;
    if (index.start == nullptr) index.range = {};  // marks the error
  }
  index.is_slice = true;
  const auto ends = [&] { return At(Tok::kColon) || At(Tok::kComma) || At(Tok::kRBracket); };
  bool ok = index.start != nullptr || start == Here();
  Advance();
  if (!ends()) {
    index.stop = IndexOf(ParseExpr(), "index");
    ok = ok && index.stop != nullptr;
  }
  if (At(Tok::kColon)) {
    Advance();
    if (!ends()) {
      index.step = IndexOf(ParseExpr(), "index");
      ok = ok && index.step != nullptr;
    }
  }
  index.range = Since(start);
  if (!ok) index.is_slice = false, index.start = nullptr;
}

PyValue Parser::BufferSubscript(const PyValue& object) {
  const Buffer* buffer = object.buffer;
  const SourceRange open = Here();
  Advance();
  absl::InlinedVector<PyIndex, 6> indices;
  bool sliced = false;
  bool ok = true;
  if (At(Tok::kLParen) && lexer_.PeekChar() == ')') {  // A[()]
    Advance();
    Advance();
    Accept(Tok::kComma);
  }
  while (!At(Tok::kRBracket)) {
    PyValue tuple;
    ParseIndex(indices.emplace_back(), tuple);
    if (failed_) return PyValue();
    if (tuple.is(PyKind::kTuple) && indices.size() == 1) {  // A[(0, 0)]
      indices.clear();
      for (const PyValue& item : tuple.elements()) {
        indices.push_back({.start = IndexOf(item, "index"), .range = item.range});
        ok &= indices.back().start != nullptr;
      }
      break;
    }
    if (tuple.is(PyKind::kTuple)) indices.back().start = IndexOf(tuple, "index");
    sliced |= indices.back().is_slice;
    ok &= indices.back().is_slice || indices.back().start != nullptr;
    if (At(Tok::kRBracket)) break;
    if (!Expect(Tok::kComma, "`,` or `]`")) return PyValue();
  }
  Advance();
  const SourceRange range = Since(object.range);
  if (!ok) return PyValue(PyKind::kError, range);
  if (indices.size() != buffer->shape.size()) {
    Error(DiagnosticKind::kType, {open.begin, range.end},
          fmt::format("wrong number of indices of `{}`: expected {}, found {}", buffer->name.view(),
                      buffer->shape.size(), indices.size()));
    return PyValue(PyKind::kError, range);
  }
  auto* subscript = scratch_->New<PySubscript>();
  subscript->buffer = buffer;
  subscript->range = range;
  if (sliced) {
    subscript->slices = scratch_->Copy(Span<PyIndex>(indices.data(), indices.size()));
  } else {
    absl::InlinedVector<const Expr*, 6> plain;
    for (const PyIndex& index : indices) plain.push_back(index.start);
    subscript->indices = arena_.Copy(Span<const Expr*>(plain.data(), plain.size()));
  }
  PyValue value(PyKind::kSubscript, range);
  value.subscript = subscript;
  return value;
}

PyValue Parser::ParseSubscript(const PyValue& object) {
  if (object.is(PyKind::kBuffer) || object.is(PyKind::kScalar)) return BufferSubscript(object);
  Advance();
  PyValue index = ParseExprListIn(Tok::kRBracket);
  if (!Expect(Tok::kRBracket, "`]`")) return PyValue();
  return SubscriptValue(object, index, Since(object.range));
}

PyValue Parser::ParseExprListIn(Tok close) {
  const SourceRange start = Here();
  absl::InlinedVector<PyValue, 6> items;
  bool comma = false;
  while (!At(close)) {
    items.push_back(At(Tok::kColon) ? PyValue(PyKind::kError, Here()) : ParseExpr());
    if (At(Tok::kColon) && !failed_) {
      SyntaxError(DiagnosticKind::kType, Here(), "only buffers can be sliced");
    }
    if (failed_) return PyValue();
    if (!At(Tok::kComma)) break;
    comma = true;
    Advance();
  }
  if (items.size() == 1 && !comma) return items[0];
  return Items(PyKind::kTuple, Since(start), Span<PyValue>(items.data(), items.size()));
}

PyValue Parser::SubscriptValue(const PyValue& object, const PyValue& index, SourceRange range) {
  switch (object.kind) {
    case PyKind::kError:
      return PyValue(PyKind::kError, range);
    case PyKind::kMetadata: {
      const std::optional<std::string_view> key = ToText(index, "the key of `metadata`");
      if (!key) return PyValue(PyKind::kError, range);
      return PyValue::Text(PyKind::kMetadataKey, range, *key);
    }
    case PyKind::kMetadataKey:
      return MetadataItem(object, index, range);
    case PyKind::kList:
    case PyKind::kTuple:
    case PyKind::kField: {
      const std::optional<int64_t> position = ToInt(index, "the index");
      if (!position) return PyValue(PyKind::kError, range);
      const auto size = static_cast<int64_t>(object.count);
      const int64_t at = *position < 0 ? *position + size : *position;
      if (at < 0 || at >= size) {
        Error(DiagnosticKind::kArguments, index.range,
              fmt::format("index {} of a list of {}", *position, size));
        return PyValue(PyKind::kError, range);
      }
      PyValue item = object.items[at];
      item.range = range;
      return item;
    }
    case PyKind::kTirName: {  // `T.Buffer[(16,), "float32"]`, `T.Ptr["float32"]`
      if (object.tir_name->form == TirForm::kOldLet && rules_->has_flat_scopes) {
        return Items(PyKind::kLet, range, Span<PyValue>(&index, 1));
      }
      Args args;
      args.name = object.tir_name->text;
      args.range = range;
      const bool spread =
          index.is(PyKind::kTuple) && !index.elements().empty() && !index.items[0].is_number();
      if (spread) {
        args.positional.assign(index.elements().begin(), index.elements().end());
      } else {
        args.positional.push_back(index);
      }
      for (const PyValue& value : args.positional) args.has_error |= value.is_error();
      return CallTir(*object.tir_name, args);
    }
    default:
      Error(DiagnosticKind::kType, range, fmt::format("{} has no elements", Describe(object)));
      return PyValue(PyKind::kError, range);
  }
}

}  // namespace tenon
