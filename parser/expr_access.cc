#include <fmt/format.h>

#include <algorithm>

#include "ir/builtins.h"
#include "ir/opaque_calls.h"
#include "parser/expr_parser.h"

// Attributes, subscripts and calls.

namespace tenon {

bool ExprParser::CheckUnknownName(std::string_view name, SourceRange range) {
  const size_t digits = name.find_first_of("0123456789");
  const std::string_view stem = name.substr(0, digits);
  const bool like_dtype =
      digits != std::string_view::npos &&
      (stem == "int" || stem == "uint" || stem == "float" || stem == "bfloat" || stem == "bool");
  if (like_dtype) {
    env_.Error(DiagnosticKind::kType, range,
               fmt::format("expected a dtype such as `float32`, found `{}`", name));
    return false;
  }
  const bool is_call = cursor_.At(Tok::kLParen);
  if (is_call && env_.options.allow_unknown_ops) return true;
  // One error for a name, in however many places the text has it.
  if (!env_.unknown_names.emplace(name).second) return false;
  const std::string_view near = NearestTirName(name);
  if (!near.empty()) {
    env_.Error(DiagnosticKind::kUndefinedName, range,
               fmt::format("unknown name `T.{}`; did you mean `T.{}`?", name, near));
  } else {
    env_.Error(DiagnosticKind::kUndefinedName, range,
               fmt::format("unknown name `T.{}`{}", name,
                           is_call ? "; pass --allow-unknown-ops to keep calls to it" : ""));
  }
  return false;
}

/// Whether the name is a builtin that no TVM version has.
static bool IsUnknownOp(const TirName& name) {
  return name.form == TirForm::kOp && name.op->kind == OpKind::kUnknown &&
         !IsOpaqueCall(*name.op) && !IsInTargetNamespace(name.text);
}

PyValue ExprParser::TirAttribute(SourceRange start) {
  // The name is the current token.
  NameEntry* entry = cursor_.token().name;
  const TirName* tir_name = entry->tir_name;
  if (tir_name == nullptr) {
    tir_name = FindTirName(entry->text, env_.dialect, env_.context, env_.name_arena);
    entry->tir_name = tir_name;
  }
  const SourceRange name = cursor_.Here();
  cursor_.Advance();
  if (!env_.CheckDialectName(entry->text, name))
    return PyValue(PyKind::kError, cursor_.Since(start));
  if (IsUnknownOp(*tir_name) && !cursor_.At(Tok::kDot) && !CheckUnknownName(entry->text, name)) {
    return PyValue(PyKind::kError, cursor_.Since(start));
  }
  PyValue value(tir_name->form == TirForm::kAxis ? PyKind::kAxis : PyKind::kTirName,
                cursor_.Since(start));
  value.tir_name = tir_name;
  return value;
}

PyValue ExprParser::FunctionAttribute(std::string_view name, SourceRange range) {
  const bool known = functions_.ResultOf(cursor_.token().name).has_value();
  functions_.Use(cursor_.token().name, cursor_.Here());
  if (!known) {
    env_.Error(DiagnosticKind::kUndefinedName, cursor_.Here(),
               fmt::format("the module has no function `{}`", name));
  }
  cursor_.Advance();
  return known ? PyValue::Text(PyKind::kFunction, range, name) : PyValue(PyKind::kError, range);
}

/// `T.handle().ty`: the dtype of a call that returns a pointer.
bool ExprParser::IsPointerType(const PyValue& object, std::string_view name) const {
  return name == "ty" && object.is(PyKind::kFreshVar) && IsTirx(env_.dialect);
}

PyValue ExprParser::ExprAttribute(const PyValue& object, std::string_view name, SourceRange range) {
  const Expr* expr = values_.ToExpr(object);
  cursor_.Advance();
  if (expr == nullptr) return PyValue(PyKind::kError, range);
  if (IsPointerType(object, name)) env_.RaiseDialect(Dialect::kV026);
  if (name == "dtype" || name == "ty") {
    return PyValue::Text(PyKind::kString, range, env_.arena.Copy(expr->dtype.ToString()));
  }
  PyValue value(PyKind::kMethod, range);
  value.method = env_.scratch->New<PyMethod>(PyMethod{nullptr, expr, name});
  return value;
}

// A builtin with dots in its name.
PyValue ExprParser::DottedName(const PyValue& object, std::string_view name, SourceRange range) {
  constexpr size_t kMostName = 1000;
  const std::string joined = fmt::format("{}.{}", object.tir_name->text, name);
  if (joined.size() > kMostName) {
    cursor_.SyntaxError(DiagnosticKind::kLimit, range,
                        fmt::format("name of a builtin with more than {} characters", kMostName));
    return PyValue();
  }
  PyValue value(PyKind::kTirName, range);
  value.tir_name = FindTirName(env_.names.Find(env_.arena.Copy(joined))->text, env_.dialect,
                               env_.context, env_.name_arena);
  return value;
}

// `T.axis.remap`, `T.cuda.f`: the name after the second dot.
PyValue ExprParser::LongerName(const PyValue& object, std::string_view name, SourceRange range) {
  cursor_.Advance();
  if (object.is(PyKind::kAxis)) {
    PyValue value = PyValue::Text(PyKind::kAxis, range, name);
    value.count = 1;  // with a name
    return value;
  }
  PyValue dotted = DottedName(object, name, range);
  if (cursor_.failed() || !IsUnknownOp(*dotted.tir_name) || cursor_.At(Tok::kDot) ||
      CheckUnknownName(dotted.tir_name->text, range)) {
    return dotted;
  }
  return PyValue(PyKind::kError, range);
}

PyValue ExprParser::ParseAttribute(const PyValue& object) {
  cursor_.Advance();  // the dot
  if (cursor_.token().name == nullptr) {
    cursor_.UnexpectedToken("a name after `.`");
    return PyValue();
  }
  const std::string_view name = cursor_.token().name->text;
  // A variable may be called `T`: TVM 0.15's printer does not reserve that name.
  const bool is_prefix =
      object.is(PyKind::kExpr) && isa<Var>(object.expr) &&
      (cast<Var>(object.expr)->name.view() == "T" || cast<Var>(object.expr)->name.view() == "tir");
  if (object.is(PyKind::kTirModule) || is_prefix) return TirAttribute(object.range);
  const SourceRange range{object.range.begin, cursor_.Here().end};
  switch (object.kind) {
    case PyKind::kIrModule: {
      cursor_.Advance();
      return PyValue::Text(PyKind::kIrName, range, name);
    }
    case PyKind::kRelaxModule: {
      cursor_.Advance();
      return PyValue::Text(PyKind::kRelaxName, range, name);
    }
    case PyKind::kClass:
      return FunctionAttribute(name, range);
    case PyKind::kAxis:
    case PyKind::kTirName:
      return LongerName(object, name, range);
    case PyKind::kScalar:
      if (name == "buffer") {
        cursor_.Advance();
        return PyValue::Of(range, object.buffer);
      }
      [[fallthrough]];
    case PyKind::kBuffer:
      cursor_.Advance();
      return BufferAttribute(object, name, range);
    case PyKind::kError:
      cursor_.Advance();
      return PyValue(PyKind::kError, range);
    case PyKind::kIterVar:
      if (name == "var") {
        cursor_.Advance();
        return PyValue::Of(range, object.iter_var->var);
      }
      break;
    case PyKind::kExpr:
    case PyKind::kFreshVar:
    case PyKind::kSubscript:
      if (name == "astype" || name == "dtype" || IsPointerType(object, name)) {
        return ExprAttribute(object, name, range);
      }
      break;
    default:
      break;
  }
  env_.Error(DiagnosticKind::kType, cursor_.Here(),
             fmt::format("{} has no attribute `{}`", Describe(object), name));
  cursor_.Advance();
  return PyValue(PyKind::kError, range);
}

PyValue ExprParser::BufferAttribute(const PyValue& object, std::string_view name,
                                    SourceRange range) {
  const Buffer* buffer = object.buffer;
  if (name == "data") {
    env_.data_range = range;
    env_.data_buffer = buffer;
    return PyValue::Of(range, buffer->data);
  }
  if (name == "elem_offset") return PyValue::Of(range, buffer->elem_offset);
  if (name == "dtype") {
    return PyValue::Text(PyKind::kString, range, env_.arena.Copy(buffer->dtype.ToString()));
  }
  if (name == "shape" || name == "strides") {
    absl::InlinedVector<PyValue, 8> items;
    for (const Expr* expr : name == "shape" ? buffer->shape : buffer->strides) {
      items.push_back(PyValue::Of(range, expr));
    }
    return env_.Items(PyKind::kField, range, items);
  }
  const bool is_view = name == "view" && env_.rules->has_flat_scopes;
  if (name == "vload" || name == "vstore" || name == "access_ptr" || name == "scope" || is_view) {
    PyValue value(PyKind::kMethod, range);
    value.method = env_.scratch->New<PyMethod>(PyMethod{buffer, nullptr, name});
    return value;
  }
  return env_.Fail(DiagnosticKind::kType, range,
                   fmt::format("a buffer has no attribute `{}`", name));
}

void ExprParser::ParseIndex(PyIndex& index, PyValue& tuple) {
  const SourceRange start = cursor_.Here();
  if (!cursor_.At(Tok::kColon)) {
    const PyValue value = ParseExpr();
    if (value.is(PyKind::kTuple) && cursor_.At(Tok::kRBracket)) {
      tuple = value;
      return;
    }
    index.start = cursor_.failed() ? nullptr : values_.IndexOf(value, "index");
    index.range = value.range;
    if (!cursor_.At(Tok::kColon)) return;
    if (index.start == nullptr) index.range = {};  // marks the error
  }
  index.is_slice = true;
  const auto ends = [&] {
    return cursor_.At(Tok::kColon) || cursor_.At(Tok::kComma) || cursor_.At(Tok::kRBracket);
  };
  bool ok = index.start != nullptr || start == cursor_.Here();
  cursor_.Advance();
  if (!ends()) {
    index.stop = values_.IndexOf(ParseExpr(), "index");
    ok = ok && index.stop != nullptr;
  }
  if (cursor_.At(Tok::kColon)) {
    cursor_.Advance();
    if (!ends()) {
      index.step = values_.IndexOf(ParseExpr(), "index");
      ok = ok && index.step != nullptr;
    }
  }
  index.range = cursor_.Since(start);
  if (!ok) index.is_slice = false, index.start = nullptr;
}

PyValue ExprParser::BufferSubscript(const PyValue& object) {
  const Buffer* buffer = object.buffer;
  const SourceRange open = cursor_.Here();
  cursor_.Advance();
  absl::InlinedVector<PyIndex, 6> indices;
  bool sliced = false;
  bool ok = true;
  if (cursor_.At(Tok::kLParen) && cursor_.PeekChar() == ')') {  // A[()]
    cursor_.Advance();
    cursor_.Advance();
    cursor_.Accept(Tok::kComma);
  }
  while (!cursor_.At(Tok::kRBracket)) {
    PyValue tuple;
    ParseIndex(indices.emplace_back(), tuple);
    if (cursor_.failed()) return PyValue();
    if (tuple.is(PyKind::kTuple) && indices.size() == 1) {  // A[(0, 0)]
      indices.clear();
      for (const PyValue& item : tuple.elements()) {
        indices.push_back({.start = values_.IndexOf(item, "index"), .range = item.range});
        ok &= indices.back().start != nullptr;
      }
      break;
    }
    if (tuple.is(PyKind::kTuple)) indices.back().start = values_.IndexOf(tuple, "index");
    sliced |= indices.back().is_slice;
    ok &= indices.back().is_slice || indices.back().start != nullptr;
    if (cursor_.At(Tok::kRBracket)) break;
    if (!cursor_.Expect(Tok::kComma, "`,` or `]`")) return PyValue();
  }
  cursor_.Advance();
  const SourceRange range = cursor_.Since(object.range);
  if (!ok) return PyValue(PyKind::kError, range);
  if (indices.size() != buffer->shape.size()) {
    return env_.Fail(DiagnosticKind::kType, {open.begin, range.end},
                     fmt::format("wrong number of indices of `{}`: expected {}, found {}",
                                 buffer->name.view(), buffer->shape.size(), indices.size()),
                     range);
  }
  auto* subscript = env_.scratch->New<PySubscript>();
  subscript->buffer = buffer;
  subscript->range = range;
  if (sliced) {
    subscript->slices = env_.scratch->Copy(Span<PyIndex>(indices));
  } else {
    absl::InlinedVector<const Expr*, 6> plain;
    for (const PyIndex& index : indices) plain.push_back(index.start);
    subscript->indices = env_.Copy(plain);
  }
  PyValue value(PyKind::kSubscript, range);
  value.subscript = subscript;
  return value;
}

PyValue ExprParser::ParseSubscript(const PyValue& object) {
  if (object.is(PyKind::kBuffer) || object.is(PyKind::kScalar)) return BufferSubscript(object);
  cursor_.Advance();
  PyValue index = ParseExprListIn(Tok::kRBracket);
  if (!cursor_.Expect(Tok::kRBracket, "`]`")) return PyValue();
  return SubscriptValue(object, index, cursor_.Since(object.range));
}

PyValue ExprParser::ParseExprListIn(Tok close) {
  const SourceRange start = cursor_.Here();
  absl::InlinedVector<PyValue, 6> items;
  bool comma = false;
  while (!cursor_.At(close)) {
    items.push_back(cursor_.At(Tok::kColon) ? PyValue(PyKind::kError, cursor_.Here())
                                            : ParseExpr());
    if (cursor_.At(Tok::kColon) && !cursor_.failed()) {
      cursor_.SyntaxError(DiagnosticKind::kType, cursor_.Here(), "only buffers can be sliced");
    }
    if (cursor_.failed()) return PyValue();
    if (!cursor_.At(Tok::kComma)) break;
    comma = true;
    cursor_.Advance();
  }
  if (items.size() == 1 && !comma) return items[0];
  return env_.Items(PyKind::kTuple, cursor_.Since(start), items);
}

PyValue ExprParser::SubscriptValue(const PyValue& object, const PyValue& index, SourceRange range) {
  switch (object.kind) {
    case PyKind::kError:
      return PyValue(PyKind::kError, range);
    case PyKind::kMetadata: {
      const std::optional<std::string_view> key = values_.ToText(index, "the key of `metadata`");
      if (!key) return PyValue(PyKind::kError, range);
      return PyValue::Text(PyKind::kMetadataKey, range, *key);
    }
    case PyKind::kMetadataKey:
      return forms_.attrs.MetadataItem(object, index, range);
    case PyKind::kList:
    case PyKind::kTuple:
    case PyKind::kField: {
      const std::optional<int64_t> position = values_.ToInt(index, "the index");
      if (!position) return PyValue(PyKind::kError, range);
      const auto size = static_cast<int64_t>(object.count);
      const int64_t at = *position < 0 ? *position + size : *position;
      if (at < 0 || at >= size) {
        return env_.Fail(DiagnosticKind::kArguments, index.range,
                         fmt::format("index {} of a list of {}", *position, size), range);
      }
      PyValue item = object.items[at];
      item.range = range;
      return item;
    }
    case PyKind::kTirName: {  // `T.Buffer[(16,), "float32"]`, `T.Ptr["float32"]`
      if (object.tir_name->form == TirForm::kOldLet && env_.rules->has_flat_scopes) {
        return env_.Items(PyKind::kLet, range, Span<PyValue>(&index, 1));
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
      return CallForm(forms_, *object.tir_name, args);
    }
    default:
      return env_.Fail(DiagnosticKind::kType, range,
                       fmt::format("{} has no elements", Describe(object)));
  }
}

void ExprParser::ParseArgs(Args& args) {
  cursor_.Advance();  // (
  ParseMoreArgs(args);
}

void ExprParser::ParseMoreArgs(Args& args) {
  while (!cursor_.At(Tok::kRParen)) {
    if (cursor_.At(Tok::kStar) || cursor_.At(Tok::kPower)) {
      cursor_.SyntaxError(DiagnosticKind::kUnsupported, cursor_.Here(),
                          fmt::format("`{}` in an argument list", cursor_.Text()));
      return;
    }
    if (cursor_.token().name != nullptr && cursor_.PeekChar() == '=') {
      const Token name = cursor_.token();
      cursor_.Advance();
      if (cursor_.At(Tok::kAssign)) {
        cursor_.Advance();
        const PyValue value = ParseExpr();
        args.keywords.push_back({name.name->text, cursor_.RangeOf(name), value});
        args.has_error |= value.is_error();
      } else {  // `name == value`
        cursor_.Rewind(name);
        args.positional.push_back(ParseExpr());
        args.has_error |= args.positional.back().is_error();
      }
    } else {
      args.positional.push_back(ParseExpr());
      args.has_error |= args.positional.back().is_error();
      if (!args.keywords.empty() && !cursor_.failed()) {
        cursor_.SyntaxError(DiagnosticKind::kSyntax, args.positional.back().range,
                            "positional argument after a keyword argument");
      }
    }
    if (cursor_.failed()) return;
    if (cursor_.At(Tok::kRParen)) break;
    if (!cursor_.Expect(Tok::kComma, "`,` or `)`")) return;
  }
  cursor_.Advance();
}

PyValue ExprParser::ParseCall(const PyValue& callee) {
  if (callee.is(PyKind::kTirName)) {
    if (callee.tir_name->form == TirForm::kAllocateConst)
      return syntax_.ParseAllocateConst(callee.range);
    if (callee.tir_name->form == TirForm::kCommReducer)
      return syntax_.ParseCommReducer(callee.range);
    if (callee.tir_name->form == TirForm::kIndexMap) return syntax_.ParseIndexMap(callee.range);
    if (callee.tir_name->form == TirForm::kProducerRealize)
      return syntax_.RefuseProducer(callee.range);
  }
  if (callee.is(PyKind::kIrName) && callee.text() == "constant") {
    return syntax_.ParseConstantForm(callee.range);
  }
  Args args;
  ParseArgs(args);
  if (cursor_.failed()) return PyValue();
  args.range = cursor_.Since(callee.range);
  switch (callee.kind) {
    case PyKind::kTirName:
      args.name = callee.tir_name->text;
      return CallForm(forms_, *callee.tir_name, args);
    case PyKind::kIrName:
      args.name = callee.text();
      return CallIr(forms_, args);
    case PyKind::kAxis:
      args.name = callee.text();
      if (callee.count == 0) break;
      return args.has_error ? args.Error() : CallAxis(forms_, callee.text(), args);
    case PyKind::kFunction:
      args.name = callee.text();
      return CallFunction(callee, args);
    case PyKind::kMethod:
      args.name = callee.method->name;
      return CallMethod(forms_, *callee.method, args);
    case PyKind::kRangeName:
      args.name = "range";
      return RangeLoop(forms_, ForKind::kSerial, args);
    case PyKind::kError:
      return args.Error();
    default:
      break;
  }
  return env_.Fail(DiagnosticKind::kType, callee.range,
                   fmt::format("{} can't be called", Describe(callee)), args.range);
}

PyValue ExprParser::CallFunction(const PyValue& callee, const Args& args) {
  if (args.has_error) return args.Error();
  if (!args.keywords.empty()) {
    return env_.Fail(DiagnosticKind::kArguments, args.keywords[0].range,
                     "calls of functions take positional arguments only", args.range);
  }
  absl::InlinedVector<const Expr*, 8> exprs;
  for (const PyValue& value : args.positional) {
    exprs.push_back(values_.ArgOf(value));
    if (exprs.back() == nullptr) return args.Error();
  }
  const DataType dtype =
      functions_.ResultOf(env_.names.Find(callee.text())).value_or(DataType::Void());
  const Expr* call = env_.builder.New<Call>(args.range, dtype, Op::Get(OpKind::kGlobalCall),
                                            env_.Copy(exprs), env_.context.Intern(callee.text()));
  return PyValue::Of(args.range, call);
}

}  // namespace tenon
