#include "parser/shape_vars.h"

#include "support/ascii.h"

namespace tenon {

void ShapeVars::StartFunction(FunctionBuilder& function) {
  vars_.clear();
  quoted_names_.clear();
  dtypes_.clear();
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
  const auto known_dtype = dtypes_.find(name);
  const DataType dtype = known_dtype == dtypes_.end() ? DataType::Int(32) : known_dtype->second;
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

/// Reads `T.int32` after `name`.
bool ShapeVars::NoteDType(Lexer& scan, NameEntry* name) {
  Token dtype;
  for (int i = 0; i < 3; ++i) scan.Next(dtype);  // T . int32
  if (dtype.kind != Tok::kName) return false;
  const std::optional<DataType> known = env_.DTypeOf(dtype.name->text);
  if (!known || !known->is_integer()) return false;
  dtypes_[name] = *known;
  return true;
}

/// Reads a line `m, n = T.int64(), T.int64()`. False if the line is another one.
bool ShapeVars::NoteDeclarations(Lexer& scan) {
  absl::InlinedVector<NameEntry*, 4> names;
  Token token;
  do {
    scan.Next(token);
    if (token.kind != Tok::kName) return false;
    names.push_back(token.name);
    scan.Next(token);
  } while (token.kind == Tok::kComma);
  if (token.kind != Tok::kAssign) return false;
  for (NameEntry* name : names) {
    if (!NoteDType(scan, name)) return false;
    do {
      scan.Next(token);  // ( ) and ,
      if (token.kind == Tok::kNewline || token.kind == Tok::kEnd) break;
    } while (token.kind != Tok::kComma);
  }
  return token.kind == Tok::kNewline;
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
    if (scan.bracket_depth() == 0) break;
    if (token.kind == Tok::kString) NoteQuotedNames(scan.Text(token));
    if (scan.bracket_depth() > 1) continue;
    if (token.kind == Tok::kColon && last != nullptr) NoteDType(scan, last);
    last = token.kind == Tok::kName ? token.name : nullptr;
  }
  while (token.kind != Tok::kNewline && token.kind != Tok::kEnd && token.kind != Tok::kBad) {
    scan.Next(token);
  }
  if (token.kind == Tok::kNewline) scan.Next(token);
  while (token.kind == Tok::kIndent && NoteDeclarations(scan)) continue;
}

}  // namespace tenon
