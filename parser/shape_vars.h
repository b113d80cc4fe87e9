#ifndef TENON_PARSER_SHAPE_VARS_H_
#define TENON_PARSER_SHAPE_VARS_H_

#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "parser/function_builder.h"
#include "parser/lexer.h"

namespace tenon {

/// The variables that quoted extents of a signature introduce: `A: T.Buffer(("n", "n * 2"))`; and
/// variables of `n = TypeVar("n")` lines, which all functions have.
class ShapeVars {
 public:
  ShapeVars(ParseEnv& env, Scopes& scopes) : env_(env), scopes_(scopes) {}

  void AddTypeVar(NameEntry* name, SourceRange range) {
    type_vars_.emplace_back(name, env_.AddSymbol(SymbolKind::kVariable, name->text, range));
  }
  /// Forgets the variables of the last function, and binds the type variables in the next one.
  void StartFunction(FunctionBuilder& function);
  /// Finds the names and dtypes of the signature whose `(` is at the byte `begin`: a quoted extent
  /// takes the dtype of a scalar parameter after it, or of a line `n = T.int64()` at the start of
  /// the body, and its names are valid in the whole signature.
  void StartSignature(size_t begin);
  void EndSignature() { in_signature_ = false; }
  void set_in_quotes(bool in_quotes) { in_quotes_ = in_quotes; }

  /// Whether a name without a meaning is a new variable here.
  bool Introduces(NameEntry* name) const {
    return in_quotes_ ||
           (in_signature_ && (quoted_names_.contains(name) || dtypes_.contains(name)));
  }
  /// The variable that `name` introduces.
  PyValue ShapeVar(NameEntry* name, SourceRange range);
  /// The variable that `name` has introduced, or null.
  Var* Find(NameEntry* name) const {
    const auto found = vars_.find(name);
    return found == vars_.end() ? nullptr : found->second;
  }
  /// Removes `name`, which is a parameter.
  void Remove(NameEntry* name) { vars_.erase(name); }

 private:
  void NoteQuotedNames(std::string_view literal);
  bool NoteDType(Lexer& scan, NameEntry* name);
  bool NoteDeclarations(Lexer& scan);

  ParseEnv& env_;
  Scopes& scopes_;
  std::vector<std::pair<NameEntry*, int32_t>> type_vars_;  ///< with their symbols
  absl::flat_hash_map<NameEntry*, Var*> vars_;
  /// The dtypes of scalar parameters, and of the variables that the body declares first.
  absl::flat_hash_map<NameEntry*, DataType> dtypes_;
  absl::flat_hash_set<NameEntry*> quoted_names_;  ///< words in the strings of the signature
  bool in_signature_ = false;
  bool in_quotes_ = false;
};

}  // namespace tenon

#endif  // TENON_PARSER_SHAPE_VARS_H_
