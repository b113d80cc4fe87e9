#include "parser/decorator.h"

#include <fmt/format.h>

#include "ir/attributes.h"

namespace tenon {

Decorator ParseDecorator(ParseEnv& env, TokenCursor& cursor, ExprParser& exprs) {
  Decorator decorator;
  decorator.range = cursor.Here();
  cursor.Advance();  // @
  const PyValue name = exprs.ParseAtomWithDots();
  if (cursor.failed()) return decorator;
  decorator.is_module = name.is(PyKind::kIrName) && name.text() == "ir_module";
  decorator.is_function = name.is(PyKind::kTirName) && name.tir_name->form == TirForm::kPrimFunc;
  decorator.is_relax = name.is(PyKind::kRelaxName) && name.text() == "function";
  decorator.is_unknown = !decorator.is_module && !decorator.is_function && !decorator.is_relax;
  if (decorator.is_unknown && !name.is_error()) {
    env.Error(DiagnosticKind::kUnsupported, name.range,
              "unknown decorator, expected `@I.ir_module` or `@T.prim_func`");
  }
  if (cursor.At(Tok::kLParen)) {
    Args args;
    exprs.ParseArgs(args);
    for (const PyKeyword& keyword : args.keywords) {
      if (keyword.name == "private" && keyword.value.is(PyKind::kBool)) {
        decorator.traits.is_private = keyword.value.integer != 0;
      } else if (keyword.name == "private") {
        env.Error(DiagnosticKind::kArguments, keyword.value.range,
                  fmt::format("`private` is {}, expected True or False", Describe(keyword.value)));
      } else if (keyword.name == attr_key::kSTir) {
        decorator.traits.is_s_tir = keyword.value.is(PyKind::kBool) && keyword.value.integer != 0;
      } else if (keyword.name != "check_well_formed") {
        env.Error(DiagnosticKind::kArguments, keyword.range,
                  fmt::format("the decorator has no argument `{}`", keyword.name));
      }
    }
  }
  decorator.range = cursor.Since(decorator.range);
  cursor.EndOfStatement();
  if (cursor.failed()) cursor.Recover();
  return decorator;
}

}  // namespace tenon
