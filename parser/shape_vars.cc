#include "parser/shape_vars.h"

#include "parser/lexer.h"
#include "support/ascii.h"

namespace tenon {

void ShapeVars::StartFunction(FunctionBuilder& function) {
  vars_.clear();
  quoted_names_.clear();
  scalar_params_.clear();
  for (const auto& [name, symbol] : type_vars_) {
    Var* var = env_.arena.New<Var>(env_.SymbolOf(name), env_.PrimTypeOf(DataType::Int(64)));
    vars_[name] = var;
    function.DeclareVar(var);
    scopes_.Bind(name, PyValue::Of({}, static_cast<const Expr*>(var)), {}, symbol);
  }
}

PyValue ShapeVars::ShapeVar(NameEntry* name, SourceRange range) {
  if (const Binding* known = scopes_.FindInFrame(name)) {
    env_.UseSymbol(known->symbol, range);
    return known->value.At(range);
  }
  const auto param = scalar_params_.find(name);
  const DataType dtype = param == scalar_params_.end() ? DataType::Int(32) : param->second;
  Var* var = env_.arena.New<Var>(env_.SymbolOf(name), env_.PrimTypeOf(dtype));
  var->range = range;
  vars_[name] = var;
  const PyValue value = PyValue::Of(range, var);
  scopes_.Define(name, value, range);
  return value;
}

void ShapeVars::NoteQuotedNames(std::string_view literal) {
  size_t begin = 0;
  for (size_t i = 0; i <= literal.size(); ++i) {
    if (i < literal.size() && ascii::IsWordCharacter(literal[i])) continue;
    if (i > begin) quoted_names_.insert(env_.names.Find(literal.substr(begin, i - begin)));
    begin = i + 1;
  }
}

void ShapeVars::StartSignature(size_t begin) {
  in_signature_ = true;
  if (env_.text.substr(begin, 1) != "(") return;
  Diagnostics ignored;
  Lexer scan(env_.text, env_.base, env_.names, ignored);
  scan.set_quiet(true);
  scan.RestartLine(begin);
  scan.GoTo(begin, {});
  Token token;
  NameEntry* last = nullptr;
  for (scan.Next(token); token.kind != Tok::kEnd && token.kind != Tok::kBad; scan.Next(token)) {
    if (scan.bracket_depth() == 0) return;
    if (token.kind == Tok::kString) NoteQuotedNames(scan.Text(token));
    if (scan.bracket_depth() > 1) continue;
    if (token.kind == Tok::kColon) {
      Token dtype;
      for (int i = 0; i < 3; ++i) scan.Next(dtype);  // T . int32
      if (last != nullptr && dtype.kind == Tok::kName) {
        const std::optional<DataType> known = env_.DTypeOf(dtype.name->text);
        if (known && known->is_integer()) scalar_params_[last] = *known;
      }
    }
    last = token.kind == Tok::kName ? token.name : nullptr;
  }
}

}  // namespace tenon
