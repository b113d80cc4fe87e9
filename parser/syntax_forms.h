#ifndef TENON_PARSER_SYNTAX_FORMS_H_
#define TENON_PARSER_SYNTAX_FORMS_H_

#include <optional>
#include <vector>

#include "parser/attr_reader.h"
#include "parser/constant_table.h"
#include "parser/scopes.h"
#include "parser/token_cursor.h"

namespace tenon {

class ExprParser;

/// Forms whose arguments are more than expressions: lambdas, and lists of constants, which may have
/// millions of elements. Each function starts at the `(` of the form; `start` is the place of its
/// name.
class SyntaxForms {
 public:
  SyntaxForms(ParseEnv& env, TokenCursor& cursor, Scopes& scopes, Values& values, AttrReader& attrs,
              ConstantTable& constants, ExprParser& exprs)
      : env_(env),
        cursor_(cursor),
        scopes_(scopes),
        values_(values),
        attrs_(attrs),
        constants_(constants),
        exprs_(exprs) {}

  /// `T.allocate_const([1, 2], "int8", [2])`
  PyValue ParseAllocateConst(SourceRange start);
  /// `I.constant("name")`, or with data: `I.constant("name", [...], "int8", [3], align=16, ...)`.
  PyValue ParseConstantForm(SourceRange start);
  /// `T.comm_reducer(lambda x, y: x + y, [T.float32(0)])`
  PyValue ParseCommReducer(SourceRange start);
  /// `T.index_map(lambda i: (i // 4, i % 4), inverse_index_map=lambda i, j: (i * 4 + j,))`
  PyValue ParseIndexMap(SourceRange start);
  /// Reports `T.ProducerRealize(...)`, and continues after it.
  PyValue RefuseProducer(SourceRange start);

 private:
  /// Adds a list to `args`, whose elements are read later, when their dtype is known. False
  /// after a syntax error.
  bool TakeList(Args& args);
  PyValue FinishCommReducer(SourceRange start, const std::vector<Token>& names,
                            const LexerMark& body);
  PyValue ParseIndexMapOf(DataType dtype, SourceRange start);
  PyValue ParseMapping(DataType dtype);

  ParseEnv& env_;
  TokenCursor& cursor_;
  Scopes& scopes_;
  Values& values_;
  AttrReader& attrs_;
  ConstantTable& constants_;
  ExprParser& exprs_;
  /// Whether the parser is within the brackets of `T.index_map`.
  bool in_index_map_ = false;
};

}  // namespace tenon

#endif  // TENON_PARSER_SYNTAX_FORMS_H_
