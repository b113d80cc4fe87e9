#ifndef TENON_PARSER_FORMS_H_
#define TENON_PARSER_FORMS_H_

#include <string_view>

#include "parser/attr_reader.h"
#include "parser/constant_table.h"
#include "parser/function_builder.h"
#include "parser/operators.h"
#include "parser/tir_names.h"

namespace tenon {

class ExprParser;

/// The state that calls of forms use: values, and the function and module under construction. Forms
/// see no tokens.
struct FormContext {
  ParseEnv& env;
  Values& values;
  Operators& operators;
  AttrReader& attrs;
  ConstantTable& constants;
  BlockStack& blocks;
  FunctionBuilder& function;
  IRModule& module;
  ExprParser& exprs;  ///< for expressions in quotes
  bool saw_module_attrs = false;
};

/// `T.name(args)`, by the table of forms in form_table.cc.
PyValue CallForm(FormContext& p, const TirName& name, Args& args);
/// `T.axis.name(args)`.
PyValue CallAxis(FormContext& p, std::string_view axis, const Args& args);
/// `I.name(args)`.
PyValue CallIr(FormContext& p, const Args& args);
/// A method of a buffer or an expression: `A.vload(args)`.
PyValue CallMethod(FormContext& p, const PyMethod& method, const Args& args);
/// A loop of one variable: Python's `range`, `T.serial` and the like.
PyValue RangeLoop(FormContext& p, ForKind kind, const Args& args);

}  // namespace tenon

#endif  // TENON_PARSER_FORMS_H_
