#ifndef TENON_PARSER_MODULE_PARSER_H_
#define TENON_PARSER_MODULE_PARSER_H_

#include <optional>
#include <string_view>
#include <utility>

#include "parser/function_parser.h"

namespace tenon {

/// Reads a whole text: imports, metadata, and a class of functions or a single function. Creates
/// the parts of the parser, and connects them.
class ModuleParser {
 public:
  ModuleParser(Context& context, std::string_view text, uint32_t base, const ParseOptions& options,
               SymbolTable* symbols, Diagnostics& diagnostics);

  /// Reads the text. False after errors.
  bool Parse();
  /// The readable parts of the text.
  IRModule TakeModule() { return std::move(module_); }

 private:
  void ParseTop();
  void ParseImport();
  void BindPrefix(std::string_view dialect, std::string_view prefix);
  /// Binds the prefixes that comments have named so far.
  void ApplyAliases();
  void ParseMetadata();
  void ParseTypeVar();
  void MoreDecorators();
  void CheckDecorator(const Decorator& decorator, bool wants_module);
  void ParseDecorated();
  void ParseDef(const Decorator& decorator);
  void ParseClass();
  void ParseClassBody();
  void ParseClassStatement();
  /// Records the place of the Relax function, at its `def`, and continues after it.
  void SkipRelaxFunction();
  /// Adds the TIR function that the Relax function describes.
  void ReadRelaxFunction();

  ParseEnv env_;
  TokenCursor cursor_;
  Scopes scopes_;
  IRModule module_;
  Values values_;
  Operators operators_;
  AttrReader attrs_;
  ConstantTable constants_;
  BlockStack blocks_;
  FunctionBuilder function_;
  ModuleFunctions functions_;
  ShapeVars shape_vars_;
  FormContext forms_;
  SyntaxForms syntax_;
  ExprParser exprs_;
  FunctionParser function_parser_;
  const NameEntry* metadata_name_;
  size_t aliases_applied_ = 0;
  bool saw_module_ = false;
  int32_t module_symbol_ = SymbolTable::kNone;
  std::optional<size_t> relax_begin_;  ///< the place of the `def` of the Relax function
};

}  // namespace tenon

#endif  // TENON_PARSER_MODULE_PARSER_H_
