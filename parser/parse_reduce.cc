#include <fmt/format.h>

#include "ir/opaque_calls.h"
#include "parser/parser_internal.h"

namespace tenon {

namespace {

constexpr std::pair<std::string_view, IterVarKind> kIterKinds[] = {
    {"DataPar", IterVarKind::kDataPar},
    {"ThreadIndex", IterVarKind::kThreadIndex},
    {"CommReduce", IterVarKind::kCommReduce},
    {"Ordered", IterVarKind::kOrdered},
    {"Opaque", IterVarKind::kOpaque},
    {"DimInfo", IterVarKind::kOpaque},
    {"Unrolled", IterVarKind::kUnrolled},
    {"Vectorized", IterVarKind::kVectorized},
    {"Parallelized", IterVarKind::kParallelized},
    {"Tensorized", IterVarKind::kTensorized},
};

}  // namespace

PyValue Parser::CallShuffle(const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<3> bound;
  Span<const Expr*> vectors;
  Span<const Expr*> indices;
  if (!Bind(args, {"vectors", "indices", "span"}, 2, bound) ||
      !ToExprs(*bound[0], "the list of vectors", &vectors) ||
      !ToExprs(*bound[1], "the list of indices", &indices)) {
    return error;
  }
  int64_t lanes = 0;
  for (const Expr* vector : vectors) {
    if (vector->dtype.element() != vectors[0]->dtype.element()) {
      Error(DiagnosticKind::kType, vector->range,
            fmt::format("`T.Shuffle` of `{}` and `{}`, expected one element type",
                        vectors[0]->dtype.ToString(), vector->dtype.ToString()));
      return error;
    }
    lanes += vector->dtype.lanes();
  }
  for (const Expr* index : indices) {
    const int64_t* lane = AsIntImm(index);
    if (lane != nullptr && *lane >= 0 && *lane < lanes) continue;
    Error(DiagnosticKind::kArguments, index->range,
          fmt::format("index of `T.Shuffle`, expected a constant from 0 to {}", lanes - 1));
    return error;
  }
  if (vectors.empty() || indices.empty() || indices.size() > static_cast<size_t>(kMostLanes)) {
    Error(DiagnosticKind::kArguments, args.range, "`T.Shuffle` without vectors or indices");
    return error;
  }
  const DataType dtype = vectors[0]->dtype.with_lanes(static_cast<int>(indices.size()));
  return PyValue::Of(args.range, static_cast<const Expr*>(
                                     builder_.New<Shuffle>(args.range, dtype, vectors, indices)));
}

PyValue Parser::CallLet(const TirName& name, const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  const Var* var = nullptr;
  const Expr* value = nullptr;
  const Expr* body = nullptr;
  Bound<4> bound;
  if (name.form == TirForm::kOldLet && args.positional.size() < 3) return CallLetStmt(args);
  if (name.form == TirForm::kOldLet) {
    if (!Bind(args, {"var", "value", "body", "span"}, 3, bound)) return error;
    var = dyn_cast_or_null<Var>(ToExpr(*bound[0]));
    value = ToExpr(*bound[1]);
    body = ToExpr(*bound[2]);
  } else {
    if (!Bind(args, {"expr", "where", "span"}, 2, bound)) return error;
    const PyValue& where = *bound[1];
    if (!where.is(PyKind::kDict) || where.count != 2) {
      Error(DiagnosticKind::kArguments, where.range,
            "`where` of `T.Let`, expected a dict of one variable");
      return error;
    }
    body = ToExpr(*bound[0]);
    const Expr* key = ToExpr(where.items[0]);
    var = dyn_cast_or_null<Var>(key);
    value = ToExpr(where.items[1]);
  }
  if (value == nullptr || body == nullptr) return error;
  if (var == nullptr) {
    Error(DiagnosticKind::kArguments, args.range, "what `T.Let` binds, expected a variable");
    return error;
  }
  if (value->dtype != var->dtype) {
    Error(DiagnosticKind::kType, args.range,
          fmt::format("`T.Let` of a `{}` to a value of `{}`", var->dtype.ToString(),
                      value->dtype.ToString()));
    return error;
  }
  return PyValue::Of(args.range,
                     static_cast<const Expr*>(builder_.New<Let>(args.range, var, value, body)));
}

const Op* Parser::OpOfCall(std::string_view name, SourceRange range) {
  const Op* op = FindOpaqueCall(name);
  if (op != nullptr) return op;
  if (name.starts_with("tir.")) name.remove_prefix(4);
  op = context_.OpNamed(name);
  return CheckKnownOp(op, range) ? op : nullptr;
}

PyValue Parser::CallIntrin(Args& args) {
  // T.call_intrin("float32", "tir.exp", x)
  const PyValue error(PyKind::kError, args.range);
  if (args.keywords.size() == 1 && args.keywords[0].name == "dtype") {
    args.positional.insert(args.positional.begin(), args.keywords[0].value);
    args.keywords.clear();
  }
  if (!args.keywords.empty() || args.positional.size() < 2) {
    Error(
        DiagnosticKind::kArguments, args.range,
        "arguments of `T.call_intrin`, expected a dtype, the name of a builtin, and its arguments");
    return error;
  }
  const std::optional<DataType> dtype = ToDType(args.positional[0]);
  const std::optional<std::string_view> name = ToText(args.positional[1], "the operator");
  const Op* op = name ? OpOfCall(*name, args.positional[1].range) : nullptr;
  if (!dtype || op == nullptr) return error;
  absl::InlinedVector<const Expr*, 8> exprs;
  for (size_t i = 2; i < args.positional.size(); ++i) {
    exprs.push_back(ArgOf(args.positional[i]));
    if (exprs.back() == nullptr) return error;
  }
  return PyValue::Of(
      args.range,
      NewCall(*dtype, op, arena_.Copy(Span<const Expr*>(exprs.data(), exprs.size())), args.range));
}

PyValue Parser::CallGeneric(const Args& args) {
  // T.Call("float32", "tir.exp", [x])
  const PyValue error(PyKind::kError, args.range);
  Bound<4> bound;
  Span<const Expr*> exprs;
  if (!Bind(args, {"dtype", "op", "args", "span"}, 3, bound)) return error;
  const std::optional<DataType> dtype = ToDType(*bound[0]);
  const std::optional<std::string_view> op = ToText(*bound[1], "the operator");
  if (!dtype || !op || !ToExprs(*bound[2], "the list of arguments", &exprs)) return error;
  const Op* known = OpOfCall(*op, bound[1]->range);
  if (known == nullptr) return error;
  return PyValue::Of(args.range, NewCall(*dtype, known, exprs, args.range));
}

PyValue Parser::CallIterVar(const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<5> bound;
  if (!Bind(args, {"var", "dom", "iter_type", "thread_tag", "span"}, 4, bound)) return error;
  const auto kind_text = ToText(*bound[2], "the kind");
  const auto tag = ToText(*bound[3], "the thread tag");
  if (!kind_text || !tag) return error;
  const auto* known = std::find_if(std::begin(kIterKinds), std::end(kIterKinds),
                                   [&](const auto& row) { return row.first == *kind_text; });
  if (known == std::end(kIterKinds)) {
    Error(DiagnosticKind::kArguments, bound[2]->range,
          fmt::format("unknown kind `{}` of an iteration variable", *kind_text));
    return error;
  }
  const Range* dom = nullptr;
  if (!bound[1]->is(PyKind::kNone)) {
    dom = ToRange(*bound[1]);
    if (dom == nullptr) return error;
  }
  const Var* var = nullptr;
  if (bound[0]->is(PyKind::kString)) {
    const DataType dtype = dom != nullptr ? dom->extent->dtype : DataType::Int(32);
    var = builder_.New<Var>(bound[0]->range, context_.Intern(bound[0]->text()), PrimTypeOf(dtype));
  } else {
    var = dyn_cast_or_null<Var>(ToExpr(*bound[0]));
    if (var == nullptr) {
      Error(DiagnosticKind::kArguments, bound[0]->range, "expected a variable");
      return error;
    }
  }
  PyValue value(PyKind::kIterVar, args.range);
  value.iter_var = builder_.New<IterVar>(args.range, dom, var, known->second, *tag);
  return value;
}

PyValue Parser::CallRange(const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<3> bound;
  if (!Bind(args, {"begin", "end", "span"}, 1, bound)) return error;
  const Expr* first = ToExpr(*bound[0]);
  if (first == nullptr) return error;
  const Expr* begin = first;
  const Expr* end = nullptr;
  if (bound[1] == nullptr || bound[1]->is(PyKind::kNone)) {
    begin = builder_.Int(first->dtype, 0, args.range);
    end = first;
  } else {
    end = ToExpr(*bound[1]);
    if (end == nullptr) return error;
  }
  if (isa<IntImm>(begin)) begin = SmartCast(builder_, end->dtype, begin);
  if (isa<IntImm>(end)) end = SmartCast(builder_, begin->dtype, end);
  const Expr* extent = ExtentBetween(begin, end);
  if (extent == nullptr) return error;
  PyValue value(PyKind::kRange, args.range);
  value.range_node = builder_.New<Range>(args.range, begin, extent);
  return value;
}

const Range* Parser::ToRange(const PyValue& value) {
  if (value.is(PyKind::kRange)) return value.range_node;
  if (value.is_sequence() && value.count == 2) {
    const Expr* begin = IndexOf(value.items[0], "begin of the domain");
    const Expr* end = IndexOf(value.items[1], "end of the domain");
    if (begin == nullptr || end == nullptr) return nullptr;
    if (isa<IntImm>(begin)) begin = SmartCast(builder_, end->dtype, begin);
    if (isa<IntImm>(end)) end = SmartCast(builder_, begin->dtype, end);
    const Expr* extent = ExtentBetween(begin, end);
    return extent == nullptr ? nullptr : builder_.New<Range>(value.range, begin, extent);
  }
  const Expr* extent = ToExpr(value);
  if (extent == nullptr) return nullptr;
  if (!extent->dtype.is_integer() || !extent->dtype.is_scalar()) {
    Error(DiagnosticKind::kType, value.range,
          fmt::format("the domain is {}, expected an integer or a pair of them",
                      DescribeTyped(value, extent)));
    return nullptr;
  }
  return builder_.New<Range>(value.range, builder_.Int(extent->dtype, 0, value.range), extent);
}

PyValue Parser::ParseCommReducer(SourceRange start) {
  // T.comm_reducer(lambda x, y: x + y, [T.float32(0)])
  Advance();
  if (!Expect(Tok::kLambda, "`lambda`")) return PyValue();
  std::vector<Token> names;
  while (token_.name != nullptr && !At(Tok::kColon)) {
    names.push_back(token_);
    Advance();
    if (!Accept(Tok::kComma)) break;
  }
  if (!Expect(Tok::kColon, "`:` after the parameters")) return PyValue();
  // The types of the parameters are those of the identities, which follow: read twice.
  const LexerMark body = MarkHere();
  if (names.empty() || names.size() % 2 != 0) {
    SyntaxError(DiagnosticKind::kArguments, Since(start),
                "a reducer has pairs of parameters: all left sides, then all right sides");
    return PyValue();
  }
  return FinishCommReducer(start, names, body);
}

PyValue Parser::FinishCommReducer(SourceRange start, const std::vector<Token>& names,
                                  const LexerMark& body) {
  // Skips the lambda's body: up to the comma that is outside all further brackets.
  const bool opens = At(Tok::kLParen) || At(Tok::kLBracket) || At(Tok::kLBrace);
  const size_t depth = lexer_.bracket_depth() - (opens ? 1 : 0);
  while (!failed_ && !At(Tok::kEnd) && !At(Tok::kNewline)) {
    if (lexer_.bracket_depth() == depth && At(Tok::kComma)) break;
    if (lexer_.bracket_depth() < depth) break;
    Advance();
  }
  if (!Expect(Tok::kComma, "`,` and the identity elements")) return PyValue();
  PyValue identities = ParseExpr();
  if (At(Tok::kComma)) Advance();
  if (!At(Tok::kRParen)) {
    UnexpectedToken("`)`");
    return PyValue();
  }
  const LexerMark close = MarkHere();
  Span<const Expr*> identity;
  const PyValue error(PyKind::kError, Since(start));
  const bool ok = ToExprs(identities, "the list of identity elements", &identity);
  const size_t half = names.size() / 2;
  if (ok && identity.size() != half) {
    SyntaxError(
        DiagnosticKind::kArguments, identities.range,
        fmt::format("{} identity elements for {} pairs of parameters", identity.size(), half));
    return PyValue();
  }
  absl::InlinedVector<const Var*, 4> vars;
  scopes_.Push();
  for (size_t i = 0; i < names.size(); ++i) {
    const DataType dtype = ok ? identity[i % half]->dtype : DataType::Float(32);
    const Var* var =
        builder_.New<Var>(lexer_.Range(names[i]), SymbolOf(names[i].name), PrimTypeOf(dtype));
    vars.push_back(var);
    scopes_.Bind(names[i].name,
                 ok ? PyValue::Of(var->range, static_cast<const Expr*>(var)) : PyValue(),
                 var->range);
  }
  GoTo(body);
  const PyValue result = ParseExpr();
  Span<const Expr*> results;
  const bool good = ok && !failed_ && ToExprs(result, "the result", &results);
  scopes_.Pop();
  if (failed_) return PyValue();
  // Goes on behind the closing bracket.
  GoTo(close);
  Advance();
  if (!good) return error;
  if (results.size() != half) {
    Error(DiagnosticKind::kArguments, result.range,
          fmt::format("{} results for {} pairs of parameters", results.size(), half));
    return error;
  }
  const Span<const Var*> all = arena_.Copy(Span<const Var*>(vars.data(), vars.size()));
  PyValue value(PyKind::kReducer, Since(start));
  value.reducer =
      builder_.New<CommReducer>(value.range, all.first(half), all.subspan(half), results, identity);
  return value;
}

}  // namespace tenon
