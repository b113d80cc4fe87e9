#include <bit>

#include "fmt/format.h"
#include "interp/compiler.h"
#include "interp/float_format.h"
#include "interp/kernels.h"
#include "support/stack.h"

namespace tenon::interp {

int32_t Compiler::Expression(const Expr* expr, int32_t into) {
  return WithStack([&] { return ExpressionNoStack(expr, into); });
}

int32_t Compiler::MoveInto(int32_t reg, int32_t into, int32_t lanes) {
  if (into < 0 || into == reg) return reg;
  Emit(Opcode::kMove, into, reg).lanes = lanes;
  return into;
}

int32_t Compiler::VarOf(const Var* var) {
  const auto it = vars_.find(var);
  if (it != vars_.end()) return it->second;
  Fail(DiagnosticKind::kUndefinedName, fmt::format("`{}` has no value here", var->name.view()));
  return Constant(0, var->dtype.lanes() > 0 ? var->dtype.lanes() : 1);
}

int32_t Compiler::Immediate(const Expr* expr, int32_t lanes) {
  if (const auto* imm = dyn_cast<IntImm>(expr)) {
    const int shift = 64 - expr->dtype.bits();
    return Constant(WrapInt(imm->value, shift, expr->dtype.is_int()), lanes);
  }
  const double value = cast<FloatImm>(expr)->value;
  const Slot bits =
      WithFloatFormat(expr->dtype, [value](auto f) { return decltype(f)::FromDouble(value); });
  return Constant(bits, lanes);
}

int32_t Compiler::ExpressionNoStack(const Expr* expr, int32_t into) {
  if (expr->dtype.is_scalable()) {
    return Error(DiagnosticKind::kUnsupported, "scalable vectors cannot be interpreted");
  }
  const int32_t lanes = expr->dtype.lanes();
  switch (expr->kind) {
    case NodeKind::kIntImm:
    case NodeKind::kFloatImm:
      return MoveInto(Immediate(expr, 1), into, 1);
    case NodeKind::kStringImm:
      return MoveInto(StringPointer(cast<StringImm>(expr)->value), into, 1);
    case NodeKind::kVar:
      return MoveInto(VarOf(cast<Var>(expr)), into, lanes);
    case NodeKind::kCast: {
      const Expr* value = cast<Cast>(expr)->value;
      return CastOf(expr->dtype, Expression(value), value->dtype, into);
    }
    case NodeKind::kAnd:
    case NodeKind::kOr:
      return ShortCircuit(static_cast<const BinaryExpr*>(expr), into);
    case NodeKind::kNot: {
      const int32_t a = Expression(cast<Not>(expr)->a);
      const int32_t d = Target(into, expr->dtype);
      EmitKernel(NotKernel, expr->dtype, d, a);
      return d;
    }
    case NodeKind::kSelect:
      return SelectOf(cast<Select>(expr), into);
    case NodeKind::kBufferLoad:
      return LoadOf(cast<BufferLoad>(expr), into);
    case NodeKind::kRamp: {
      const int32_t base = Expression(cast<Ramp>(expr)->base);
      const int32_t stride = Expression(cast<Ramp>(expr)->stride);
      const int32_t d = Target(into, expr->dtype);
      EmitKernel(RampKernel, expr->dtype, d, base, stride);
      return d;
    }
    case NodeKind::kBroadcast: {
      const Expr* value = cast<Broadcast>(expr)->value;
      if (isa<IntImm>(value) || isa<FloatImm>(value)) {
        return MoveInto(Immediate(value, lanes), into, lanes);
      }
      const int32_t a = Expression(value);
      const int32_t d = Target(into, expr->dtype);
      Emit(Opcode::kSplat, d, a).lanes = lanes;
      return d;
    }
    case NodeKind::kShuffle:
      return ShuffleOf(cast<Shuffle>(expr), into);
    case NodeKind::kLet:
      return LetOf(cast<Let>(expr), into);
    case NodeKind::kCall:
      return CallOf(cast<Call>(expr), into);
    default:
      if (BinaryExpr::ClassOf(expr)) return Binary(static_cast<const BinaryExpr*>(expr), into);
      return Error(DiagnosticKind::kUnsupported,
                   fmt::format("{} cannot be interpreted", NodeKindName(expr->kind)));
  }
}

int32_t Compiler::Binary(const BinaryExpr* expr, int32_t into) {
  const DataType dtype = expr->a->dtype;
  // The operands' registers are free once the result exists. The result may overlap them, since
  // lanes are computed in order from the same or later registers.
  const int32_t a = Expression(expr->a);
  const int32_t b = Expression(expr->b);
  const int32_t d = Target(into, expr->dtype);
  if (dtype == DataType::Int(32)) {
    if (expr->kind == NodeKind::kAdd) return Emit(Opcode::kAddI32, d, a, b), d;
    if (expr->kind == NodeKind::kSub) return Emit(Opcode::kSubI32, d, a, b), d;
    if (expr->kind == NodeKind::kMul) return Emit(Opcode::kMulI32, d, a, b), d;
  }
  if (dtype == DataType::Float(32)) {
    if (expr->kind == NodeKind::kAdd) return Emit(Opcode::kAddF32, d, a, b), d;
    if (expr->kind == NodeKind::kMul) return Emit(Opcode::kMulF32, d, a, b), d;
  }
  if (expr->kind == NodeKind::kLT && dtype.is_int() && dtype.is_scalar()) {
    return Emit(Opcode::kLtI64, d, a, b), d;
  }
  const Kernel kernel = BinaryKernel(expr->kind, dtype);
  if (kernel == nullptr) {
    return Error(
        DiagnosticKind::kUnsupported,
        fmt::format("{} of {} cannot be interpreted", NodeKindName(expr->kind), dtype.ToString()));
  }
  EmitKernel(kernel, dtype, d, a, b);
  return d;
}

// Scalars: the right side is not evaluated if the left one decides, as in C. (Code whose right side
// reads out of bounds is caught where a back end would evaluate both: Select, and vectors.)
int32_t Compiler::ShortCircuit(const BinaryExpr* expr, int32_t into) {
  if (!expr->dtype.is_scalar()) return Binary(expr, into);
  const int32_t d = Target(into, expr->dtype);
  Expression(expr->a, d);
  const int64_t skip = Here();
  if (expr->kind == NodeKind::kAnd) {
    Emit(Opcode::kJumpIfZero, 0, d);
    Expression(expr->b, d);
    Patch(skip, Here());
    return d;
  }
  Emit(Opcode::kJumpIfZero, 0, d);
  const int64_t end = Here();
  Emit(Opcode::kJump);
  Patch(skip, Here());
  Expression(expr->b, d);
  Patch(end, Here());
  return d;
}

// A scalar condition chooses before the arms are evaluated, as in C. For a vector condition, both
// arms are evaluated in each lane.
int32_t Compiler::SelectOf(const Select* expr, int32_t into) {
  const int32_t lanes = expr->dtype.lanes();
  if (expr->condition->dtype.is_scalar()) {
    const int32_t d = Target(into, expr->dtype);
    const int32_t condition = Expression(expr->condition);
    const int64_t skip = Here();
    Emit(Opcode::kJumpIfZero, 0, condition);
    Expression(expr->true_value, d);
    const int64_t end = Here();
    Emit(Opcode::kJump);
    Patch(skip, Here());
    Expression(expr->false_value, d);
    Patch(end, Here());
    return d;
  }
  const int32_t condition = Expression(expr->condition);
  const int32_t t = Expression(expr->true_value);
  const int32_t f = Expression(expr->false_value);
  const int32_t d = Target(into, expr->dtype);
  Instr& instr = EmitKernel(SelectKernel, expr->dtype, d, condition, t, f);
  instr.lanes = lanes;
  return d;
}

int32_t Compiler::CastOf(DataType to, int32_t value, DataType from, int32_t into) {
  if (to.is_handle() || from.is_handle() || to.is_void()) return MoveInto(value, into, 1);
  const Kernel kernel = CastKernel(from, to);
  if (kernel == nullptr) return MoveInto(value, into, to.lanes());
  const int32_t d = Target(into, to);
  EmitKernel(kernel, to, d, value);
  return d;
}

int32_t Compiler::ShuffleOf(const Shuffle* expr, int32_t into) {
  std::vector<int32_t> lanes;
  for (const Expr* vector : expr->vectors) {
    const int32_t reg = Expression(vector);
    for (int i = 0; i < vector->dtype.lanes(); ++i) lanes.push_back(reg + i);
  }
  const int32_t d = NewRegs(static_cast<int32_t>(expr->indices.size()));
  for (size_t i = 0; i < expr->indices.size(); ++i) {
    const int64_t* index = AsIntImm(expr->indices[i]);
    if (index == nullptr || *index < 0 || *index >= static_cast<int64_t>(lanes.size())) {
      return Error(DiagnosticKind::kUnsupported, "a Shuffle takes constant lanes of its vectors");
    }
    Emit(Opcode::kMove, d + static_cast<int32_t>(i), lanes[static_cast<size_t>(*index)]);
  }
  return MoveInto(d, into, static_cast<int32_t>(expr->indices.size()));
}

int32_t Compiler::LetOf(const Let* expr, int32_t into) {
  const int32_t reg = NewRegs(expr->var->dtype.lanes());
  Expression(expr->value, reg);
  Define(expr->var, reg);
  const int32_t result = Expression(expr->body, into);
  vars_.erase(expr->var);
  return result;
}

}  // namespace tenon::interp
