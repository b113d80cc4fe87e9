#include "ir/library_functions.h"

#include <utility>

#include "ir/op.h"

namespace tenon {

namespace {

/// Names that differ from the builtins' own names.
constexpr std::pair<std::string_view, OpKind> kOtherNames[] = {
    {"rint", OpKind::kNearbyint}, {"fmuladd", OpKind::kFma}, {"ctpop", OpKind::kPopcount},
    {"ctlz", OpKind::kClz},       {"abs", OpKind::kFabs},
};

OpKind PlainMathOp(std::string_view name) {
  for (const auto& [other, op] : kOtherNames) {
    if (other == name) return op;
  }
  const Op* op = Op::Find(name);
  return op != nullptr && IsMathematics(op->kind) ? op->kind : OpKind::kUnknown;
}

}  // namespace

OpKind MathOpOfName(std::string_view name) {
  if (name.starts_with("llvm.")) {
    name.remove_prefix(5);
    return PlainMathOp(name.substr(0, name.find('.')));
  }
  const OpKind op = PlainMathOp(name);
  if (op != OpKind::kUnknown || !name.ends_with('f')) return op;
  return PlainMathOp(name.substr(0, name.size() - 1));
}

bool IsMemoryFunction(std::string_view name) {
  return name == "memcpy" || name == "memmove" || name == "memset";
}

}  // namespace tenon
