#ifndef TENON_PARSER_FUNCTION_PARSER_H_
#define TENON_PARSER_FUNCTION_PARSER_H_

#include "parser/stmt_parser.h"

namespace tenon {

/// Reads one `def` at a time: the signature here, the body by StmtParser.
class FunctionParser {
 public:
  FunctionParser(ParseEnv& env, TokenCursor& cursor, Scopes& scopes, Values& values,
                 Operators& operators, BlockStack& blocks, FunctionBuilder& function,
                 ModuleFunctions& functions, ShapeVars& shape_vars, ExprParser& exprs,
                 IRModule& module)
      : env_(env),
        cursor_(cursor),
        scopes_(scopes),
        values_(values),
        operators_(operators),
        blocks_(blocks),
        function_(function),
        functions_(functions),
        shape_vars_(shape_vars),
        exprs_(exprs),
        stmts_(env, cursor, scopes, values, operators, blocks, function, shape_vars, exprs),
        module_(module) {}

  /// Reads the function whose `def` is the current token, and adds it to the module.
  void ParseFunction(const FunctionTraits& traits);

 private:
  void ParseParams();
  void ParseParam();
  void BindParam(NameEntry* name, SourceRange range, const PyValue& annotation);

  ParseEnv& env_;
  TokenCursor& cursor_;
  Scopes& scopes_;
  Values& values_;
  Operators& operators_;
  BlockStack& blocks_;
  FunctionBuilder& function_;
  ModuleFunctions& functions_;
  ShapeVars& shape_vars_;
  ExprParser& exprs_;
  StmtParser stmts_;
  IRModule& module_;
};

}  // namespace tenon

#endif  // TENON_PARSER_FUNCTION_PARSER_H_
