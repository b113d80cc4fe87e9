#include <fmt/format.h>

#include "parser/parser_internal.h"

namespace tenon {

namespace {

constexpr std::string_view kIndexMapKey = "tir.IndexMap";

}  // namespace

DataType Parser::IndexMapType() {
  // The text gives parameters no type. A body with 64-bit numbers is one over 64-bit indices: as
  // such it prints the same again.
  const LexerMark start = MarkHere();
  const size_t depth = lexer_.bracket_depth();
  bool wide = false;
  while (!failed_ && !At(Tok::kEnd) && lexer_.bracket_depth() >= depth) {
    wide |= token_.name != nullptr && token_.name->text == "int64";
    Advance();
  }
  if (!failed_) GoTo(start);
  return DataType::Int(wide ? 64 : 32);
}

PyValue Parser::ParseMapping(DataType dtype) {
  // lambda i, j: (j, i // 4, i % 4)
  const SourceRange start = Here();
  if (!Expect(Tok::kLambda, "`lambda`")) return PyValue();
  std::vector<const Attr*> initial;
  scopes_.Push();
  while (token_.name != nullptr && !At(Tok::kColon)) {
    const Var* var = builder_.New<Var>(Here(), SymbolOf(token_.name), PrimTypeOf(dtype));
    initial.push_back(builder_.New<ExprAttr>(var->range, var));
    scopes_.Bind(token_.name, PyValue::Of(var->range, static_cast<const Expr*>(var)), var->range);
    Advance();
    if (!Accept(Tok::kComma)) break;
  }
  std::vector<const Attr*> final_indices;
  bool ok = Expect(Tok::kColon, "`:` after the parameters");
  if (ok) {
    const PyValue result = ParseExpr();
    const std::span<const PyValue> results =
        result.is_sequence() ? result.elements() : std::span<const PyValue>(&result, 1);
    for (const PyValue& item : results) {
      const Expr* index = item.is_number() ? NumberOf(item, dtype) : ToExpr(item);
      ok = ok && index != nullptr;
      if (index != nullptr) final_indices.push_back(builder_.New<ExprAttr>(item.range, index));
    }
  }
  scopes_.Pop();
  if (failed_) return PyValue();
  const SourceRange range = Since(start);
  if (!ok) return PyValue(PyKind::kError, range);
  const auto list = [&](const std::vector<const Attr*>& items) -> const Attr* {
    return builder_.New<ArrayAttr>(range, arena_.Copy(items));
  };
  return PyValue::Of(
      range,
      Record(kIndexMapKey,
             {{"initial_indices", list(initial)}, {"final_indices", list(final_indices)}}, range));
}

PyValue Parser::ParseIndexMap(SourceRange start) {
  // T.index_map(lambda i: (i // 4, i % 4), inverse_index_map=lambda i, j: (i * 4 + j,))
  Advance();
  const DataType dtype = IndexMapType();
  if (failed_) return PyValue();
  PyValue map = ParseMapping(dtype);
  PyValue inverse;
  bool has_inverse = false;
  if (!failed_ && Accept(Tok::kComma) && !At(Tok::kRParen)) {
    if (token_.name == nullptr || token_.name->text != "inverse_index_map") {
      UnexpectedToken("`inverse_index_map=`");
      return PyValue();
    }
    Advance();
    if (!Expect(Tok::kAssign, "`=`")) return PyValue();
    has_inverse = !At(Tok::kNone);
    if (has_inverse) {
      inverse = ParseMapping(dtype);
    } else {
      Advance();
    }
    if (!failed_) Accept(Tok::kComma);
  }
  if (failed_ || !Expect(Tok::kRParen, "`)`")) return PyValue();
  const SourceRange range = Since(start);
  if (map.is_error() || (has_inverse && inverse.is_error())) return PyValue(PyKind::kError, range);
  if (!has_inverse) return map;
  const MapAttr* fields = cast<ObjectAttr>(map.attr)->fields;
  return PyValue::Of(range, Record(kIndexMapKey,
                                   {{"initial_indices", fields->Find("initial_indices")},
                                    {"final_indices", fields->Find("final_indices")},
                                    {"inverse_index_map", inverse.attr}},
                                   range));
}

PyValue Parser::CallReduce(const Args& args) {
  // T.reduce(T.comm_reducer(...), source=[...], init=[...], axis=[...], condition=...,
  // value_index=0)
  const PyValue error(PyKind::kError, args.range);
  Bound<6> bound;
  Span<const Expr*> source;
  Span<const Expr*> init;
  if (!Bind(args, {"combiner", "source", "init", "axis", "condition", "value_index"}, 6, bound) ||
      !ToExprs(*bound[1], "the list of sources", &source) ||
      !ToExprs(*bound[2], "the list of initial values", &init)) {
    return error;
  }
  if (!bound[0]->is(PyKind::kReducer)) {
    Error(DiagnosticKind::kArguments, bound[0]->range,
          fmt::format("combiner is {}, expected a `T.comm_reducer`", Describe(*bound[0])));
    return error;
  }
  const CommReducer* combiner = bound[0]->reducer;
  std::vector<const IterVar*> axis;
  for (const PyValue& item :
       bound[3]->is_sequence() ? bound[3]->elements() : std::span<const PyValue>(bound[3], 1)) {
    if (!item.is(PyKind::kIterVar)) {
      Error(DiagnosticKind::kArguments, item.range,
            fmt::format("axis is {}, expected a `T.iter_var`", Describe(item)));
      return error;
    }
    axis.push_back(item.iter_var);
  }
  const Expr* condition = ToExpr(*bound[4]);
  const std::optional<int64_t> index = ToInt(*bound[5], "the index of the value");
  if (condition == nullptr || !index) return error;
  if (source.size() != combiner->lhs.size() || (!init.empty() && init.size() != source.size())) {
    Error(DiagnosticKind::kArguments, args.range,
          fmt::format("{} sources and {} initial values for a reducer of {} values", source.size(),
                      init.size(), combiner->lhs.size()));
    return error;
  }
  if (*index < 0 || *index >= static_cast<int64_t>(source.size())) {
    Error(DiagnosticKind::kArguments, bound[5]->range,
          fmt::format("value {} of a reducer of {} values", *index, source.size()));
    return error;
  }
  const Expr* reduce =
      builder_.New<Reduce>(args.range, source[static_cast<size_t>(*index)]->dtype, combiner, source,
                           arena_.Copy(Span<const IterVar*>(axis.data(), axis.size())), condition,
                           static_cast<int>(*index), init);
  return PyValue::Of(args.range, reduce);
}

PyValue Parser::RefuseProducer(SourceRange start) {
  // What TVM prints of tensor expressions before they are lowered has no declaration of the tensor.
  Error(
      DiagnosticKind::kUnsupported, start,
      "`T.ProducerRealize` is printed for tensor expressions that are not lowered yet, and cannot "
      "be read: nothing in the text says what the elements of the tensor are");
  Advance();
  if (token_.name != nullptr && scopes_.Find(token_.name) == nullptr)
    scopes_.Bind(token_.name, PyValue(), Here());
  // Goes on behind the closing bracket.
  const size_t depth = lexer_.bracket_depth();
  while (!failed_ && !At(Tok::kEnd) && !At(Tok::kNewline) && lexer_.bracket_depth() >= depth)
    Advance();
  Expect(Tok::kRParen, "`)`");
  return PyValue(PyKind::kError, Since(start));
}

}  // namespace tenon
