#ifndef TENON_PARSER_MODULE_FUNCTIONS_H_
#define TENON_PARSER_MODULE_FUNCTIONS_H_

#include <optional>

#include "absl/container/flat_hash_map.h"
#include "parser/parse_env.h"

namespace tenon {

/// The functions of the text: their places, and the facts that an earlier call needs.
class ModuleFunctions {
 public:
  explicit ModuleFunctions(ParseEnv& env) : env_(env) {}

  /// Records a definition, and reports a second one of the same name.
  void Define(NameEntry* name, SourceRange range);
  bool any_defined() const { return !defined_.empty(); }
  /// Records a call of the function.
  void Use(NameEntry* name, SourceRange range);
  /// The dtype that the function returns; nullopt if the text lacks the function.
  std::optional<DataType> ResultOf(NameEntry* name);

 private:
  /// Finds all `def NAME(` at the start of a line.
  void Scan();
  int32_t SymbolOf(NameEntry* name);

  ParseEnv& env_;
  bool scanned_ = false;
  absl::flat_hash_map<NameEntry*, DataType> results_;
  absl::flat_hash_map<NameEntry*, SourceRange> defined_;
  absl::flat_hash_map<NameEntry*, int32_t> symbols_;
};

}  // namespace tenon

#endif  // TENON_PARSER_MODULE_FUNCTIONS_H_
