// Instructions for vectors of 16 bytes on Arm's M-profile (MVE, Helium), which LLVM does not find
// by itself. Each rule proves that its rounding is the text's.

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicsARM.h>

#include "ir/builtins.h"
#include "lowering/llvm/llvm_internal.h"

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

/// Makes a vector of words from results for four lanes each. `make` gets the number of a piece, and
/// a function that gives the four lanes of a vector.
llvm::Value* FunctionEmitter::MveWords(
    int lanes,
    llvm::function_ref<llvm::Value*(llvm::function_ref<llvm::Value*(llvm::Value*)>)> make) {
  std::vector<llvm::Value*> pieces;
  for (int first = 0; first < lanes; first += kWords) {
    pieces.push_back(make([&](llvm::Value* value) {
      if (lanes == kWords) return value;
      std::vector<int> order;
      for (int lane = 0; lane < kWords; ++lane) order.push_back(first + lane);
      return build_.CreateShuffleVector(value, order);
    }));
  }
  return pieces.size() == 1 ? pieces[0] : llvm::concatenateVectors(build_, pieces);
}

/// `((v >> n) + 1) >> 1` as `vrshl`, which shifts by n + 1 and rounds. `v` is the upper word of a
/// product (`vmulh`), which is at most 2^30 in size, or is less than 2^31 - 1: adding 1 does not
/// wrap. Null for other expressions.
llvm::Value* FunctionEmitter::MveRoundedShift(const Call* call) {
  const int lanes = call->dtype.lanes();
  if (call->dtype.element() != DataType::Int(32) || lanes % kWords != 0 ||
      !IsConstInt(InEachLane(call->args[1]), 1))
    return nullptr;
  const auto* next = dyn_cast<Add>(call->args[0]);
  if (next == nullptr || !IsConstInt(InEachLane(next->b), 1)) return nullptr;
  const Call* shift = AsShiftRight(next->a);
  if (shift == nullptr) return nullptr;
  const Mul* product = AsProductOfUpperWord(shift->args[0]);
  constexpr int64_t kMostWord = 0x7FFFFFFF;
  if (product == nullptr && !analyzer_.CanProveLess(shift->args[0], kMostWord)) return nullptr;
  llvm::Type* all = TypeOf(call->dtype);
  // LLVM folds the extension and its opposite.
  llvm::Value* a =
      product != nullptr ? build_.CreateTrunc(Value(product->a), all) : Value(shift->args[0]);
  llvm::Value* b = product != nullptr ? build_.CreateTrunc(Value(product->b), all) : nullptr;
  llvm::Value* n = build_.CreateIntCast(Value(shift->args[1]), all, /*isSigned=*/false);
  llvm::Value* to_left = build_.CreateSub(Int(all, -1), n);
  return MveWords(lanes, [&](llvm::function_ref<llvm::Value*(llvm::Value*)> piece) {
    llvm::Value* word = piece(a);
    llvm::Value* by = piece(to_left);
    llvm::Type* type = word->getType();
    if (b != nullptr) {
      word = build_.CreateIntrinsic(llvm::Intrinsic::arm_mve_vmulh, {type},
                                    {word, piece(b), build_.getInt32(0)});
    }
    return build_.CreateIntrinsic(
        llvm::Intrinsic::arm_mve_vshl_vector, {type, type},
        {word, by, /*saturates=*/build_.getInt32(0), /*rounds=*/build_.getInt32(1),
         /*is_unsigned=*/build_.getInt32(0)});
  });
}

/// `round(x * y / 2^31)` as `vqrdmulh`, which is different only if both are -2^31. Null for other
/// expressions.
llvm::Value* FunctionEmitter::MveQ31(const Call* call) {
  const int lanes = call->dtype.lanes();
  const auto is = [&](size_t arg, int64_t number) {
    return IsConstInt(InEachLane(call->args[arg]), number);
  };
  constexpr int64_t kLeastWord = -0x80000000LL;
  const DataType type = DataType::Int(32, lanes);
  const auto is_larger = [&](const Expr* expr) {
    return analyzer_.CanProveGreaterEqual(expr, kLeastWord + 1);
  };
  if (call->dtype != type || call->args[0]->dtype != type || call->args[1]->dtype != type ||
      lanes % kWords != 0 || !is(3, 0) || !is(4, 31) || !is(5, 0) ||
      !(is_larger(call->args[0]) || is_larger(call->args[1])))
    return nullptr;
  llvm::Value* x = Value(call->args[0]);
  llvm::Value* y = Value(call->args[1]);
  return MveWords(lanes, [&](llvm::function_ref<llvm::Value*(llvm::Value*)> piece) {
    llvm::Value* a = piece(x);
    llvm::Value* b = piece(y);
    return build_.CreateIntrinsic(llvm::Intrinsic::arm_mve_vqrdmulh, {a->getType()}, {a, b});
  });
}

}  // namespace tenon::llvm_lowering
