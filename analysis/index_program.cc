// Hash-consing in slots: an operation belongs to the innermost loop of its operands, and equal
// operations of a loop share a slot. Operations without loops are computed once, at compile time.

#include "analysis/index_program.h"

#include <algorithm>

#include "ir/builtins.h"
#include "support/check.h"

namespace tenon {

namespace {

int64_t Wrap(int64_t value, int bits, bool is_signed) {
  if (bits >= 64) return value;
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  const uint64_t low = static_cast<uint64_t>(value) & mask;
  if (is_signed && (low >> (bits - 1)) != 0) return static_cast<int64_t>(low | ~mask);
  return static_cast<int64_t>(low);
}

struct Quotient {
  int64_t quotient = 0;
  int64_t remainder = 0;
};

/// Quotient and remainder, rounded toward zero or minus infinity; zeros if the division is an
/// error.
Quotient Divide(int64_t a, int64_t b, bool floor) {
  if (b == 0 || (b == -1 && a == INT64_MIN)) return {};
  Quotient result{a / b, a % b};
  if (floor && result.remainder != 0 && (result.remainder < 0) != (b < 0)) {
    --result.quotient;
    result.remainder += b;
  }
  return result;
}

int64_t Bits(OpKind kind, int64_t a, int64_t b) {
  const auto x = static_cast<uint64_t>(a);
  const auto y = static_cast<uint64_t>(b);
  switch (kind) {
    case OpKind::kShiftLeft:
      return y < 64 ? static_cast<int64_t>(x << y) : 0;
    case OpKind::kShiftRight:
      return y < 64 ? a >> y : 0;
    case OpKind::kBitwiseAnd:
      return static_cast<int64_t>(x & y);
    case OpKind::kBitwiseOr:
      return static_cast<int64_t>(x | y);
    case OpKind::kBitwiseXor:
      return static_cast<int64_t>(x ^ y);
    default:
      TENON_UNREACHABLE();
  }
}

/// Unsigned 64-bit integers never occur here, so comparing int64 values is correct.
int64_t Compute(const IndexOp& op, int64_t a, int64_t b, int64_t c) {
  const auto x = static_cast<uint64_t>(a);
  const auto y = static_cast<uint64_t>(b);
  switch (op.kind) {
    case NodeKind::kCast:
      return a;
    case NodeKind::kAdd:
      return static_cast<int64_t>(x + y);
    case NodeKind::kSub:
      return static_cast<int64_t>(x - y);
    case NodeKind::kMul:
      return static_cast<int64_t>(x * y);
    case NodeKind::kDiv:
      return Divide(a, b, false).quotient;
    case NodeKind::kMod:
      return Divide(a, b, false).remainder;
    case NodeKind::kFloorDiv:
      return Divide(a, b, true).quotient;
    case NodeKind::kFloorMod:
      return Divide(a, b, true).remainder;
    case NodeKind::kMin:
      return std::min(a, b);
    case NodeKind::kMax:
      return std::max(a, b);
    case NodeKind::kEQ:
      return a == b ? 1 : 0;
    case NodeKind::kNE:
      return a != b ? 1 : 0;
    case NodeKind::kLT:
      return a < b ? 1 : 0;
    case NodeKind::kLE:
      return a <= b ? 1 : 0;
    case NodeKind::kGT:
      return a > b ? 1 : 0;
    case NodeKind::kGE:
      return a >= b ? 1 : 0;
    case NodeKind::kAnd:
      return a != 0 && b != 0 ? 1 : 0;
    case NodeKind::kOr:
      return a != 0 || b != 0 ? 1 : 0;
    case NodeKind::kNot:
      return a == 0 ? 1 : 0;
    case NodeKind::kSelect:
      return a != 0 ? b : c;
    case NodeKind::kCall:
      return Bits(op.call, a, b);
    default:
      TENON_UNREACHABLE();
  }
}

}  // namespace

void StartIteration(const IndexLoop& loop, int64_t counter, std::vector<int64_t>& slots) {
  const auto at = [&](SlotId slot) -> int64_t& { return slots[static_cast<size_t>(slot)]; };
  at(loop.counter) = counter;
  for (const IndexOp& op : loop.ops)
    at(op.to) = Wrap(Compute(op, at(op.a), at(op.b), at(op.c)), op.bits, op.is_signed);
}

void IndexCompiler::Open(IndexLoop& loop) {
  open_.push_back({&loop, {}});
  loop.counter = NewSlot(0, open_.size() - 1, true);
}

SlotId IndexCompiler::NewSlot(int64_t value, size_t depth, bool is_counter) {
  slots_.push_back(value);
  infos_.push_back({depth, is_counter});
  return static_cast<SlotId>(slots_.size() - 1);
}

SlotId IndexCompiler::Number(int64_t value) {
  const auto [at, is_new] = numbers_.try_emplace(value, 0);
  if (is_new) at->second = NewSlot(value, 0);
  return at->second;
}

SlotId IndexCompiler::Sum(SlotId a, SlotId b) {
  return Emit({.kind = NodeKind::kAdd, .a = a, .b = b, .c = Number(0)}, DataType::Int(64));
}

SlotId IndexCompiler::Product(SlotId a, SlotId b) {
  return Emit({.kind = NodeKind::kMul, .a = a, .b = b, .c = Number(0)}, DataType::Int(64));
}

void IndexCompiler::Use(SlotId slot) {
  const SlotInfo& info = InfoOf(slot);
  if (info.is_counter) open_[info.depth].loop->is_plain = false;
}

void IndexCompiler::Bind(const Var* var, const Expr* value) {
  variables_.erase(var);
  if (!var->dtype.is_scalar() || var->dtype.is_handle()) return;
  if (const std::optional<SlotId> slot = Value(value)) variables_[var] = *slot;
}

SlotId IndexCompiler::Emit(IndexOp op, DataType dtype) {
  op.bits = static_cast<int8_t>(dtype.is_bool() ? 1 : dtype.bits());
  op.is_signed = dtype.is_int() && !dtype.is_bool();
  const size_t depth = std::max({InfoOf(op.a).depth, InfoOf(op.b).depth, InfoOf(op.c).depth});
  for (const SlotId operand : {op.a, op.b, op.c}) Use(operand);
  if (depth == 0) {
    const int64_t value = Compute(op, slots_[At(op.a)], slots_[At(op.b)], slots_[At(op.c)]);
    return Number(Wrap(value, op.bits, op.is_signed));
  }
  const auto key = std::make_tuple(static_cast<int>(op.kind), static_cast<int>(op.call), op.a, op.b,
                                   op.c, op.is_signed ? op.bits : -op.bits);
  const auto [at, is_new] = open_[depth].known.try_emplace(key, 0);
  if (is_new) {
    op.to = at->second = NewSlot(0, depth);
    open_[depth].loop->ops.push_back(op);
  }
  return at->second;
}

std::optional<SlotId> IndexCompiler::Value(const Expr* expr, int lane) {
  if (const int64_t* value = AsIntImm(expr)) return Number(*value);
  if (const auto* ramp = dyn_cast<Ramp>(expr)) {
    const std::optional<SlotId> base = Value(ramp->base);
    const std::optional<SlotId> stride = Value(ramp->stride);
    if (!base || !stride) return std::nullopt;
    const DataType dtype = ramp->base->dtype;
    const SlotId step = Emit({.kind = NodeKind::kMul, .a = *stride, .b = Number(lane)}, dtype);
    return Emit({.kind = NodeKind::kAdd, .a = *base, .b = step}, dtype);
  }
  if (const auto* broadcast = dyn_cast<Broadcast>(expr)) return Value(broadcast->value);
  if (const auto* var = dyn_cast<Var>(expr)) {
    const auto found = variables_.find(var);
    if (found == variables_.end()) return std::nullopt;
    return found->second;
  }
  const DataType dtype = expr->dtype.with_lanes(1);
  const bool is_known_type =
      dtype.is_bool() || dtype.is_int() || (dtype.is_integer() && dtype.bits() < 64);
  if (!is_known_type) return std::nullopt;
  if (const auto* binary = dyn_cast<BinaryExpr>(expr)) {
    const DataType operand = binary->a->dtype;
    if (!operand.is_integer() || (!operand.is_int() && operand.bits() >= 64)) return std::nullopt;
    return Operation({.kind = expr->kind}, dtype, lane, {binary->a, binary->b});
  }
  if (const auto* cast_expr = dyn_cast<Cast>(expr)) {
    const DataType from = cast_expr->value->dtype;
    if (!from.is_integer()) return std::nullopt;
    if (!dtype.is_bool())
      return Operation({.kind = NodeKind::kCast}, dtype, lane, {cast_expr->value});
    const std::optional<SlotId> value = Value(cast_expr->value, lane);
    if (!value) return std::nullopt;
    return Emit({.kind = NodeKind::kNE, .a = *value, .b = Number(0), .c = Number(0)}, dtype);
  }
  if (const auto* negated = dyn_cast<Not>(expr))
    return Operation({.kind = NodeKind::kNot}, dtype, lane, {negated->a});
  if (const auto* select = dyn_cast<Select>(expr)) {
    return Operation({.kind = NodeKind::kSelect}, dtype, lane,
                     {select->condition, select->true_value, select->false_value});
  }
  if (const auto* call = dyn_cast<Call>(expr)) return ValueOfCall(call, dtype, lane);
  return std::nullopt;
}

std::optional<SlotId> IndexCompiler::ValueOfCall(const Call* call, DataType dtype, int lane) {
  switch (call->op->kind) {
    case OpKind::kLikely:
      return Value(call->args[0], lane);
    case OpKind::kIfThenElse:
      return Operation({.kind = NodeKind::kSelect}, dtype, lane,
                       {call->args[0], call->args[1], call->args[2]});
    case OpKind::kShiftLeft:
    case OpKind::kShiftRight:
    case OpKind::kBitwiseAnd:
    case OpKind::kBitwiseOr:
    case OpKind::kBitwiseXor:
      return Operation({.kind = NodeKind::kCall, .call = call->op->kind}, dtype, lane,
                       {call->args[0], call->args[1]});
    default:
      return std::nullopt;
  }
}

std::optional<SlotId> IndexCompiler::Operation(IndexOp op, DataType dtype, int lane,
                                               std::initializer_list<const Expr*> operands) {
  SlotId* const to[] = {&op.a, &op.b, &op.c};
  for (SlotId* slot : to) *slot = Number(0);
  size_t i = 0;
  for (const Expr* operand : operands) {
    const std::optional<SlotId> value = Value(operand, lane);
    if (!value) return std::nullopt;
    *to[i++] = *value;
  }
  return Emit(op, dtype);
}

}  // namespace tenon
