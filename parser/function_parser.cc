#include "parser/function_parser.h"

#include <fmt/format.h>

namespace tenon {

/// Whether a buffer has default keywords, so that all releases may write it in the signature.
static bool HasDefaultPlacement(const Buffer& buffer) {
  return buffer.strides.empty() && IsConstInt(buffer.elem_offset, 0) &&
         buffer.scope() == "global" && buffer.data_alignment == 64 && buffer.offset_factor == 1;
}

void FunctionParser::ParseFunction(const FunctionTraits& traits) {
  const size_t errors = env_.diagnostics.error_count();
  cursor_.Advance();  // def
  NameEntry* name = cursor_.token().name;
  const SourceRange name_range = cursor_.Here();
  if (name == nullptr && cursor_.At(Tok::kLParen)) {
    env_.Error(DiagnosticKind::kSyntax, name_range, "found `(`, expected the name of a function");
  } else if (name == nullptr) {
    cursor_.UnexpectedToken("the name of a function");
  } else {
    cursor_.Advance();
    functions_.Define(name, name_range);
  }
  function_.Start(traits.is_s_tir);
  blocks_.StartFunction();
  operators_.StartFunction();
  scopes_.ForgetPassing();
  scopes_.Push();
  shape_vars_.StartFunction(function_);
  if (!cursor_.failed()) ParseParams();
  shape_vars_.EndSignature();
  const Type* ret_type = env_.context.VoidType();
  if (cursor_.Accept(Tok::kArrow)) {
    if (const Type* type = values_.ToType(exprs_.ParseExpr())) ret_type = type;
  }
  const SourceRange range{name_range.begin, cursor_.previous_end()};
  const Stmt* body = stmts_.ParseSuite();
  scopes_.Pop();
  if (name != nullptr && body != nullptr) {
    const Symbol symbol = env_.SymbolOf(name);
    const PrimFunc* function = function_.Finish(symbol, traits.is_private, ret_type, body, range);
    const bool is_sound = env_.diagnostics.error_count() == errors;
    if (is_sound && module_.Find(symbol) == nullptr) {
      module_.Add({symbol, function, env_.storage});
    }
  }
  env_.EndFunction();
}

void FunctionParser::ParseParams() {
  if (env_.rules->annotates_all_params) shape_vars_.StartSignature(cursor_.token().begin);
  if (!cursor_.Expect(Tok::kLParen, "`(`")) return;
  while (!cursor_.At(Tok::kRParen) && !cursor_.failed()) {
    if (cursor_.At(Tok::kStar) || cursor_.At(Tok::kPower) || cursor_.At(Tok::kSlash)) {
      cursor_.SyntaxError(DiagnosticKind::kUnsupported, cursor_.Here(),
                          fmt::format("`{}` among the parameters", cursor_.Text()));
      return;
    }
    ParseParam();
    if (cursor_.At(Tok::kRParen)) break;
    if (!cursor_.Expect(Tok::kComma, "`,` or `)`")) return;
  }
  cursor_.Expect(Tok::kRParen, "`)`");
}

void FunctionParser::ParseParam() {
  NameEntry* name = cursor_.token().name;
  const SourceRange range = cursor_.Here();
  if (name == nullptr) return cursor_.UnexpectedToken("the name of a parameter");
  cursor_.Advance();
  if (!cursor_.At(Tok::kColon) && !cursor_.At(Tok::kComma) && !cursor_.At(Tok::kRParen)) {
    cursor_.UnexpectedToken("`:` and a type");
    return scopes_.Bind(name, PyValue(), range);
  }
  if (!cursor_.At(Tok::kColon)) {
    env_.Error(DiagnosticKind::kType, range,
               fmt::format("parameter `{}` has no type, expected `{}: T.handle` or the like",
                           name->text, name->text));
    scopes_.Bind(name, PyValue(), range);
    return;
  }
  cursor_.Advance();
  const PyValue annotation = exprs_.ParseExpr();
  if (cursor_.failed()) {
    scopes_.Bind(name, PyValue(), range);
    return;
  }
  BindParam(name, range, annotation);
  if (cursor_.At(Tok::kAssign)) {
    cursor_.SyntaxError(DiagnosticKind::kUnsupported, cursor_.Here(),
                        "default value of a parameter");
  }
}

void FunctionParser::BindParam(NameEntry* name, SourceRange range, const PyValue& annotation) {
  if (annotation.is(PyKind::kBuffer) && (annotation.count & kFreshBuffer) != 0) {
    auto* buffer = const_cast<Buffer*>(annotation.buffer);
    buffer->range = range;
    function_.NameBuffer(buffer, name, (annotation.count & kOwnsData) != 0);
    if (!HasDefaultPlacement(*buffer)) env_.RaiseDialect(Dialect::kV026);
    if (name->handle_symbol.empty()) {
      name->handle_symbol = env_.context.Intern(fmt::format("{}_handle", name->text));
    }
    Var* var = env_.arena.New<Var>(name->handle_symbol, env_.PrimTypeOf(DataType::Handle()));
    var->range = range;
    function_.AddParam(var, buffer);
    // Buffers of one element that have a layout are scalars.
    const bool is_scalar =
        env_.rules->has_scalars && !function_.is_s_tir() && IsOneElement(*buffer);
    if (is_scalar) buffer->buffer_kind = BufferKind::kScalar;
    return scopes_.Define(name, function_.NamedBuffer(range, buffer), range);
  }
  const Type* type = annotation.is(PyKind::kNone) ? nullptr : values_.ToType(annotation);
  if (type == nullptr) {
    if (annotation.is(PyKind::kNone)) {
      env_.Error(DiagnosticKind::kType, annotation.range,
                 "expected the type of a parameter, found `None`");
    }
    scopes_.Bind(name, PyValue(), range);
    return;
  }
  // A quoted extent may have introduced the variable.
  Var* shape_var = shape_vars_.Find(name);
  if (shape_var != nullptr && shape_var->type == type) {
    shape_vars_.Remove(name);
    const Binding* binding = scopes_.Find(name);
    if (binding != nullptr && env_.symbols != nullptr) env_.symbols->Define(binding->symbol, range);
    return function_.AddParam(shape_var, nullptr);
  }
  Var* var = annotation.is(PyKind::kFreshVar) && cast<Var>(annotation.expr)->name.empty()
                 ? const_cast<Var*>(cast<Var>(annotation.expr))
                 : env_.arena.New<Var>(Symbol(), type);
  var->name = env_.SymbolOf(name);
  var->range = range;
  function_.AddParam(var, nullptr);
  scopes_.Define(name, PyValue::Of(range, var), range);
}

}  // namespace tenon
