#ifndef TENON_TESTS_UNIT_ARITH_ARITH_TEST_UTIL_H_
#define TENON_TESTS_UNIT_ARITH_ARITH_TEST_UTIL_H_

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "arith/analyzer.h"
#include "ir/builder.h"
#include "ir/visitor.h"
#include "tests/unit/support/nightly.h"

namespace tenon {

/// A short text of an expression, with every operator in parentheses, for messages and for
/// comparing results.
inline std::string Text(const Expr* expr) {
  return WithStack([&]() -> std::string {
    if (const auto* imm = dyn_cast<IntImm>(expr)) {
      if (imm->dtype.is_bool()) return imm->value != 0 ? "True" : "False";
      return fmt::format("{}", imm->value);
    }
    if (const auto* imm = dyn_cast<FloatImm>(expr)) return fmt::format("{}f", imm->value);
    if (const auto* var = dyn_cast<Var>(expr)) return std::string(var->name.view());
    if (const auto* binary = dyn_cast<BinaryExpr>(expr)) {
      static constexpr const char* kSigns[] = {"+",  "-",   "*",   "/",   "%%", "//",
                                               "%",  "min", "max", "==",  "!=", "<",
                                               "<=", ">",   ">=",  "and", "or"};
      const auto sign = static_cast<size_t>(expr->kind) - static_cast<size_t>(NodeKind::kAdd);
      return fmt::format("({} {} {})", Text(binary->a), kSigns[sign], Text(binary->b));
    }
    std::string text = std::string(NodeKindName(expr->kind));
    if (const auto* call = dyn_cast<Call>(expr)) text = std::string(call->op->text);
    if (isa<Cast>(expr)) text = expr->dtype.ToString();
    if (isa<Broadcast>(expr) || isa<Ramp>(expr)) text += fmt::format("x{}", expr->dtype.lanes());
    std::string arguments;
    ForEachChild(expr, [&](const Node* child, FieldRole) {
      if (!arguments.empty()) arguments += ", ";
      arguments += isa<Expr>(child) ? Text(static_cast<const Expr*>(child)) : "?";
    });
    return fmt::format("{}({})", text, arguments);
  });
}

/// Operators on expressions for tests: they make raw nodes, and numbers take the dtype of the other
/// side.
struct E {
  const Expr* expr;
  NodeBuilder* builder;

  operator const Expr*() const { return expr; }  // NOLINT: meant to convert
};

class ArithTest : public testing::Test {
 protected:
  E Wrap(const Expr* expr) { return {expr, &builder_}; }
  E Variable(const char* name, DataType dtype = DataType::Int(32)) {
    return Wrap(builder_.NewVar(name, dtype));
  }
  E Number(int64_t value, DataType dtype = DataType::Int(32)) {
    return Wrap(builder_.Int(dtype, value));
  }
  /// A variable with its values in [min, max].
  E Variable(const char* name, int64_t min, int64_t max, DataType dtype = DataType::Int(32)) {
    const E var = Variable(name, dtype);
    analyzer_.Bind(AsVar(var), {min, max});
    return var;
  }
  static const Var* AsVar(const E& e) { return cast<Var>(e.expr); }
  E CallOf(DataType dtype, OpKind op, std::initializer_list<const Expr*> args) {
    return Wrap(builder_.NewCall(dtype, op, args));
  }
  std::string Simplified(const Expr* expr) { return Text(analyzer_.Simplify(expr)); }

  Context context_;
  Arena arena_;
  NodeBuilder builder_{context_, arena_};
  Analyzer analyzer_{context_, arena_};
};

#define TENON_TEST_OPERATOR(sign, Name)                                                   \
  inline E operator sign(E a, E b) {                                                      \
    return {a.builder->New<Name>({}, a.expr, b.expr), a.builder};                         \
  }                                                                                       \
  inline E operator sign(E a, int64_t b) {                                                \
    return a sign E{a.builder->Number(a.expr->dtype, static_cast<double>(b)), a.builder}; \
  }                                                                                       \
  inline E operator sign(int64_t a, E b) {                                                \
    return E{b.builder->Number(b.expr->dtype, static_cast<double>(a)), b.builder} sign b; \
  }
TENON_TEST_OPERATOR(+, Add)
TENON_TEST_OPERATOR(-, Sub)
TENON_TEST_OPERATOR(*, Mul)
TENON_TEST_OPERATOR(/, FloorDiv)
TENON_TEST_OPERATOR(%, FloorMod)
TENON_TEST_OPERATOR(<, LT)
TENON_TEST_OPERATOR(<=, LE)
TENON_TEST_OPERATOR(>, GT)
TENON_TEST_OPERATOR(>=, GE)
TENON_TEST_OPERATOR(==, EQ)
TENON_TEST_OPERATOR(!=, NE)
TENON_TEST_OPERATOR(&&, And)
TENON_TEST_OPERATOR(||, Or)
#undef TENON_TEST_OPERATOR
inline E operator!(E a) { return {a.builder->New<Not>({}, a.expr), a.builder}; }

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_ARITH_ARITH_TEST_UTIL_H_
