// A chain is read from an expression, matched against others, and built again around a load. Cheap
// chains are inverted by arithmetic; others have no simple inverse, so all numbers of 8 bits are
// tried.

#include "passes/fusion/encoding.h"

#include <algorithm>

#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "support/arena.h"
#include "support/check.h"
#include "support/stack.h"

namespace tenon {

namespace {

bool IsNumber(DataType dtype) { return dtype.is_integer() && !dtype.is_bool(); }

bool IsArithmetic(NodeKind kind) {
  return kind == NodeKind::kAdd || kind == NodeKind::kSub || kind == NodeKind::kMul ||
         kind == NodeKind::kMin || kind == NodeKind::kMax;
}

/// Calls whose first argument is the value, and whose other arguments are numbers.
bool IsChainCall(OpKind kind) {
  return kind == OpKind::kQMultiplyShift || kind == OpKind::kQMultiplyShiftPerAxis;
}

std::optional<ChainStep> AsBinaryStep(const BinaryExpr* expr, const NumberOf& number_of,
                                      const Expr** value) {
  if (!IsArithmetic(expr->kind) || !IsNumber(expr->dtype)) return std::nullopt;
  const Expr* sides[] = {expr->a, expr->b};
  for (size_t operand = 0; operand < 2; ++operand) {
    const std::optional<int64_t> number = number_of(sides[1 - operand]);
    if (!number.has_value()) continue;
    *value = sides[operand];
    return ChainStep{expr->kind, nullptr, expr->dtype, operand, {{expr->dtype, *number}}};
  }
  return std::nullopt;
}

std::optional<ChainStep> AsCallStep(const Call* call, const NumberOf& number_of,
                                    const Expr** value) {
  if (!IsChainCall(call->op->kind) || !IsNumber(call->args[0]->dtype)) return std::nullopt;
  ChainStep step{NodeKind::kCall, call->op, call->dtype, 0, {}};
  for (const Expr* arg : call->args.subspan(1)) {
    const std::optional<int64_t> number = number_of(arg);
    if (!number.has_value()) return std::nullopt;
    step.literals.emplace_back(arg->dtype, *number);
  }
  *value = call->args[0];
  return step;
}

/// Applies one more step to a value.
const Expr* Applied(NodeBuilder& builder, const ChainStep& step, const Expr* value) {
  if (step.kind == NodeKind::kCast) return builder.New<Cast>(value->range, step.dtype, value);
  std::vector<const Expr*> operands;
  for (const auto& [dtype, number] : step.literals) operands.push_back(builder.Int(dtype, number));
  operands.insert(operands.begin() + static_cast<std::ptrdiff_t>(step.operand), value);
  if (step.kind == NodeKind::kCall) {
    const Span<const Expr*> args =
        builder.arena().Copy(Span<const Expr*>(operands.data(), operands.size()));
    return builder.New<Call>(value->range, step.dtype, step.op, args);
  }
  return MakeBinary(builder, step.kind, operands[0], operands[1], value->range);
}

/// The number for which a cheap chain gives the value.
int64_t Inverse(const Chain& chain, int64_t value) {
  for (const ChainStep& step : chain) {
    if (step.kind == NodeKind::kCast) continue;
    const int64_t literal = step.literals[0].second;
    if (step.kind == NodeKind::kAdd) value -= literal;
    if (step.kind == NodeKind::kSub) value = step.operand == 0 ? value + literal : literal - value;
  }
  return value;
}

}  // namespace

std::optional<ChainStep> AsChainStep(const Expr* expr, const NumberOf& number_of,
                                     const Expr** value) {
  if (!expr->dtype.is_scalar()) return std::nullopt;
  if (const auto* binary = dyn_cast<BinaryExpr>(expr)) {
    return AsBinaryStep(binary, number_of, value);
  }
  if (const auto* call = dyn_cast<Call>(expr)) return AsCallStep(call, number_of, value);
  const auto* conversion = dyn_cast<Cast>(expr);
  if (conversion == nullptr || !IsNumber(conversion->value->dtype)) return std::nullopt;
  if (!IsNumber(expr->dtype) && !expr->dtype.is_float()) return std::nullopt;
  *value = conversion->value;
  return ChainStep{NodeKind::kCast, nullptr, expr->dtype, 0, {}};
}

const Expr* MatchChain(const Expr* expr, const Chain& chain, const NumberOf& number_of) {
  for (const ChainStep& wanted : chain) {
    const Expr* value = nullptr;
    if (AsChainStep(expr, number_of, &value) != wanted) return nullptr;
    expr = value;
  }
  return expr;
}

bool IsCheap(const Chain& chain) {
  return std::all_of(chain.begin(), chain.end(), [](const ChainStep& step) {
    return step.dtype.is_integer() && (step.kind == NodeKind::kCast ||
                                       step.kind == NodeKind::kAdd || step.kind == NodeKind::kSub);
  });
}

const Expr* Decoded(NodeBuilder& builder, const Encoding& encoding, const Expr* load) {
  const int lanes = load->dtype.lanes();
  const DataType cut = encoding.cut.with_lanes(lanes);
  const Expr* value = builder.New<Cast>(load->range, cut, load);
  if (encoding.offset != 0) {
    const Expr* offset = builder.Int(encoding.cut, WrapToDType(encoding.offset, encoding.cut));
    if (lanes != 1) offset = builder.New<Broadcast>(load->range, offset, lanes);
    value = builder.New<Add>(load->range, value, offset);
  }
  for (size_t i = encoding.chain.size(); i-- > 0;) {
    value = Applied(builder, encoding.chain[i], value);
  }
  return value;
}

std::optional<ScalarValue> DecodedNumber(Context& context, const Encoding& encoding,
                                         int64_t stored) {
  Arena arena;
  NodeBuilder builder(context, arena);
  return EvaluateExpr(Decoded(builder, encoding, builder.Int(encoding.narrow, stored)));
}

std::optional<int64_t> EncodedNumber(Context& context, const Encoding& encoding, int64_t value) {
  Encoding exact = encoding;
  exact.narrow = encoding.cut;
  const auto stands_for_value = [&](int64_t number) {
    const std::optional<ScalarValue> decoded = DecodedNumber(context, exact, number);
    return decoded.has_value() && decoded->dtype.is_integer() && decoded->integer == value;
  };
  if (IsCheap(encoding.chain)) {
    const int64_t number = Inverse(encoding.chain, value) - encoding.offset;
    if (stands_for_value(WrapToDType(number, encoding.cut))) {
      return WrapToDType(number, encoding.cut);
    }
    return std::nullopt;
  }
  // Other chains have no simple inverse, so all numbers of 8 bits are tried.
  for (int64_t number = -128; number <= 255; ++number) {
    if (FitsDType(Interval::Point(number), encoding.cut) && stands_for_value(number)) return number;
  }
  return std::nullopt;
}

std::optional<DataType> SmallestType(const Interval& values, DataType wide, bool only_signed) {
  if (values.is_empty() || !values.is_bounded()) return std::nullopt;
  for (const int bits : {8, 16}) {
    if (bits / 8 >= wide.element_bytes()) break;
    for (const DataType dtype : {DataType::Int(bits), DataType::UInt(bits)}) {
      if (only_signed && dtype.is_uint()) continue;
      if (FitsDType(values, dtype)) return dtype;
    }
  }
  return std::nullopt;
}

bool IsChoice(const Expr* expr, const Expr** condition, const Expr** a, const Expr** b) {
  if (const auto* select = dyn_cast<Select>(expr)) {
    *condition = select->condition;
    *a = select->true_value;
    *b = select->false_value;
    return true;
  }
  const auto* call = dyn_cast<Call>(expr);
  if (call == nullptr || call->op->kind != OpKind::kIfThenElse || call->args.size() != 3) {
    return false;
  }
  *condition = call->args[0];
  *a = call->args[1];
  *b = call->args[2];
  return true;
}

const Expr* ChoiceLike(NodeBuilder& builder, const Expr* like, const Expr* condition, const Expr* a,
                       const Expr* b) {
  if (isa<Select>(like)) return builder.New<Select>(like->range, condition, a, b);
  return builder.NewCall(a->dtype, OpKind::kIfThenElse, {condition, a, b}, like->range);
}

const Expr* AsNarrow(NodeBuilder& builder, const Expr* expr, DataType dtype) {
  return WithStack([&]() -> const Expr* {
    if (expr->dtype == dtype) return expr;
    if (const int64_t* number = AsIntImm(expr)) {
      return builder.Int(dtype, WrapToDType(*number, dtype), expr->range);
    }
    if (const auto* broadcast = dyn_cast<Broadcast>(expr)) {
      const Expr* scalar = AsNarrow(builder, broadcast->value, dtype.element());
      return builder.New<Broadcast>(expr->range, scalar, dtype.lanes());
    }
    // A cast keeps the low bits, and `dtype` has no more bits than the cast's type.
    const auto* conversion = dyn_cast<Cast>(expr);
    if (conversion != nullptr && IsNumber(expr->dtype) && conversion->value->dtype.is_integer() &&
        expr->dtype.bits() >= dtype.bits()) {
      return AsNarrow(builder, conversion->value, dtype);
    }
    const Expr* condition = nullptr;
    const Expr* a = nullptr;
    const Expr* b = nullptr;
    if (IsChoice(expr, &condition, &a, &b)) {
      return ChoiceLike(builder, expr, condition, AsNarrow(builder, a, dtype),
                        AsNarrow(builder, b, dtype));
    }
    return builder.New<Cast>(expr->range, dtype, expr);
  });
}

}  // namespace tenon
