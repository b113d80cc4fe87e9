#ifndef TENON_PARSER_OPERATORS_H_
#define TENON_PARSER_OPERATORS_H_

#include "parser/lexer.h"
#include "parser/values.h"

namespace tenon {

/// The results of operators: Python's arithmetic for its own numbers, TIR's promotions and folds
/// for expressions.
class Operators {
 public:
  Operators(ParseEnv& env, Values& values) : env_(env), values_(values) {}

  PyValue Binary(Tok op, const PyValue& a, const PyValue& b, SourceRange op_range);
  PyValue Unary(Tok op, const PyValue& a, SourceRange range);
  /// Both sides in one dtype. With `fold`, constants are folded: operators do this, calls by name
  /// do not.
  PyValue Bitwise(const Op* op, const PyValue& a, const PyValue& b, SourceRange range, bool fold);
  bool CheckNoString(const PyValue& value, const Expr* expr);
  const Expr* Splat(const Expr* scalar, DataType dtype);
  /// Resets the count of sums of lists.
  void StartFunction() { summed_items_ = 0; }

 private:
  PyValue PyArithmetic(Tok op, const PyValue& a, const PyValue& b, SourceRange range);
  PyValue Comparison(NodeKind kind, const PyValue& a, const PyValue& b, SourceRange range);
  PyValue Logical(Tok op, const PyValue& a, const PyValue& b, SourceRange range);

  ParseEnv& env_;
  Values& values_;
  size_t summed_items_ = 0;  ///< of all sums of lists in the function
};

}  // namespace tenon

#endif  // TENON_PARSER_OPERATORS_H_
