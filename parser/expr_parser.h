#ifndef TENON_PARSER_EXPR_PARSER_H_
#define TENON_PARSER_EXPR_PARSER_H_

#include <string_view>

#include "parser/forms.h"
#include "parser/module_functions.h"
#include "parser/shape_vars.h"
#include "parser/syntax_forms.h"
#include "parser/token_cursor.h"

namespace tenon {

/// Recursive descent over expressions. After a syntax error the cursor has failed and results have
/// no meaning; other errors give values of the kind kError.
class ExprParser {
 public:
  ExprParser(ParseEnv& env, TokenCursor& cursor, Scopes& scopes, Values& values,
             Operators& operators, ModuleFunctions& functions, ShapeVars& shape_vars,
             FormContext& forms, SyntaxForms& syntax);

  PyValue ParseExpr();
  /// One value, or a tuple if there is a comma.
  PyValue ParseExprList();
  PyValue ParseStringLiteral();
  /// `I.ir_module`: a name with its attributes, without calls.
  PyValue ParseAtomWithDots();
  void ParseArgs(Args& args);
  /// The rest of an argument list, including the closing parenthesis.
  void ParseMoreArgs(Args& args);
  /// The shape with the expressions of its quoted extents: `("n", "n * 2")`.
  PyValue ReadQuotedExtents(const PyValue& shape);

 private:
  PyValue ParseBinary(int level);
  PyValue ParseUnary();
  PyValue ParsePostfix();
  PyValue ParseAtom();
  PyValue ParseName();
  PyValue ParseNumber();
  PyValue ParseParenthesised();
  PyValue ParseListDisplay();
  PyValue ParseDictDisplay();
  PyValue UndefinedName();
  PyValue ParseAttribute(const PyValue& object);
  PyValue TirAttribute(SourceRange start);
  PyValue FunctionAttribute(std::string_view name, SourceRange range);
  bool IsPointerType(const PyValue& object, std::string_view name) const;
  PyValue ExprAttribute(const PyValue& object, std::string_view name, SourceRange range);
  PyValue BufferAttribute(const PyValue& object, std::string_view name, SourceRange range);
  PyValue LongerName(const PyValue& object, std::string_view name, SourceRange range);
  PyValue DottedName(const PyValue& object, std::string_view name, SourceRange range);
  /// Reports that `name`, which follows `T.`, is unknown. True if the options keep calls of it.
  bool CheckUnknownName(std::string_view name, SourceRange range);
  PyValue ParseSubscript(const PyValue& object);
  PyValue BufferSubscript(const PyValue& object);
  PyValue SubscriptValue(const PyValue& object, const PyValue& index, SourceRange range);
  /// An index, or a tuple of all indices, which is the last before `]`.
  void ParseIndex(PyIndex& index, PyValue& tuple);
  /// Up to `close`: one value, or a tuple if there is a comma.
  PyValue ParseExprListIn(Tok close);
  PyValue ParseCall(const PyValue& callee);
  PyValue CallFunction(const PyValue& callee, const Args& args);
  PyValue ReadQuotedExtent(const PyValue& text);

  ParseEnv& env_;
  TokenCursor& cursor_;
  Scopes& scopes_;
  Values& values_;
  Operators& operators_;
  ModuleFunctions& functions_;
  ShapeVars& shape_vars_;
  FormContext& forms_;
  SyntaxForms& syntax_;
  const NameEntry* range_name_;
};

}  // namespace tenon

#endif  // TENON_PARSER_EXPR_PARSER_H_
