#include "parser/py_value.h"

#include <fmt/format.h>

#include "parser/tir_names.h"

namespace tenon {

namespace {

/// Describes values that are not plain.
std::string_view DescribeOther(PyKind kind) {
  switch (kind) {
    case PyKind::kScope:
      return "something that opens a scope";
    case PyKind::kLoop:
      return "a loop's range";
    case PyKind::kDone:
      return "a statement";
    case PyKind::kReducer:
      return "a reducer";
    case PyKind::kField:
      return "a list of extents or strides";
    case PyKind::kTirModule:
    case PyKind::kRelaxModule:
    case PyKind::kRelaxName:
    case PyKind::kIrModule:
      return "a namespace";
    case PyKind::kClass:
      return "the module";
    case PyKind::kMetadata:
    case PyKind::kMetadataKey:
      return "`metadata` without a key or an index";
    case PyKind::kAxis:
      return "`T.axis` without a kind";
    case PyKind::kCall:
      return "the data of a constant";
    case PyKind::kAttr:
      return "an attribute's value";
    default:
      return "nothing";
  }
}

}  // namespace

std::string_view Describe(const PyValue& value) {
  switch (value.kind) {
    case PyKind::kNone:
      return "`None`";
    case PyKind::kBool:
      return "a bool";
    case PyKind::kInt:
    case PyKind::kBigInt:
      return "an integer";
    case PyKind::kFloat:
      return "a floating number";
    case PyKind::kString:
      return "a string";
    case PyKind::kList:
    case PyKind::kRawList:
      return "a list";
    case PyKind::kTuple:
      return "a tuple";
    case PyKind::kDict:
      return "a dict";
    case PyKind::kExpr:
    case PyKind::kFreshVar:
      return "an expression";
    case PyKind::kSubscript:
      return "an element or region of a buffer";
    case PyKind::kBuffer:
      return "a buffer";
    case PyKind::kScalar:
      return "a scalar";
    case PyKind::kLet:
      return "`T.let`, which is not a value";
    case PyKind::kIterVar:
      return "an iteration variable";
    case PyKind::kRange:
      return "a range";
    case PyKind::kTirName:
      return value.tir_name->form == TirForm::kDType ? "a dtype" : "a function that is not called";
    case PyKind::kFunction:
    case PyKind::kIrName:
    case PyKind::kRangeName:
    case PyKind::kMethod:
      return "a function that is not called";
    default:
      return DescribeOther(value.kind);
  }
}

std::string DescribeTyped(const PyValue& value, const Expr* expr) {
  if (value.is(PyKind::kString)) return "a string";
  return fmt::format("of dtype `{}`", expr->dtype.ToString());
}

}  // namespace tenon
