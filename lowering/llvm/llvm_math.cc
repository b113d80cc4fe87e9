// Mathematics by a table: an intrinsic if LLVM has one, or else a call of the C library for each
// lane. TVM's fixed-point products are computed in 64 bits, and the builder folds their constant
// parts.

#include <llvm/IR/Intrinsics.h>

#include "fmt/format.h"
#include "ir/builtins.h"
#include "lowering/llvm/llvm_internal.h"

namespace tenon::llvm_lowering {

namespace {

struct MathRow {
  OpKind kind;
  /// LLVM's intrinsic, which supports vectors and may map to instructions; else the C library's
  /// function, lane by lane.
  llvm::Intrinsic::ID intrinsic;
  std::string_view c_name;
};

constexpr llvm::Intrinsic::ID kNone = llvm::Intrinsic::not_intrinsic;

constexpr MathRow kRows[] = {
    {OpKind::kExp, llvm::Intrinsic::exp, "exp"},
    {OpKind::kExp2, llvm::Intrinsic::exp2, "exp2"},
    {OpKind::kLog, llvm::Intrinsic::log, "log"},
    {OpKind::kLog2, llvm::Intrinsic::log2, "log2"},
    {OpKind::kLog10, llvm::Intrinsic::log10, "log10"},
    {OpKind::kLog1p, kNone, "log1p"},
    {OpKind::kSqrt, llvm::Intrinsic::sqrt, "sqrt"},
    {OpKind::kTanh, kNone, "tanh"},
    {OpKind::kSin, llvm::Intrinsic::sin, "sin"},
    {OpKind::kCos, llvm::Intrinsic::cos, "cos"},
    {OpKind::kTan, kNone, "tan"},
    {OpKind::kSinh, kNone, "sinh"},
    {OpKind::kCosh, kNone, "cosh"},
    {OpKind::kAsin, kNone, "asin"},
    {OpKind::kAcos, kNone, "acos"},
    {OpKind::kAtan, kNone, "atan"},
    {OpKind::kAsinh, kNone, "asinh"},
    {OpKind::kAcosh, kNone, "acosh"},
    {OpKind::kAtanh, kNone, "atanh"},
    {OpKind::kAtan2, kNone, "atan2"},
    {OpKind::kHypot, kNone, "hypot"},
    {OpKind::kCopysign, llvm::Intrinsic::copysign, "copysign"},
    {OpKind::kNextafter, kNone, "nextafter"},
    {OpKind::kPow, llvm::Intrinsic::pow, "pow"},
    {OpKind::kFmod, kNone, "fmod"},
    {OpKind::kErf, kNone, "erf"},
    {OpKind::kFloor, llvm::Intrinsic::floor, "floor"},
    {OpKind::kCeil, llvm::Intrinsic::ceil, "ceil"},
    {OpKind::kTrunc, llvm::Intrinsic::trunc, "trunc"},
    {OpKind::kRound, llvm::Intrinsic::round, "round"},
    {OpKind::kNearbyint, llvm::Intrinsic::nearbyint, "nearbyint"},
    {OpKind::kRoundeven, llvm::Intrinsic::nearbyint, "nearbyint"},  // all C libraries have it
    {OpKind::kFabs, llvm::Intrinsic::fabs, "fabs"},
    {OpKind::kFma, llvm::Intrinsic::fma, "fma"},
};

}  // namespace

/// A value as `lanes` wider integers.
llvm::Value* FunctionEmitter::Wide(const Expr* arg, int lanes, int bits) {
  llvm::Value* value = Value(arg);
  if (arg->dtype.is_scalar()) value = Splat(value, lanes);
  return build_.CreateIntCast(value,
                              value->getType()->getWithNewBitWidth(static_cast<unsigned>(bits)),
                              arg->dtype.is_int());
}

/// round(x * y * 2^(left - total)), with halves rounded up, in wrapping 64-bit arithmetic.
llvm::Value* FunctionEmitter::ScaledProduct(llvm::Value* x, llvm::Value* y, llvm::Value* left,
                                            llvm::Value* total) {
  llvm::Type* type = x->getType();
  llvm::Value* product = build_.CreateMul(build_.CreateShl(x, left), y);
  llvm::Value* half = build_.CreateShl(Int(type, 1), build_.CreateSub(total, Int(type, 1)));
  return build_.CreateAShr(build_.CreateAdd(product, half), total);
}

llvm::Value* FunctionEmitter::QMultiplyShift(const Call* call) {
  const int lanes = call->args[0]->dtype.lanes();
  llvm::Value* x = Wide(call->args[0], lanes, 64);
  llvm::Value* y = Wide(call->args[1], lanes, 64);
  llvm::Value* q = Wide(call->args[2], lanes, 64);
  llvm::Value* s = Wide(call->args[3], lanes, 64);
  llvm::Type* type = x->getType();
  llvm::Type* narrow = TypeOf(call->dtype);
  llvm::Value* zero = Int(type, 0);
  // The builder folds constants.
  llvm::Value* is_left = build_.CreateICmpSGT(s, zero);
  llvm::Value* left = build_.CreateSelect(is_left, s, zero);
  llvm::Value* minus = build_.CreateSelect(is_left, zero, build_.CreateNeg(s));
  llvm::Value* any =
      build_.CreateTrunc(ScaledProduct(x, y, left, build_.CreateAdd(minus, q)), narrow);
  // One half in q31 is only a shift, in 32 bits, for every q.
  llvm::Value* x32 = build_.CreateTrunc(x, narrow);
  llvm::Value* s32 = build_.CreateTrunc(s, narrow);
  llvm::Value* one = Int(narrow, 1);
  llvm::Value* up = build_.CreateShl(x32, build_.CreateSub(s32, one));
  llvm::Value* half = build_.CreateShl(one, build_.CreateNeg(s32));
  llvm::Value* down = build_.CreateAShr(build_.CreateAdd(x32, half), build_.CreateSub(one, s32));
  llvm::Value* power = build_.CreateSelect(build_.CreateICmpSGT(s32, Int(narrow, 0)), up, down);
  return build_.CreateSelect(build_.CreateICmpEQ(y, Int(type, 1073741824)), power, any);
}

llvm::Value* FunctionEmitter::QMultiplyShiftPerAxis(const Call* call) {
  const int lanes = call->args[0]->dtype.lanes();
  llvm::Value* x = Wide(call->args[0], lanes, 64);
  llvm::Value* y = Wide(call->args[1], lanes, 64);
  llvm::Value* left = Wide(call->args[2], lanes, 64);
  llvm::Value* right = Wide(call->args[3], lanes, 64);
  llvm::Value* q = Wide(call->args[4], lanes, 64);
  llvm::Value* has_left = Wide(call->args[5], lanes, 64);
  llvm::Type* type = x->getType();
  llvm::Value* zero = Int(type, 0);
  // The left shift counts only if it is required.
  left = build_.CreateSelect(build_.CreateICmpNE(has_left, zero), left, zero);
  llvm::Value* total = build_.CreateAdd(right, q);
  llvm::Value* scaled = ScaledProduct(x, y, left, total);
  // The result is less than one half for every product.
  llvm::Value* tiny = build_.CreateICmpSGT(total, Int(type, 63));
  return build_.CreateTrunc(build_.CreateSelect(tiny, zero, scaled), TypeOf(call->dtype));
}

llvm::Value* FunctionEmitter::LibraryCall(std::string_view name, const Call* call,
                                          std::vector<llvm::Value*> args) {
  const std::string full = fmt::format("{}{}", name, call->dtype.bits() == 64 ? "" : "f");
  std::vector<llvm::Type*> types;
  for (llvm::Value* arg : args) types.push_back(arg->getType()->getScalarType());
  llvm::Type* result = TypeOf(call->dtype.element());
  llvm::FunctionCallee callee = state_.out.getOrInsertFunction(
      full, llvm::FunctionType::get(result, types, /*isVarArg=*/false));
  const auto call_of = [&](const std::vector<llvm::Value*>& operands) {
    llvm::CallInst* made = build_.CreateCall(callee, operands);
    made->setDoesNotThrow();
    made->setDoesNotAccessMemory();
    return made;
  };
  if (call->dtype.is_scalar()) return call_of(args);
  llvm::Value* all = Poison(call);
  for (int lane = 0; lane < call->dtype.lanes(); ++lane) {
    std::vector<llvm::Value*> operands;
    for (llvm::Value* arg : args) {
      operands.push_back(arg->getType()->isVectorTy()
                             ? build_.CreateExtractElement(arg, static_cast<uint64_t>(lane))
                             : arg);
    }
    all = build_.CreateInsertElement(all, call_of(operands), static_cast<uint64_t>(lane));
  }
  return all;
}

llvm::Value* FunctionEmitter::IntegerMath(const Call* call) {
  llvm::Value* x = Value(call->args[0]);
  switch (call->op->kind) {
    case OpKind::kFabs:
      if (!call->args[0]->dtype.is_int()) return x;
      return build_.CreateIntrinsic(llvm::Intrinsic::abs, {x->getType()}, {x, build_.getFalse()});
    case OpKind::kFloor:
    case OpKind::kCeil:
    case OpKind::kTrunc:
    case OpKind::kRound:
    case OpKind::kNearbyint:
    case OpKind::kRoundeven:
      return x;
    case OpKind::kIsnan:
    case OpKind::kIsinf:
      return llvm::Constant::getNullValue(TypeOf(call->dtype));
    case OpKind::kIsfinite:
      return llvm::Constant::getAllOnesValue(TypeOf(call->dtype));
    default:
      return Unsupported(
          call, fmt::format("`{}` of dtype `{}`", call->op->text, call->args[0]->dtype.ToString()));
  }
}

llvm::Value* FunctionEmitter::Math(const Call* call) {
  if (call->args.empty() || call->args[0]->dtype.is_handle())
    return Unsupported(call, fmt::format("`{}`", call->op->text));
  const DataType dtype = call->args[0]->dtype;
  if (dtype.is_integer()) return IntegerMath(call);
  if (dtype.bits() < 32)
    return Unsupported(
        call, fmt::format("`{}` of a small float (run legalize-small-floats)", call->op->text));
  for (const MathRow& row : kRows) {
    if (row.kind != call->op->kind) continue;
    std::vector<llvm::Value*> args;
    for (const Expr* arg : call->args) args.push_back(Value(arg));
    if (row.intrinsic == kNone) return LibraryCall(row.c_name, call, std::move(args));
    return build_.CreateIntrinsic(row.intrinsic, {args[0]->getType()}, args);
  }
  return OtherMath(call, Value(call->args[0]));
}

llvm::Value* FunctionEmitter::OtherMath(const Call* call, llvm::Value* x) {
  llvm::Type* type = x->getType();
  const auto number = [&](double value) { return llvm::ConstantFP::get(type, value); };
  switch (call->op->kind) {
    case OpKind::kRsqrt:
      return build_.CreateFDiv(number(1), build_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x));
    case OpKind::kSigmoid: {
      llvm::Value* exp = build_.CreateUnaryIntrinsic(llvm::Intrinsic::exp, build_.CreateFNeg(x));
      return build_.CreateFDiv(number(1), build_.CreateFAdd(number(1), exp));
    }
    case OpKind::kExp10:
      return build_.CreateBinaryIntrinsic(llvm::Intrinsic::pow, number(10), x);
    case OpKind::kLdexp: {
      const Expr* exponent = call->args[1];
      llvm::Value* n = exponent->dtype.is_integer()
                           ? Wide(exponent, call->dtype.lanes(), 32)
                           : Convert(Value(exponent), exponent->dtype,
                                     DataType::Int(32, exponent->dtype.lanes()), exponent);
      return LibraryCall("ldexp", call, {x, n});
    }
    case OpKind::kIsnan:
      return build_.CreateFCmpUNO(x, x);
    case OpKind::kIsinf:
    case OpKind::kIsfinite: {
      llvm::Value* size = build_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
      llvm::Value* infinity = llvm::ConstantFP::getInfinity(type);
      return call->op->kind == OpKind::kIsinf ? build_.CreateFCmpOEQ(size, infinity)
                                              : build_.CreateFCmpOLT(size, infinity);
    }
    default:
      return Unsupported(call, fmt::format("`{}`", call->op->text));
  }
}

}  // namespace tenon::llvm_lowering
