#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicsARM.h>

#include "ir/builtins.h"
#include "lowering/llvm/llvm_internal.h"

// Instructions for vectors of 16 bytes on Arm's M-profile (MVE, Helium).

namespace tenon::llvm_lowering {

namespace {

/// Numbers of 32 bits in a vector.
constexpr int kWords = 4;

/// The number in every lane, or the number itself.
const Expr* InEachLane(const Expr* expr) {
  const auto* all = dyn_cast<Broadcast>(expr);
  return all == nullptr ? expr : all->value;
}

/// The arguments of a shift of signed integers to the right; null for other expressions.
const Call* AsShiftRight(const Expr* expr) {
  const auto* call = dyn_cast<Call>(expr);
  return call != nullptr && call->op->kind == OpKind::kShiftRight && call->dtype.is_int() ? call
                                                                                          : nullptr;
}

/// True for int64 whose value fits int32.
bool IsWord(const Expr* expr) {
  expr = InEachLane(expr);
  if (const int64_t* number = AsIntImm(expr)) return *number == static_cast<int32_t>(*number);
  const auto* extended = dyn_cast<Cast>(expr);
  if (extended == nullptr) return false;
  const DataType from = extended->value->dtype;
  return from.element() == DataType::Int(32) || (from.is_integer() && from.bits() < 32);
}

/// The product of two int32 as int64, whose upper word `expr` is; null for other expressions.
const Mul* AsProductOfUpperWord(const Expr* expr) {
  const auto* word = dyn_cast<Cast>(expr);
  if (word == nullptr || word->dtype.element() != DataType::Int(32)) return nullptr;
  const Call* shift = AsShiftRight(word->value);
  if (shift == nullptr || shift->dtype.element() != DataType::Int(64) ||
      !IsConstInt(InEachLane(shift->args[1]), 32))
    return nullptr;
  const auto* product = dyn_cast<Mul>(shift->args[0]);
  return product != nullptr && IsWord(product->a) && IsWord(product->b) ? product : nullptr;
}

}  // namespace

/// `vmladava` of 16 bytes of one sign, or of 8 halfwords. Null if the signs differ.
llvm::Value* FunctionEmitter::MveDot(const Call* call) {
  const Expr* a = call->args[0];
  const Expr* b = call->args[1];
  const int lanes = a->dtype.lanes();
  const bool is_whole = lanes == 16;
  if (is_whole && a->dtype != b->dtype) return nullptr;
  llvm::Value* x = is_whole ? Value(a) : Wide(a, lanes, 16);
  llvm::Value* y = is_whole ? Value(b) : Wide(b, lanes, 16);
  const bool is_unsigned = is_whole && a->dtype.is_uint();
  return build_.CreateIntrinsic(llvm::Intrinsic::arm_mve_vmldava, {x->getType()},
                                {build_.getInt32(is_unsigned ? 1 : 0), build_.getInt32(0),
                                 build_.getInt32(0), Wide(call->args[2], 1, 32), x, y});
}

/// `((upper word of a product) >> n) + 1) >> 1` as `vmulh` and `vrshl`, which shifts by n + 1 and
/// rounds. The upper word is at most 2^30 in size, so that adding 1 does not wrap. Null for other
/// expressions.
llvm::Value* FunctionEmitter::MveRoundedShift(const Call* call) {
  const int lanes = call->dtype.lanes();
  if (call->dtype.element() != DataType::Int(32) || lanes % kWords != 0 ||
      !IsConstInt(InEachLane(call->args[1]), 1))
    return nullptr;
  const auto* next = dyn_cast<Add>(call->args[0]);
  if (next == nullptr || !IsConstInt(InEachLane(next->b), 1)) return nullptr;
  const Call* shift = AsShiftRight(next->a);
  const Mul* product = shift == nullptr ? nullptr : AsProductOfUpperWord(shift->args[0]);
  if (product == nullptr) return nullptr;
  llvm::Type* all = TypeOf(call->dtype);
  // LLVM folds the extension and its opposite.
  llvm::Value* a = build_.CreateTrunc(Value(product->a), all);
  llvm::Value* b = build_.CreateTrunc(Value(product->b), all);
  llvm::Value* n = build_.CreateIntCast(Value(shift->args[1]), all, /*isSigned=*/false);
  llvm::Value* to_left = build_.CreateSub(Int(all, -1), n);
  std::vector<llvm::Value*> pieces;
  for (int first = 0; first < lanes; first += kWords) {
    const auto piece = [&](llvm::Value* value) {
      if (lanes == kWords) return value;
      std::vector<int> order;
      for (int lane = 0; lane < kWords; ++lane) order.push_back(first + lane);
      return build_.CreateShuffleVector(value, order);
    };
    llvm::Value* x = piece(a);
    llvm::Value* y = piece(b);
    llvm::Value* by = piece(to_left);
    llvm::Type* type = x->getType();
    llvm::Value* upper =
        build_.CreateIntrinsic(llvm::Intrinsic::arm_mve_vmulh, {type}, {x, y, build_.getInt32(0)});
    pieces.push_back(build_.CreateIntrinsic(
        llvm::Intrinsic::arm_mve_vshl_vector, {type, type},
        {upper, by, /*saturates=*/build_.getInt32(0), /*rounds=*/build_.getInt32(1),
         /*is_unsigned=*/build_.getInt32(0)}));
  }
  return pieces.size() == 1 ? pieces[0] : llvm::concatenateVectors(build_, pieces);
}

}  // namespace tenon::llvm_lowering
