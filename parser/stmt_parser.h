#ifndef TENON_PARSER_STMT_PARSER_H_
#define TENON_PARSER_STMT_PARSER_H_

#include <string_view>

#include "parser/decorator.h"

namespace tenon {

/// Recursive descent over statements. They are added to the function being read. After an error,
/// reading continues with the next statement, so that one run finds all errors.
class StmtParser {
 public:
  StmtParser(ParseEnv& env, TokenCursor& cursor, Scopes& scopes, Values& values,
             Operators& operators, BlockStack& blocks, FunctionBuilder& function,
             ShapeVars& shape_vars, ExprParser& exprs)
      : env_(env),
        cursor_(cursor),
        scopes_(scopes),
        values_(values),
        operators_(operators),
        blocks_(blocks),
        function_(function),
        shape_vars_(shape_vars),
        exprs_(exprs) {}

  /// From the `:` on: an indented block, or statements on the same line. Null after an error that
  /// leaves no body.
  const Stmt* ParseSuite();

 private:
  /// A suite with a separate frame of names.
  const Stmt* ParseOwnScope();
  void ParseStatements();
  void ParseStatement();
  void ParseSimpleStatement();
  void ParseNameStatement();
  /// A statement that starts with an expression: an assignment, or the expression itself.
  void ParseValueStatement();
  void ParseExpressionStatement(const PyValue& value);
  void ParseFor();
  const Stmt* LoopOfSteps(const PendingLoop& loop, const Var* var, const Stmt* body,
                          SourceRange range);
  const Stmt* LoopNest(const PendingLoop& loop, Span<const Var*> vars, const Stmt* body,
                       SourceRange range);
  void ParseWhile();
  void ParseIf();
  /// Each `elif` is nested in the `else` of the branch before. False if the nesting is too deep;
  /// the remaining branches are then skipped.
  bool CheckElif(size_t branches);
  void ParseWith();
  void BindNameAfterAs();
  void ParseAssert();
  /// `("RuntimeError", ["text"])`, or a string. Null after an error.
  const Expr* AssertMessage(const PyValue& value);
  const Expr* MessagePart(const PyValue& part);
  void ParseReturn();
  // Assignments (assignments.cc).
  void AnnotatedAssign(NameEntry* name, SourceRange range);
  void AnnotatedScalar(NameEntry* name, SourceRange range, DataType dtype);
  void Assign(const PyValue& target, NameEntry* name, SourceRange name_range);
  void AugAssign(const PyValue& target);
  void UnpackAssign(SourceRange range);
  void BindValue(NameEntry* name, SourceRange range, PyValue value);
  void BindFreshVar(NameEntry* name, SourceRange range, PyValue value);
  /// Opens the allocation of a scalar `name`, and stores `value` in it unless `value` is null.
  void DeclareScalar(NameEntry* name, SourceRange range, Buffer* buffer, const Expr* value);

  ParseEnv& env_;
  TokenCursor& cursor_;
  Scopes& scopes_;
  Values& values_;
  Operators& operators_;
  BlockStack& blocks_;
  FunctionBuilder& function_;
  ShapeVars& shape_vars_;
  ExprParser& exprs_;
};

}  // namespace tenon

#endif  // TENON_PARSER_STMT_PARSER_H_
