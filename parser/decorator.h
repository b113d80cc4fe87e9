#ifndef TENON_PARSER_DECORATOR_H_
#define TENON_PARSER_DECORATOR_H_

#include "parser/expr_parser.h"

namespace tenon {

/// What the decorator of a function says.
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
  bool is_unknown = false;  ///< which has been complained about
  FunctionTraits traits;
};

/// Reads the decorator whose `@` is the current token, with its line end.
Decorator ParseDecorator(ParseEnv& env, TokenCursor& cursor, ExprParser& exprs);

}  // namespace tenon

#endif  // TENON_PARSER_DECORATOR_H_
