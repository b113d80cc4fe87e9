#include "parser/syntax_forms.h"

#include <fmt/format.h>

#include <utility>

#include "ir/visitor.h"
#include "parser/expr_parser.h"

namespace tenon {

namespace {

constexpr std::string_view kIndexMapKey = "tir.IndexMap";

/// Whether the text of `map` says `int64` somewhere.
bool HasInt64Number(const Attr* map) {
  bool found = false;
  Walk(map, [&found](const Node* node) {
    const bool has_type = isa<IntImm>(node) || isa<Cast>(node) || isa<Call>(node);
    found |= has_type && cast<Expr>(node)->dtype.element() == DataType::Int(64);
    return !found;
  });
  return found;
}

}  // namespace

bool SyntaxForms::TakeList(Args& args) {
  if (!cursor_.At(Tok::kLBracket)) return true;
  const std::optional<SourceRange> range = cursor_.SkipList();
  if (!range || cursor_.failed()) return false;
  args.positional.push_back(PyValue(PyKind::kRawList, *range));
  return cursor_.At(Tok::kRParen) || cursor_.Expect(Tok::kComma, "`,` or `)`");
}

PyValue SyntaxForms::ParseAllocateConst(SourceRange start) {
  Args args;
  args.name = "allocate_const";
  cursor_.Advance();  // (
  if (!TakeList(args)) return PyValue();
  exprs_.ParseMoreArgs(args);
  if (cursor_.failed()) return PyValue();
  args.range = cursor_.Since(start);
  Bound<4> bound;
  Span<const Expr*> extents;
  if (!env_.Bind(args, {"data", "dtype", "extents", "annotations"}, 3, bound)) return args.Error();
  const std::optional<DataType> dtype = values_.ToDType(*bound[1]);
  if (!dtype || !values_.CheckElement(*dtype, bound[1]) ||
      !values_.ToExprs(*bound[2], "the list of extents", &extents)) {
    return args.Error();
  }
  if (!values_.CheckExtents(extents, *dtype, *bound[2])) return args.Error();
  std::vector<int64_t> shape;
  for (const Expr* extent : extents) {
    const int64_t* value = AsIntImm(extent);
    if (value == nullptr) {
      return env_.Fail(DiagnosticKind::kConstantShape, bound[2]->range,
                       "extent of a constant, expected an integer", args.range);
    }
    shape.push_back(*value);
  }
  PendingScope* scope = env_.NewScope(ScopeForm::kAllocateConst, args.range);
  scope->data = constants_.ConstantFrom(*bound[0], *dtype, shape, args.range);
  if (scope->data == nullptr) return args.Error();
  scope->dtype = *dtype;
  scope->type = env_.context.PointerType(*dtype, "");
  scope->extents = extents;
  if (bound[3] != nullptr && !bound[3]->is(PyKind::kNone)) {
    scope->annotations = attrs_.ToMap(*bound[3], /*normalise=*/true);
    if (scope->annotations == nullptr) return args.Error();
  }
  return env_.ScopeValue(scope);
}

// I.constant("name"), or with data: I.constant("name", [...], "int8", [3], align=16, ...). The list
// is read later, when its dtype is known.
PyValue SyntaxForms::ParseConstantForm(SourceRange start) {
  Args args;
  args.name = "constant";
  cursor_.Advance();  // (
  if (!cursor_.At(Tok::kRParen)) {
    args.positional.push_back(exprs_.ParseExpr());
    args.has_error |= args.positional.back().is_error();
    if (cursor_.failed()) return PyValue();
    if (!cursor_.At(Tok::kRParen) && !cursor_.Expect(Tok::kComma, "`,` or `)`")) return PyValue();
  }
  if (!TakeList(args)) return PyValue();
  exprs_.ParseMoreArgs(args);
  if (cursor_.failed()) return PyValue();
  args.range = cursor_.Since(start);
  const Constant* constant = args.positional.size() == 1 && args.keywords.empty()
                                 ? constants_.FindConstant(args.positional[0])
                                 : constants_.DeclareConstant(args);
  if (constant == nullptr) return args.Error();
  return PyValue::Of(args.range, env_.builder.New<ConstantAttr>(args.range, constant));
}

PyValue SyntaxForms::ParseCommReducer(SourceRange start) {
  // T.comm_reducer(lambda x, y: x + y, [T.float32(0)])
  cursor_.Advance();
  if (!cursor_.Expect(Tok::kLambda, "`lambda`")) return PyValue();
  std::vector<Token> names;
  while (cursor_.token().name != nullptr && !cursor_.At(Tok::kColon)) {
    names.push_back(cursor_.token());
    cursor_.Advance();
    if (!cursor_.Accept(Tok::kComma)) break;
  }
  if (!cursor_.Expect(Tok::kColon, "`:` after the parameters")) return PyValue();
  // The parameters have the types of the identities, which come later, so the lambda is read twice.
  const LexerMark body = cursor_.MarkHere();
  if (names.empty() || names.size() % 2 != 0) {
    cursor_.SyntaxError(DiagnosticKind::kArguments, cursor_.Since(start),
                        "a reducer has pairs of parameters: all left sides, then all right sides");
    return PyValue();
  }
  return FinishCommReducer(start, names, body);
}

PyValue SyntaxForms::FinishCommReducer(SourceRange start, const std::vector<Token>& names,
                                       const LexerMark& body) {
  // Skips the lambda's body, up to the comma that is outside of all inner brackets.
  const Tok first = cursor_.token().kind;
  const bool opens = first == Tok::kLParen || first == Tok::kLBracket || first == Tok::kLBrace;
  const size_t depth = cursor_.bracket_depth() - (opens ? 1 : 0);
  while (!cursor_.failed() && !cursor_.At(Tok::kEnd) && !cursor_.At(Tok::kNewline)) {
    if (cursor_.bracket_depth() == depth && cursor_.At(Tok::kComma)) break;
    if (cursor_.bracket_depth() < depth) break;
    cursor_.Advance();
  }
  if (!cursor_.Expect(Tok::kComma, "`,` and the identity elements")) return PyValue();
  PyValue identities = exprs_.ParseExpr();
  cursor_.Accept(Tok::kComma);
  if (!cursor_.At(Tok::kRParen)) {
    cursor_.UnexpectedToken("`)`");
    return PyValue();
  }
  const LexerMark close = cursor_.MarkHere();
  Span<const Expr*> identity;
  const PyValue error(PyKind::kError, cursor_.Since(start));
  const bool ok = values_.ToExprs(identities, "the list of identity elements", &identity);
  const size_t half = names.size() / 2;
  if (ok && identity.size() != half) {
    cursor_.SyntaxError(
        DiagnosticKind::kArguments, identities.range,
        fmt::format("{} identity elements for {} pairs of parameters", identity.size(), half));
    return PyValue();
  }
  absl::InlinedVector<const Var*, 4> vars;
  scopes_.Push();
  for (size_t i = 0; i < names.size(); ++i) {
    const DataType dtype = ok ? identity[i % half]->dtype : DataType::Float(32);
    const Var* var = env_.builder.New<Var>(cursor_.RangeOf(names[i]), env_.SymbolOf(names[i].name),
                                           env_.PrimTypeOf(dtype));
    vars.push_back(var);
    scopes_.Bind(names[i].name, ok ? PyValue::Of(var->range, var) : PyValue(), var->range);
  }
  cursor_.GoTo(body);
  const PyValue result = exprs_.ParseExpr();
  Span<const Expr*> results;
  const bool good = ok && !cursor_.failed() && values_.ToExprs(result, "the result", &results);
  scopes_.Pop();
  if (cursor_.failed()) return PyValue();
  // Continue after the closing bracket.
  cursor_.GoTo(close);
  cursor_.Advance();
  if (!good) return error;
  if (results.size() != half) {
    return env_.Fail(DiagnosticKind::kArguments, result.range,
                     fmt::format("{} results for {} pairs of parameters", results.size(), half),
                     error.range);
  }
  const Span<const Var*> all = env_.Copy(vars);
  PyValue value(PyKind::kReducer, cursor_.Since(start));
  value.reducer = env_.builder.New<CommReducer>(value.range, all.first(half), all.subspan(half),
                                                results, identity);
  return value;
}

PyValue SyntaxForms::ParseMapping(DataType dtype) {
  // lambda i, j: (j, i // 4, i % 4)
  const SourceRange start = cursor_.Here();
  if (!cursor_.Expect(Tok::kLambda, "`lambda`")) return PyValue();
  std::vector<const Attr*> initial;
  scopes_.Push();
  while (cursor_.token().name != nullptr && !cursor_.At(Tok::kColon)) {
    const Var* var = env_.builder.New<Var>(cursor_.Here(), env_.SymbolOf(cursor_.token().name),
                                           env_.PrimTypeOf(dtype));
    initial.push_back(env_.builder.New<ExprAttr>(var->range, var));
    scopes_.Bind(cursor_.token().name, PyValue::Of(var->range, static_cast<const Expr*>(var)),
                 var->range);
    cursor_.Advance();
    if (!cursor_.Accept(Tok::kComma)) break;
  }
  std::vector<const Attr*> final_indices;
  bool ok = cursor_.Expect(Tok::kColon, "`:` after the parameters");
  if (ok) {
    const PyValue result = exprs_.ParseExpr();
    const std::span<const PyValue> results =
        result.is_sequence() ? result.elements() : std::span<const PyValue>(&result, 1);
    for (const PyValue& item : results) {
      const Expr* index = item.is_number() ? values_.NumberOf(item, dtype) : values_.ToExpr(item);
      ok = ok && index != nullptr;
      if (index != nullptr) final_indices.push_back(env_.builder.New<ExprAttr>(item.range, index));
    }
  }
  scopes_.Pop();
  if (cursor_.failed()) return PyValue();
  const SourceRange range = cursor_.Since(start);
  if (!ok) return PyValue(PyKind::kError, range);
  const auto list = [&](const std::vector<const Attr*>& items) -> const Attr* {
    return env_.builder.New<ArrayAttr>(range, env_.arena.Copy(items));
  };
  return PyValue::Of(range, attrs_.Record(kIndexMapKey,
                                          {{"initial_indices", list(initial)},
                                           {"final_indices", list(final_indices)}},
                                          range));
}

PyValue SyntaxForms::ParseIndexMap(SourceRange start) {
  // The text gives parameters no type. If int32 parameters meet int64 numbers, the parameters are
  // int64. An int64 map without such a number would print as a map of int32, so it is not taken.
  const LexerMark open = cursor_.MarkHere();
  const size_t errors = env_.diagnostics.error_count();
  const bool nested = std::exchange(in_index_map_, true);
  PyValue map = ParseIndexMapOf(DataType::Int(32), start);
  // A map within a map is an error anyway, and two attempts at each level would take 2^depth.
  const bool good = !cursor_.failed() && env_.diagnostics.error_count() == errors;
  if (!nested && good && map.attr != nullptr && HasInt64Number(map.attr)) {
    cursor_.GoTo(open);
    const PyValue wide = ParseIndexMapOf(DataType::Int(64), start);
    if (cursor_.failed() || wide.is_error() || HasInt64Number(wide.attr)) map = wide;
  }
  in_index_map_ = nested;
  return map;
}

PyValue SyntaxForms::ParseIndexMapOf(DataType dtype, SourceRange start) {
  // T.index_map(lambda i: (i // 4, i % 4), inverse_index_map=lambda i, j: (i * 4 + j,))
  cursor_.Advance();
  PyValue map = ParseMapping(dtype);
  PyValue inverse;
  bool has_inverse = false;
  if (!cursor_.failed() && cursor_.Accept(Tok::kComma) && !cursor_.At(Tok::kRParen)) {
    if (cursor_.token().name == nullptr || cursor_.token().name->text != "inverse_index_map") {
      cursor_.UnexpectedToken("`inverse_index_map=`");
      return PyValue();
    }
    cursor_.Advance();
    if (!cursor_.Expect(Tok::kAssign, "`=`")) return PyValue();
    has_inverse = !cursor_.At(Tok::kNone);
    if (has_inverse) {
      inverse = ParseMapping(dtype);
    } else {
      cursor_.Advance();
    }
    if (!cursor_.failed()) cursor_.Accept(Tok::kComma);
  }
  if (cursor_.failed() || !cursor_.Expect(Tok::kRParen, "`)`")) return PyValue();
  const SourceRange range = cursor_.Since(start);
  if (map.is_error() || (has_inverse && inverse.is_error())) return PyValue(PyKind::kError, range);
  if (!has_inverse) return map;
  const MapAttr* fields = cast<ObjectAttr>(map.attr)->fields;
  return PyValue::Of(range, attrs_.Record(kIndexMapKey,
                                          {{"initial_indices", fields->Find("initial_indices")},
                                           {"final_indices", fields->Find("final_indices")},
                                           {"inverse_index_map", inverse.attr}},
                                          range));
}

PyValue SyntaxForms::RefuseProducer(SourceRange start) {
  // TVM's text of tensor expressions before lowering has no declaration of the tensor.
  env_.Error(DiagnosticKind::kUnsupported, start,
             "`T.ProducerRealize` is printed for tensor expressions that are not lowered yet, and "
             "cannot be read: the text lacks the element type of the tensor");
  cursor_.Advance();
  if (cursor_.token().name != nullptr && scopes_.Find(cursor_.token().name) == nullptr)
    scopes_.Bind(cursor_.token().name, PyValue(), cursor_.Here());
  // Continue after the closing bracket.
  const size_t depth = cursor_.bracket_depth();
  while (!cursor_.failed() && !cursor_.At(Tok::kEnd) && !cursor_.At(Tok::kNewline) &&
         cursor_.bracket_depth() >= depth)
    cursor_.Advance();
  cursor_.Expect(Tok::kRParen, "`)`");
  return PyValue(PyKind::kError, cursor_.Since(start));
}

}  // namespace tenon
