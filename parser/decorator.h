#ifndef TENON_PARSER_DECORATOR_H_
#define TENON_PARSER_DECORATOR_H_

#include "parser/expr_parser.h"

namespace tenon {

/// The properties of a function that its decorator states.
struct FunctionTraits {
  bool is_private = false;
  bool is_s_tir = false;
};

/// The line `@...` above a class or a function.
struct Decorator {
  SourceRange range;
  bool is_module = false;
  bool is_function = false;
  bool is_relax = false;
  bool is_unknown = false;  ///< the error is already reported
  FunctionTraits traits;
};

/// Reads the decorator whose `@` is the current token, including its line end.
Decorator ParseDecorator(ParseEnv& env, TokenCursor& cursor, ExprParser& exprs);

}  // namespace tenon

#endif  // TENON_PARSER_DECORATOR_H_
