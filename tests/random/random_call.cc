#include "ir/builtins.h"
#include "random/generator.h"

namespace tenon::random_ir {
namespace {

const Expr* Repeat(NodeBuilder& b, const Expr* scalar, int lanes) {
  return lanes == 1 ? scalar : b.New<Broadcast>({}, scalar, lanes);
}

}  // namespace

const Expr* Generator::NewCall(DataType dtype, OpKind op, const std::vector<const Expr*>& args) {
  return b_.New<Call>({}, dtype, Op::Get(op), Copy(args));
}

const Expr* Generator::MakeCall(DataType dtype, int depth) {
  const int64_t kind = dice_.Below(8);
  if (kind == 0) return AnyCall(dtype, depth);
  if (kind == 1 && !dtype.is_scalar()) return VectorCall(dtype, depth);
  if (kind == 2) {
    const Expr* condition = Expression(DataType::Bool(), depth);
    const Expr* a = Expression(dtype, depth);
    const Expr* b = Expression(dtype, depth);
    return NewCall(dtype, OpKind::kIfThenElse, {condition, a, b});
  }
  if (kind == 3 && dtype.element() == DataType::Int(32)) return QMultiply(dtype, depth);
  if (dtype.is_bool()) {
    if (kind < 5) return IntegerCall(dtype, depth);
    if (kind == 5) return NewCall(dtype, OpKind::kLikely, {Expression(dtype, depth)});
    // The text expands isinf and isfinite to other operations.
    const DataType operand = DataType::Float(dice_.Percent(50) ? 32 : 64, dtype.lanes());
    return NewCall(dtype, OpKind::kIsnan, {Expression(operand, depth)});
  }
  return dtype.is_integer() ? IntegerCall(dtype, depth) : FloatCall(dtype, depth);
}

const Expr* Generator::IntegerCall(DataType dtype, int depth) {
  static constexpr OpKind kOps[] = {OpKind::kShiftLeft, OpKind::kShiftRight, OpKind::kBitwiseAnd,
                                    OpKind::kBitwiseOr, OpKind::kBitwiseXor, OpKind::kBitwiseNot,
                                    OpKind::kPopcount,  OpKind::kClz};
  const OpKind op = dice_.Pick(kOps);
  if (op == OpKind::kClz) {
    if (dtype != DataType::Int(32)) return nullptr;
    return NewCall(dtype, op, {Expression(DataType::Int(dice_.Percent(50) ? 32 : 64), depth)});
  }
  const Expr* a = Expression(dtype, depth);
  if (op == OpKind::kPopcount || op == OpKind::kBitwiseNot) return NewCall(dtype, op, {a});
  const Expr* b = Expression(dtype, depth);
  if (op == OpKind::kShiftLeft || op == OpKind::kShiftRight) {
    const Expr* mask = Repeat(b_, b_.Int(dtype.element(), dtype.bits() - 1), dtype.lanes());
    b = NewCall(dtype, OpKind::kBitwiseAnd, {b, mask});
  }
  return NewCall(dtype, op, {a, b});
}

/// Functions with exact results, so that all engines agree.
const Expr* Generator::FloatCall(DataType dtype, int depth) {
  static constexpr OpKind kOps[] = {OpKind::kFloor,    OpKind::kCeil, OpKind::kTrunc,
                                    OpKind::kFabs,     OpKind::kSqrt, OpKind::kRound,
                                    OpKind::kNearbyint};
  if (dtype.is_float8()) return nullptr;
  const OpKind op = dice_.Pick(kOps);
  const Expr* a = Expression(dtype, depth);
  if (op == OpKind::kSqrt) a = NewCall(dtype, OpKind::kFabs, {a});
  return NewCall(dtype, op, {a});
}

const Expr* Generator::AnyCall(DataType dtype, int depth) {
  // Any integer's bits are a valid float. Bits of a float would expose the bits of NaNs.
  if (dtype.is_float() && dtype.bits() >= 16) {
    return NewCall(dtype, OpKind::kReinterpret,
                   {Expression(DataType::Int(dtype.bits(), dtype.lanes()), depth)});
  }
  if (dtype.is_integer() && !dtype.is_bool()) {
    const DataType other(dtype.is_int() ? TypeCode::kUInt : TypeCode::kInt, dtype.bits(),
                         dtype.lanes());
    return NewCall(dtype, OpKind::kReinterpret, {Expression(other, depth)});
  }
  return nullptr;
}

const Expr* Generator::VectorCall(DataType dtype, int depth) {
  const int lanes = dtype.lanes();
  switch (dice_.Below(4)) {
    case 0:
      return NewCall(dtype, OpKind::kVectorLow, {Expression(dtype.with_lanes(lanes * 2), depth)});
    case 1:
      return NewCall(dtype, OpKind::kVectorHigh, {Expression(dtype.with_lanes(lanes * 2), depth)});
    case 2: {
      if (lanes < 4) return nullptr;
      const Expr* low = Expression(dtype.with_lanes(lanes / 2), depth);
      const Expr* high = Expression(dtype.with_lanes(lanes / 2), depth);
      return NewCall(dtype, OpKind::kVectorCombine, {low, high});
    }
    default: {
      if (!dtype.is_bool()) return nullptr;
      const Expr* base = Index(8, depth);
      const Expr* limit = Int(dice_.Below(12));
      return NewCall(dtype, OpKind::kGetActiveLaneMask, {base, limit});
    }
  }
}

const Expr* Generator::QMultiply(DataType dtype, int depth) {
  const int lanes = dtype.lanes();
  const Expr* x = Expression(dtype, depth);
  const int64_t factor =
      dice_.Percent(30) ? int64_t{1} << 30 : dice_.Between(int64_t{1} << 30, INT32_MAX);
  const Expr* multiplier = Repeat(b_, Int(factor), lanes);
  if (dice_.Percent(60)) {
    const Expr* shift = Repeat(b_, Int(dice_.Between(-12, 6)), lanes);
    return NewCall(dtype, OpKind::kQMultiplyShift,
                   {x, multiplier, Repeat(b_, Int(31), lanes), shift});
  }
  const int64_t left = dice_.Percent(50) ? 0 : dice_.Between(1, 5);
  const int64_t right = dice_.Between(0, 10);
  return NewCall(dtype, OpKind::kQMultiplyShiftPerAxis,
                 {x, multiplier, Repeat(b_, Int(left), lanes), Repeat(b_, Int(right), lanes),
                  Repeat(b_, Int(31), lanes), b_.Bool(left != 0), b_.Bool(right != 0)});
}

const Expr* Generator::FunctionCall(const Callee& callee) {
  Storages taken;
  std::vector<const Expr*> args(callee.params.size());
  const bool by_name = !callee.symbol.empty() && callee.result.is_void() && dice_.Percent(50);
  if (dice_.Percent(40)) SwappedArguments(callee, taken, args);
  for (size_t i = 0; i < args.size(); ++i) {
    const Callee::Param& param = callee.params[i];
    if (args[i] != nullptr) continue;
    args[i] = param.tensor ? PointerArgument(callee, param, taken) : Expression(param.dtype, 1);
    if (args[i] == nullptr) return nullptr;
  }
  if (by_name) args.insert(args.begin(), b_.String(callee.symbol));
  if (!by_name) {
    return b_.New<Call>({}, callee.result, Op::Get(OpKind::kGlobalCall), Copy(args), callee.name);
  }
  const bool packed = dice_.Percent(30);
  if (packed) {
    // The resource handle.
    args.push_back(
        NewCall(DataType::Handle(), OpKind::kReinterpret, {b_.Int(DataType::UInt(64), 0)}));
  }
  const Expr* call =
      NewCall(DataType::Int(32), packed ? OpKind::kCallCPacked : OpKind::kCallExtern, args);
  if (packed || dice_.Percent(50)) return call;
  return NewCall(DataType::Int(32), OpKind::kTvmCheckReturn, {Int(0), Int(-1), call});
}

const Stmt* Generator::CallStatement(const Callee& callee) {
  const Expr* call = FunctionCall(callee);
  return call == nullptr ? nullptr : b_.New<Evaluate>({}, call);
}

const Stmt* Generator::CallWithTensors(const Callee& callee) {
  const Scope scope(*this);
  std::vector<Tensor> made;
  std::vector<const Stmt*> list;
  for (const Callee::Param& param : callee.params) {
    if (!param.tensor) continue;
    made.push_back(NewTensor("b", param.dtype, param.shape, Pointer("b", param.dtype)));
    list.push_back(Fill(made.back()));
    tensors_.push_back(made.back());
  }
  // Tensors that the callee may overwrite stay live until the call, while others are allocated and
  // freed.
  if (options_.reuse) {
    if (const Stmt* others = MakeReuse(2)) list.push_back(others);
  }
  // Once, or in a loop whose variable may choose the arguments.
  const Var* turn = b_.NewVar("t", DataType::Int(32));
  const int64_t turns = dice_.Percent(50) ? dice_.Between(2, 4) : 1;
  if (turns > 1) vars_.push_back({turn, true, 0, turns - 1});
  // A large tensor may be used where a small one would suffice, and be unavailable afterwards.
  const Stmt* call = nullptr;
  while (call == nullptr) call = CallStatement(callee);
  if (turns > 1) {
    call = LoopOf(turn, turns, call, false);
    vars_.pop_back();
  }
  list.push_back(call);
  list.push_back(Sequence(2));
  const Stmt* body = b_.Seq(Span<const Stmt*>(list.data(), list.size()));
  for (const Tensor& tensor : made) {
    body = b_.New<Allocate>({}, tensor.buffer->data, tensor.buffer->dtype, tensor.buffer->shape,
                            b_.Bool(true), nullptr, body);
    if (tensor.shape.empty()) {
      Allocate one = *cast<Allocate>(body);
      one.extents = b_.List<Expr>({Int(1)});
      body = b_.New<Allocate>({}, one);
    }
  }
  return body;
}

}  // namespace tenon::random_ir
