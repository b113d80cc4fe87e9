// Values of expressions. Conditional ones become `select` if both sides are cheap and harmless, and
// branches otherwise. Conversions saturate as in the IR, where LLVM's own would be undefined.

#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/APSInt.h>
#include <llvm/IR/Constants.h>

#include "fmt/format.h"
#include "ir/builtins.h"
#include "lowering/llvm/llvm_internal.h"
#include "support/stack.h"

namespace tenon::llvm_lowering {

namespace {

/// Larger expressions, in nodes, are not evaluated speculatively.
constexpr int kMostSpeculated = 48;

/// Whether a call accesses no memory, has no effect and does not trap.
bool IsHarmless(const Call* call) {
  switch (call->op->kind) {
    case OpKind::kCallExtern:
    case OpKind::kCallPureExtern:
    case OpKind::kCallPacked:
    case OpKind::kCallCPacked:
    case OpKind::kCallLLVMIntrin:
    case OpKind::kCallLLVMPureIntrin:
    case OpKind::kGlobalCall:
    case OpKind::kUnknown:
      return false;
    default:
      return call->op->effect == OpEffect::kPure;
  }
}

bool IsDivision(const Expr* expr) {
  return isa<Div>(expr) || isa<Mod>(expr) || isa<FloorDiv>(expr) || isa<FloorMod>(expr);
}

}  // namespace

llvm::Value* FunctionEmitter::Poison(const Expr* expr) {
  llvm::Type* type = TypeOf(expr->dtype);
  if (type == nullptr || type->isVoidTy()) type = build_.getInt32Ty();
  return llvm::PoisonValue::get(type);
}

llvm::Value* FunctionEmitter::Unsupported(const Expr* expr, std::string_view what) {
  state_.Error(expr->range, fmt::format("cannot generate LLVM code for {}", what));
  return Poison(expr);
}

llvm::Value* FunctionEmitter::Int(llvm::Type* type, int64_t value) {
  const unsigned bits = type->getScalarSizeInBits();
  return llvm::ConstantInt::get(type, llvm::APInt(64, static_cast<uint64_t>(value)).trunc(bits));
}

llvm::Value* FunctionEmitter::Splat(llvm::Value* scalar, int lanes) {
  return lanes == 1 ? scalar : build_.CreateVectorSplat(static_cast<unsigned>(lanes), scalar);
}

llvm::Value* FunctionEmitter::Value(const Expr* expr) {
  return WithStack([&] { return ValueOf(expr); });
}

llvm::Value* FunctionEmitter::ValueOf(const Expr* expr) {
  if (TypeOf(expr->dtype) == nullptr)
    return Unsupported(expr, fmt::format("dtype `{}`", expr->dtype.ToString()));
  switch (expr->kind) {
    case NodeKind::kIntImm:
    case NodeKind::kFloatImm:
      return Immediate(expr);
    case NodeKind::kStringImm:
      return build_.CreateGlobalString(llvm::StringRef(cast<StringImm>(expr)->value));
    case NodeKind::kVar: {
      const auto found = values_.find(cast<Var>(expr));
      if (found != values_.end()) return found->second;
      return Unsupported(expr, fmt::format("the variable `{}`, which has no value here",
                                           cast<Var>(expr)->name.view()));
    }
    case NodeKind::kCast: {
      if (llvm::Value* words = WordsOfProducts(cast<Cast>(expr))) return words;
      const Expr* value = cast<Cast>(expr)->value;
      return Convert(Value(value), value->dtype, expr->dtype, expr);
    }
    case NodeKind::kNot:
      return build_.CreateNot(Value(cast<Not>(expr)->a));
    case NodeKind::kSelect: {
      const auto* select = cast<Select>(expr);
      return Choose(select->condition, select->true_value, select->false_value, expr->dtype);
    }
    case NodeKind::kBufferLoad:
      return Load(cast<BufferLoad>(expr));
    case NodeKind::kRamp:
      return RampOf(cast<Ramp>(expr));
    case NodeKind::kBroadcast:
      return Splat(Value(cast<Broadcast>(expr)->value), expr->dtype.lanes());
    case NodeKind::kShuffle:
      return ShuffleOf(cast<Shuffle>(expr));
    case NodeKind::kLet:
      return LetOf(cast<Let>(expr));
    case NodeKind::kCall:
      return CallOf(cast<Call>(expr));
    case NodeKind::kAnd:
    case NodeKind::kOr:
      return Logical(static_cast<const BinaryExpr*>(expr));
    default:
      if (isa<BinaryExpr>(expr)) return Arithmetic(static_cast<const BinaryExpr*>(expr));
      return Unsupported(expr, fmt::format("a {}", NodeKindName(expr->kind)));
  }
}

llvm::Value* FunctionEmitter::Immediate(const Expr* expr) {
  if (const auto* imm = dyn_cast<IntImm>(expr)) return Int(TypeOf(expr->dtype), imm->value);
  if (!expr->dtype.is_float() || expr->dtype.bits() < 32)
    return Unsupported(expr,
                       fmt::format("a {} (run legalize-small-floats)", expr->dtype.ToString()));
  return llvm::ConstantFP::get(TypeOf(expr->dtype), cast<FloatImm>(expr)->value);
}

llvm::Value* FunctionEmitter::RampOf(const Ramp* ramp) {
  const int lanes = ramp->dtype.lanes();
  llvm::Value* base = Value(ramp->base);
  llvm::Value* stride = Value(ramp->stride);
  if (lanes == 1) return base;
  std::vector<llvm::Constant*> numbers;
  for (int i = 0; i < lanes; ++i) {
    numbers.push_back(llvm::cast<llvm::Constant>(Int(base->getType(), i)));
  }
  llvm::Value* steps =
      build_.CreateMul(llvm::ConstantVector::get(numbers), Splat(stride, lanes), "steps");
  return build_.CreateAdd(Splat(base, lanes), steps, "ramp");
}

llvm::Value* FunctionEmitter::ShuffleOf(const Shuffle* shuffle) {
  if (llvm::Value* shuffled = ShuffleOfVectors(shuffle)) return shuffled;
  std::vector<llvm::Value*> lanes;
  for (const Expr* vector : shuffle->vectors) {
    llvm::Value* value = Value(vector);
    for (int i = 0; i < vector->dtype.lanes(); ++i) {
      lanes.push_back(vector->dtype.is_scalar()
                          ? value
                          : build_.CreateExtractElement(value, static_cast<uint64_t>(i)));
    }
  }
  llvm::Value* result = Poison(shuffle);
  for (size_t i = 0; i < shuffle->indices.size(); ++i) {
    const int64_t* index = AsIntImm(shuffle->indices[i]);
    if (index == nullptr || *index < 0 || *index >= static_cast<int64_t>(lanes.size()))
      return Unsupported(shuffle, "a Shuffle of lanes that are not constant");
    llvm::Value* lane = lanes[static_cast<size_t>(*index)];
    if (shuffle->dtype.is_scalar()) return lane;
    result = build_.CreateInsertElement(result, lane, static_cast<uint64_t>(i));
  }
  return result;
}

llvm::Value* FunctionEmitter::ShuffleOfVectors(const Shuffle* shuffle) {
  const auto& vectors = shuffle->vectors;
  const int width = vectors[0]->dtype.lanes();
  const auto has_width = [&](const Expr* vector) { return vector->dtype.lanes() == width; };
  if (shuffle->dtype.is_scalar() || width == 1 ||
      !std::all_of(vectors.begin(), vectors.end(), has_width) ||
      (vectors.size() > 2 && shuffle->dtype.lanes() != width))
    return nullptr;
  const auto count = static_cast<int>(vectors.size());
  std::vector<int> lanes;
  for (const Expr* expr : shuffle->indices) {
    const int64_t* index = AsIntImm(expr);
    if (index == nullptr || *index < 0 || *index >= int64_t{count} * width) return nullptr;
    lanes.push_back(static_cast<int>(*index));
  }
  if (count == 1) return build_.CreateShuffleVector(PaddedRow(vectors[0]), lanes);
  llvm::Value* result = Value(vectors[0]);
  // The lanes of one vector after the other come to their places.
  for (int vector = 1; vector < count; ++vector) {
    std::vector<int> picks;
    for (size_t lane = 0; lane < lanes.size(); ++lane) {
      const int here = lanes[lane] - vector * width;
      const bool is_later = here >= width;
      const bool is_before = here < 0;
      if (is_later) {
        picks.push_back(llvm::PoisonMaskElem);
      } else if (is_before) {
        picks.push_back(vector == 1 ? lanes[lane] : static_cast<int>(lane));
      } else {
        picks.push_back(width + here);
      }
    }
    result = build_.CreateShuffleVector(result, Value(vectors[static_cast<size_t>(vector)]), picks);
  }
  return result;
}

llvm::Value* FunctionEmitter::LetOf(const Let* let) {
  values_[let->var] = Value(let->value);
  analyzer_.BindValue(let->var, let->value);
  return Value(let->body);
}

bool FunctionEmitter::IsSpeculatable(const Expr* expr) {
  int nodes = 0;
  bool harmless = true;
  Walk(expr, [&](const Node* node) {
    harmless &= ++nodes <= kMostSpeculated;
    if (isa<BufferLoad>(node)) harmless = false;
    if (const auto* call = dyn_cast<Call>(node)) harmless &= IsHarmless(call);
    if (Expr::ClassOf(node) && IsDivision(static_cast<const Expr*>(node))) {
      const auto* division = static_cast<const BinaryExpr*>(node);
      const std::optional<int64_t> by =
          division->dtype.is_integer() ? analyzer_.ConstValue(division->b) : std::nullopt;
      harmless &= division->dtype.is_floating() || (by.has_value() && *by != 0);
    }
    return harmless;
  });
  return harmless;
}

llvm::Value* FunctionEmitter::Choose(const Expr* condition, const Expr* yes, const Expr* no,
                                     DataType dtype) {
  llvm::Value* test = Value(condition);
  if (!condition->dtype.is_bool()) test = Convert(test, condition->dtype, DataType::Bool(), yes);
  if (!condition->dtype.is_scalar() || (IsSpeculatable(yes) && IsSpeculatable(no))) {
    llvm::Value* value = Value(yes);
    return build_.CreateSelect(test, value, Value(no));
  }
  llvm::BasicBlock* then_block = Block("choose.then");
  llvm::BasicBlock* else_block = Block("choose.else");
  llvm::BasicBlock* end = Block("choose.end");
  build_.CreateCondBr(test, then_block, else_block);
  build_.SetInsertPoint(then_block);
  llvm::Value* then_value = Value(yes);
  llvm::BasicBlock* then_end = build_.GetInsertBlock();
  build_.CreateBr(end);
  build_.SetInsertPoint(else_block);
  llvm::Value* else_value = Value(no);
  llvm::BasicBlock* else_end = build_.GetInsertBlock();
  build_.CreateBr(end);
  build_.SetInsertPoint(end);
  llvm::PHINode* phi = build_.CreatePHI(TypeOf(dtype), 2);
  phi->addIncoming(then_value, then_end);
  phi->addIncoming(else_value, else_end);
  return phi;
}

/// The right side of a scalar operator is only evaluated if the left side does not decide.
llvm::Value* FunctionEmitter::Logical(const BinaryExpr* node) {
  const bool is_and = isa<And>(node);
  llvm::Value* a = Value(node->a);
  if (!node->dtype.is_scalar() || IsSpeculatable(node->b)) {
    llvm::Value* b = Value(node->b);
    if (!node->dtype.is_scalar()) return is_and ? build_.CreateAnd(a, b) : build_.CreateOr(a, b);
    return is_and ? build_.CreateLogicalAnd(a, b) : build_.CreateLogicalOr(a, b);
  }
  llvm::BasicBlock* more = Block("more");
  llvm::BasicBlock* end = Block("decided");
  llvm::BasicBlock* begin = build_.GetInsertBlock();
  build_.CreateCondBr(a, is_and ? more : end, is_and ? end : more);
  build_.SetInsertPoint(more);
  llvm::Value* b = Value(node->b);
  more = build_.GetInsertBlock();
  build_.CreateBr(end);
  build_.SetInsertPoint(end);
  llvm::PHINode* phi = build_.CreatePHI(build_.getInt1Ty(), 2);
  phi->addIncoming(build_.getInt1(!is_and), begin);
  phi->addIncoming(b, more);
  return phi;
}

namespace {

/// The target has SSE2 and nothing newer, so that bytes are extended by unpacking.
bool ExtendsByUnpacking(const llvm::Module& module, const TargetSpec& target) {
  return llvm::Triple(module.getTargetTriple()).getArch() == llvm::Triple::x86_64 &&
         (target.cpu.empty() || target.cpu == "x86-64") && target.features.empty();
}

/// Signed bytes as 16-bit integers: each byte twice, shifted to the right by one of them. LLVM
/// itself unpacks bytes with an arbitrary register, and a loop then waits for the old value of that
/// register.
llvm::Value* ExtendedToShorts(llvm::IRBuilderBase& build, llvm::Value* bytes, int lanes) {
  std::vector<int> twice;
  for (int lane = 0; lane < lanes; ++lane) twice.insert(twice.end(), 2, lane);
  llvm::Value* pairs = build.CreateShuffleVector(bytes, twice);
  llvm::Value* shorts = build.CreateBitCast(
      pairs, llvm::FixedVectorType::get(build.getInt16Ty(), static_cast<unsigned>(lanes)));
  return build.CreateAShr(shorts, 8);
}

/// The number of `semantics` next to a limit of an integer type, toward zero.
llvm::APFloat LimitOf(const llvm::fltSemantics& semantics, DataType to, bool is_greatest) {
  const auto bits = static_cast<unsigned>(to.bits());
  const llvm::APSInt limit = is_greatest ? llvm::APSInt::getMaxValue(bits, to.is_uint())
                                         : llvm::APSInt::getMinValue(bits, to.is_uint());
  llvm::APFloat number(semantics);
  number.convertFromAPInt(limit, to.is_int(), llvm::RoundingMode::TowardZero);
  return number;
}

/// Saturates by arithmetic that every x86 processor has on vectors. LLVM's own code for
/// `llvm.fptosi.sat` takes one lane after the other there.
llvm::Value* SaturatedByLanes(llvm::IRBuilderBase& build, llvm::Value* value, DataType to,
                              llvm::Type* type) {
  llvm::Type* from = value->getType();
  const llvm::fltSemantics& semantics = from->getScalarType()->getFltSemantics();
  llvm::Value* least = llvm::ConstantFP::get(from, LimitOf(semantics, to, /*is_greatest=*/false));
  const llvm::APFloat most = LimitOf(semantics, to, /*is_greatest=*/true);
  llvm::Value* greatest = llvm::ConstantFP::get(from, most);
  // Comparisons with NaN are false, so that NaN becomes the least number at first.
  llvm::Value* safe = build.CreateSelect(build.CreateFCmpOGT(value, least), value, least);
  safe = build.CreateSelect(build.CreateFCmpOLT(safe, greatest), safe, greatest);
  // Vectors are converted to 32 bits or more.
  constexpr unsigned kWord = 32;
  const bool is_narrow = static_cast<unsigned>(to.bits()) < kWord;
  llvm::Type* wide = is_narrow ? type->getWithNewBitWidth(kWord) : type;
  llvm::Value* whole =
      to.is_int() || is_narrow ? build.CreateFPToSI(safe, wide) : build.CreateFPToUI(safe, wide);
  llvm::Value* result = build.CreateTrunc(whole, type);
  llvm::APSInt back(static_cast<unsigned>(to.bits()), to.is_uint());
  bool is_exact = false;
  most.convertToInteger(back, llvm::RoundingMode::TowardZero, &is_exact);
  const llvm::APSInt limit =
      llvm::APSInt::getMaxValue(static_cast<unsigned>(to.bits()), to.is_uint());
  if (back != limit) {
    result = build.CreateSelect(build.CreateFCmpOGT(value, greatest),
                                llvm::ConstantInt::get(type, limit), result);
  }
  if (to.is_uint()) return result;
  return build.CreateSelect(build.CreateFCmpUNO(value, value), llvm::Constant::getNullValue(type),
                            result);
}

}  // namespace

llvm::Value* FunctionEmitter::Convert(llvm::Value* value, DataType from, DataType to,
                                      const Expr* expr) {
  llvm::Type* type = TypeOf(to);
  const auto is_small = [](DataType dtype) { return dtype.is_floating() && dtype.bits() < 32; };
  if (from.element() == to.element()) return value;
  if (is_small(from) || is_small(to))
    return Unsupported(expr, fmt::format("a conversion from {} to {} (run legalize-small-floats)",
                                         from.ToString(), to.ToString()));
  if (from.is_handle() || to.is_handle()) {
    if (from.is_handle() && to.is_handle()) return value;
    if (from.is_handle() && to.is_integer()) return build_.CreatePtrToInt(value, type);
    return from.is_integer() ? build_.CreateIntToPtr(value, type)
                             : Unsupported(expr, "a conversion of a pointer");
  }
  if (from.is_floating()) {
    // Unordered comparison: NaN is not 0, so it is true.
    if (to.is_bool())
      return build_.CreateFCmpUNE(value, llvm::Constant::getNullValue(value->getType()));
    if (to.is_floating()) return build_.CreateFPCast(value, type);
    // LLVM makes vectors of loops at level 2.
    const bool is_in_lanes =
        to.lanes() > 1 || (state_.options.opt_level >= 2 && state_.options.size == CodeSize::kAny);
    if (is_in_lanes && llvm::Triple(state_.out.getTargetTriple()).isX86())
      return SaturatedByLanes(build_, value, to, type);
    return build_.CreateIntrinsic(
        to.is_int() ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
        {type, value->getType()}, {value});
  }
  if (to.is_bool())
    return build_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
  if (to.is_floating())
    return from.is_int() ? build_.CreateSIToFP(value, type) : build_.CreateUIToFP(value, type);
  if (from.element() == DataType::Int(8) && to.bits() > 8 && from.lanes() >= 4 &&
      ExtendsByUnpacking(state_.out, state_.options.target)) {
    value = ExtendedToShorts(build_, value, from.lanes());
  }
  return build_.CreateIntCast(value, type, from.is_int());
}

}  // namespace tenon::llvm_lowering
