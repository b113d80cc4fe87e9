// Arithmetic. Signed integers wrap in the IR but must not overflow in C. If the analyzer proves
// that a result fits, C's operator is used directly. Otherwise, unsigned numbers are computed and
// cast back.

#include <fmt/format.h>

#include "lowering/c/c_internal.h"

namespace tenon::c_lowering {

namespace {

/// An element as a number of C's own type. The types of elements may alias others, so GCC treats
/// them as separate types, and warns if they meet a number that was signed.
Text Plain(const Expr* expr, Text text) {
  if (!isa<BufferLoad>(expr)) return text;
  return {fmt::format("({}){}", CType(expr->dtype), text.text), Binding::kUnary, text.depth};
}

}  // namespace

bool WidensSigned(const Expr* expr) {
  if (!isa<Cast>(expr) || !expr->dtype.is_uint()) return false;
  const Expr* value = expr;
  while (const auto* cast = dyn_cast<Cast>(value)) value = cast->value;
  return value->dtype.is_int() && value->dtype.bits() < expr->dtype.bits();
}

Text FunctionEmitter::Infix(std::string_view op, Binding binding, Text left, Text right) {
  // Operators are left-associative; the right operand must bind tighter.
  const auto tighter = static_cast<Binding>(static_cast<int>(binding) + 1);
  const int depth = std::max(left.depth, right.depth) + 1;
  return {fmt::format("{} {} {}", In(std::move(left), binding), op, In(std::move(right), tighter)),
          binding, depth};
}

std::string FunctionEmitter::Unsigned(const Expr* expr, Text text, std::string_view type) {
  if (const auto* imm = dyn_cast<IntImm>(expr)) {
    const auto bits = static_cast<uint64_t>(imm->value);
    return expr->dtype.bits() == 64 ? fmt::format("UINT64_C({})", bits)
                                    : fmt::format("{}U", static_cast<uint32_t>(bits));
  }
  // A result of an unsigned operation needs no cast to signed and back.
  if (text.wraps)
    return fmt::format("({})", text.text.substr(text.text.find(')') + 2,
                                                text.text.size() - text.text.find(')') - 3));
  // An unsigned number needs no cast either.
  const auto* cast = dyn_cast<Cast>(expr);
  const std::string signed_cast = fmt::format("({})", CType(expr->dtype));
  if (cast != nullptr && cast->value->dtype == DataType::UInt(expr->dtype.bits()) &&
      text.text.starts_with(signed_cast))
    return fmt::format("({}){}", type, text.text.substr(signed_cast.size()));
  return fmt::format("({}){}", type, In(std::move(text), Binding::kUnary));
}

Text FunctionEmitter::IntegerArithmetic(const BinaryExpr* node, std::string_view op,
                                        Binding binding) {
  const DataType dtype = node->dtype;
  Text left = Expression(node->a);
  Text right = Expression(node->b);
  const int depth = std::max(left.depth, right.depth) + 2;
  if (dtype.bits() < 32) {
    // Operands are promoted to int, which only products of uint16 can overflow.
    const bool widen = node->kind == NodeKind::kMul && dtype.is_uint() && dtype.bits() == 16;
    if (widen)
      left = {fmt::format("(uint32_t){}", In(std::move(left), Binding::kUnary)), Binding::kUnary,
              depth};
    const Text sum = Infix(op, binding, std::move(left), std::move(right));
    // Every text of a bool is 0 or 1. C computes with such numbers, the IR with their bits.
    if (dtype.is_bool()) return {fmt::format("({}) & 1", sum.text), Binding::kBitAnd, depth};
    return {fmt::format("({})({})", CType(dtype), sum.text), Binding::kUnary, depth};
  }
  if (dtype.is_uint()) {
    if (WidensSigned(node->a)) right = Plain(node->b, std::move(right));
    if (WidensSigned(node->b)) left = Plain(node->a, std::move(left));
  }
  if (dtype.is_uint() || analyzer_.ProvenNoWrap(node))
    return Infix(op, binding, std::move(left), std::move(right));
  const std::string_view type = dtype.bits() == 64 ? "uint64_t" : "uint32_t";
  const std::string a = Unsigned(node->a, std::move(left), type);
  const std::string b = Unsigned(node->b, std::move(right), type);
  return {fmt::format("({})({} {} {})", CType(dtype), a, op, b), Binding::kUnary, depth,
          /*wraps=*/true};
}

Text FunctionEmitter::FloatDivision(const BinaryExpr* node, Text left, Text right) {
  const char* suffix = node->dtype.bits() == 64 ? "" : "f";
  const int depth = std::max(left.depth, right.depth) + 2;
  switch (node->kind) {
    case NodeKind::kDiv:
      return Infix("/", Binding::kMul, std::move(left), std::move(right));
    case NodeKind::kMod:
      return {fmt::format("fmod{}({}, {})", suffix, left.text, right.text), Binding::kPrimary,
              depth};
    case NodeKind::kFloorDiv: {
      const Text quotient = Infix("/", Binding::kMul, std::move(left), std::move(right));
      return {fmt::format("floor{}({})", suffix, quotient.text), Binding::kPrimary, depth};
    }
    default:
      return {
          fmt::format("tenon_floormod_{}({}, {})", TypeSuffix(node->dtype), left.text, right.text),
          Binding::kPrimary, depth};
  }
}

Text FunctionEmitter::Division(const BinaryExpr* node) {
  const DataType dtype = node->dtype;
  const bool quotient = node->kind == NodeKind::kDiv || node->kind == NodeKind::kFloorDiv;
  const bool floor = node->kind == NodeKind::kFloorDiv || node->kind == NodeKind::kFloorMod;
  Text left = Expression(node->a);
  Text right = Expression(node->b);
  if (dtype.is_floating()) return FloatDivision(node, std::move(left), std::move(right));
  const int64_t* divisor = AsIntImm(node->b);
  // C's operators suffice if the divisor is not -1 and, for floor division, both sides are known to
  // be non-negative.
  const bool plain = dtype.is_uint() || (divisor != nullptr && *divisor > 0) ||
                     analyzer_.CanProveGreaterEqual(node->b, int64_t{1});
  const bool positive =
      dtype.is_uint() || !floor || analyzer_.CanProveGreaterEqual(node->a, int64_t{0});
  if (plain && positive) {
    Text text = Infix(quotient ? "/" : "%", Binding::kMul, std::move(left), std::move(right));
    if (dtype.bits() >= 32) return text;
    return {fmt::format("({})({})", CType(dtype), text.text), Binding::kUnary, text.depth + 1};
  }
  const int depth = std::max(left.depth, right.depth) + 1;
  std::string call =
      fmt::format("tenon_{}{}_{}({}, {})", floor ? "floor" : "", quotient ? "div" : "mod",
                  dtype.bits() == 64 ? "i64" : "i32", left.text, right.text);
  if (dtype.bits() >= 32) return {std::move(call), Binding::kPrimary, depth};
  return {fmt::format("({}){}", CType(dtype), call), Binding::kUnary, depth};
}

Text FunctionEmitter::FloatArithmetic(const BinaryExpr* node, std::string_view op,
                                      Binding binding) {
  Text left = Expression(node->a);
  Text right = Expression(node->b);
  const auto* imm = dyn_cast<FloatImm>(node->a);
  if (node->kind == NodeKind::kSub && imm != nullptr && imm->value == 0) {
    const int depth = std::max(left.depth, right.depth) + 1;
    return {fmt::format("tenon_sub_{}({}, {})", TypeSuffix(node->dtype), left.text, right.text),
            Binding::kPrimary, depth};
  }
  return Infix(op, binding, std::move(left), std::move(right));
}

Text FunctionEmitter::MinMax(const BinaryExpr* node) {
  // Calls a function, since both operands are needed twice.
  const DataType dtype = node->dtype;
  const bool small = dtype.is_integer() && dtype.bits() < 32;
  Text a = Expression(node->a);
  const Text b = Expression(node->b);
  std::string call =
      fmt::format("tenon_{}_{}({}, {})", node->kind == NodeKind::kMin ? "min" : "max",
                  small ? "i32" : TypeSuffix(dtype), a.text, b.text);
  const int depth = std::max(a.depth, b.depth) + 1;
  if (!small) return {std::move(call), Binding::kPrimary, depth};
  return {fmt::format("({}){}", CType(dtype), call), Binding::kUnary, depth};
}

Text FunctionEmitter::Comparison(const BinaryExpr* node) {
  const bool equality = node->kind == NodeKind::kEQ || node->kind == NodeKind::kNE;
  const Binding binding = equality ? Binding::kEqual : Binding::kCompare;
  std::string_view op;
  switch (node->kind) {
    case NodeKind::kEQ:
      op = "==";
      break;
    case NodeKind::kNE:
      op = "!=";
      break;
    case NodeKind::kLT:
      op = "<";
      break;
    case NodeKind::kLE:
      op = "<=";
      break;
    case NodeKind::kGT:
      op = ">";
      break;
    default:
      op = ">=";
      break;
  }
  // Compilers warn about `a < b == c`, so operands that are comparisons get parentheses.
  Text left = Widened(node->a);
  Text right = Widened(node->b);
  const int depth = std::max(left.depth, right.depth) + 1;
  return {fmt::format("{} {} {}", In(std::move(left), Binding::kShift), op,
                      In(std::move(right), Binding::kShift)),
          binding, depth};
}

Text FunctionEmitter::Logical(const BinaryExpr* node) {
  const bool is_and = node->kind == NodeKind::kAnd;
  const Binding binding = is_and ? Binding::kAnd : Binding::kOr;
  Text left = Expression(node->a);
  // C may not evaluate the right side, so nothing may be hoisted out of it.
  ++guards_;
  Text right = Expression(node->b);
  --guards_;
  const int depth = std::max(left.depth, right.depth) + 1;
  const auto wrap = [&](Text text) {
    const bool mixed = text.binding == Binding::kOr || text.binding == Binding::kAnd
                           ? text.binding != binding
                           : false;
    return mixed ? fmt::format("({})", text.text) : In(std::move(text), binding);
  };
  return {
      fmt::format("{} {} {}", wrap(std::move(left)), is_and ? "&&" : "||", wrap(std::move(right))),
      binding, depth};
}

Text FunctionEmitter::Arithmetic(const BinaryExpr* node) {
  switch (node->kind) {
    case NodeKind::kAdd:
      return node->dtype.is_integer() ? IntegerArithmetic(node, "+", Binding::kAdd)
                                      : FloatArithmetic(node, "+", Binding::kAdd);
    case NodeKind::kSub:
      return node->dtype.is_integer() ? IntegerArithmetic(node, "-", Binding::kAdd)
                                      : FloatArithmetic(node, "-", Binding::kAdd);
    case NodeKind::kMul:
      return node->dtype.is_integer() ? IntegerArithmetic(node, "*", Binding::kMul)
                                      : FloatArithmetic(node, "*", Binding::kMul);
    case NodeKind::kMin:
    case NodeKind::kMax:
      return MinMax(node);
    case NodeKind::kAnd:
    case NodeKind::kOr:
      return Logical(node);
    case NodeKind::kDiv:
    case NodeKind::kMod:
    case NodeKind::kFloorDiv:
    case NodeKind::kFloorMod:
      return Division(node);
    default:
      return Comparison(node);
  }
}

}  // namespace tenon::c_lowering
