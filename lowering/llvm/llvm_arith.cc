// Arithmetic. Integers wrap in the IR, and in LLVM without the nsw and nuw flags. The flags are set
// if the analyzer proves that the result fits.

#include <bit>
#include <limits>
#include <optional>

#include "lowering/llvm/llvm_internal.h"

namespace tenon::llvm_lowering {

namespace {

bool IsQuotient(const BinaryExpr* node) { return isa<Div>(node) || isa<FloorDiv>(node); }
bool IsFloor(const BinaryExpr* node) { return isa<FloorDiv>(node) || isa<FloorMod>(node); }

}  // namespace

llvm::Value* FunctionEmitter::Arithmetic(const BinaryExpr* node) {
  if (const auto* sum = dyn_cast<Add>(node)) {
    if (llvm::Value* products = SumOfProducts(sum)) return products;
  }
  if (const auto* product = dyn_cast<Mul>(node)) {
    if (llvm::Value* wide = WideProduct(product)) return wide;
  }
  llvm::Value* a = Value(node->a);
  llvm::Value* b = Value(node->b);
  const DataType dtype = node->a->dtype;
  if (dtype.is_floating() && dtype.bits() < 32)
    return Unsupported(node, "arithmetic of a small float (run legalize-small-floats)");
  switch (node->kind) {
    case NodeKind::kAdd:
    case NodeKind::kSub:
    case NodeKind::kMul:
      if (dtype.is_handle()) return Unsupported(node, "arithmetic of pointers");
      return dtype.is_integer() ? IntegerArithmetic(node, a, b) : FloatArithmetic(node, a, b);
    case NodeKind::kMin:
    case NodeKind::kMax:
      return MinMax(node, a, b);
    case NodeKind::kDiv:
    case NodeKind::kMod:
    case NodeKind::kFloorDiv:
    case NodeKind::kFloorMod:
      if (dtype.is_handle()) return Unsupported(node, "arithmetic of pointers");
      return dtype.is_integer() ? Division(node, a, b) : FloatArithmetic(node, a, b);
    default:
      return Comparison(node, a, b);
  }
}

llvm::Value* FunctionEmitter::IntegerArithmetic(const BinaryExpr* node, llvm::Value* a,
                                                llvm::Value* b) {
  const bool fits = analyzer_.ProvenNoWrap(node);
  const bool nsw = fits && node->dtype.is_int();
  const bool nuw = fits && node->dtype.is_uint();
  switch (node->kind) {
    case NodeKind::kAdd:
      return build_.CreateAdd(a, b, "", nuw, nsw);
    case NodeKind::kSub:
      return build_.CreateSub(a, b, "", nuw, nsw);
    default:
      return build_.CreateMul(a, b, "", nuw, nsw);
  }
}

llvm::Value* FunctionEmitter::FloatArithmetic(const BinaryExpr* node, llvm::Value* a,
                                              llvm::Value* b) {
  const llvm::IRBuilderBase::FastMathFlagGuard guard(build_);
  if (state_.options.fp_contract && (isa<Add>(node) || isa<Sub>(node) || isa<Mul>(node))) {
    llvm::FastMathFlags flags = build_.getFastMathFlags();
    flags.setAllowContract(true);
    build_.setFastMathFlags(flags);
  }
  switch (node->kind) {
    case NodeKind::kAdd:
      return build_.CreateFAdd(a, b);
    case NodeKind::kSub:
      return build_.CreateFSub(a, b);
    case NodeKind::kMul:
      return build_.CreateFMul(a, b);
    case NodeKind::kDiv:
      return build_.CreateFDiv(a, b);
    case NodeKind::kMod:
      return build_.CreateFRem(a, b);
    default: {
      llvm::Value* quotient =
          build_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, build_.CreateFDiv(a, b));
      if (isa<FloorDiv>(node)) return quotient;
      return build_.CreateFSub(a, build_.CreateFMul(quotient, b));
    }
  }
}

llvm::Value* FunctionEmitter::MinMax(const BinaryExpr* node, llvm::Value* a, llvm::Value* b) {
  const bool is_min = isa<Min>(node);
  const DataType dtype = node->dtype;
  if (dtype.is_integer()) {
    const llvm::Intrinsic::ID id = dtype.is_int()
                                       ? (is_min ? llvm::Intrinsic::smin : llvm::Intrinsic::smax)
                                       : (is_min ? llvm::Intrinsic::umin : llvm::Intrinsic::umax);
    return build_.CreateBinaryIntrinsic(id, a, b);
  }
  // Gives b if the operands are unordered (NaN).
  llvm::Value* test = dtype.is_handle()
                          ? (is_min ? build_.CreateICmpULT(a, b) : build_.CreateICmpUGT(a, b))
                          : (is_min ? build_.CreateFCmpOLT(a, b) : build_.CreateFCmpOGT(a, b));
  return build_.CreateSelect(test, a, b);
}

llvm::Value* FunctionEmitter::Comparison(const BinaryExpr* node, llvm::Value* a, llvm::Value* b) {
  using Predicate = llvm::CmpInst::Predicate;
  struct Row {
    NodeKind kind;
    Predicate of_float, of_signed, of_unsigned;
  };
  static constexpr Row kRows[] = {
      {NodeKind::kEQ, Predicate::FCMP_OEQ, Predicate::ICMP_EQ, Predicate::ICMP_EQ},
      {NodeKind::kNE, Predicate::FCMP_UNE, Predicate::ICMP_NE, Predicate::ICMP_NE},
      {NodeKind::kLT, Predicate::FCMP_OLT, Predicate::ICMP_SLT, Predicate::ICMP_ULT},
      {NodeKind::kLE, Predicate::FCMP_OLE, Predicate::ICMP_SLE, Predicate::ICMP_ULE},
      {NodeKind::kGT, Predicate::FCMP_OGT, Predicate::ICMP_SGT, Predicate::ICMP_UGT},
      {NodeKind::kGE, Predicate::FCMP_OGE, Predicate::ICMP_SGE, Predicate::ICMP_UGE},
  };
  const DataType dtype = node->a->dtype;
  for (const Row& row : kRows) {
    if (row.kind != node->kind) continue;
    if (dtype.is_floating()) return build_.CreateFCmp(row.of_float, a, b);
    return build_.CreateICmp(dtype.is_int() ? row.of_signed : row.of_unsigned, a, b);
  }
  return Unsupported(node, "an unknown operator");
}

llvm::Value* FunctionEmitter::Division(const BinaryExpr* node, llvm::Value* a, llvm::Value* b) {
  const DataType dtype = node->dtype;
  if (dtype.is_uint()) return IsQuotient(node) ? build_.CreateUDiv(a, b) : build_.CreateURem(a, b);
  llvm::Type* type = a->getType();
  llvm::Value* by = b;
  llvm::Value* is_minus_one = nullptr;
  const int64_t least = std::numeric_limits<int64_t>::min() >> (64 - dtype.bits());
  const std::optional<int64_t> divisor = analyzer_.ConstValue(node->b);
  const bool fits = (divisor && *divisor != -1) ||
                    analyzer_.CanProveGreaterEqual(node->b, int64_t{0}) ||
                    analyzer_.CanProveGreaterEqual(node->a, least + 1);
  if (!fits) {
    // The only quotient that does not fit (minimum / -1) wraps in the IR, but is undefined in LLVM.
    is_minus_one = build_.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(type));
    by = build_.CreateSelect(is_minus_one, Int(type, 1), b);
  }
  llvm::Value* quotient = nullptr;
  llvm::Value* remainder = nullptr;
  const bool floor = IsFloor(node) && !(analyzer_.CanProveGreaterEqual(node->a, int64_t{0}) &&
                                        (analyzer_.CanProveGreaterEqual(node->b, int64_t{0})));
  if (floor || !IsQuotient(node)) remainder = build_.CreateSRem(a, by);
  if (IsQuotient(node)) {
    quotient = build_.CreateSDiv(a, by);
    if (is_minus_one != nullptr)
      quotient = build_.CreateSelect(is_minus_one, build_.CreateNeg(a), quotient);
  }
  if (!floor) return IsQuotient(node) ? quotient : remainder;
  return FloorDivision(node, a, b, quotient, remainder);
}

llvm::Value* FunctionEmitter::FloorDivision(const BinaryExpr* node, llvm::Value* a, llvm::Value* b,
                                            llvm::Value* quotient, llvm::Value* remainder) {
  llvm::Type* type = a->getType();
  const std::optional<int64_t> divisor = analyzer_.ConstValue(node->b);
  if (divisor && *divisor > 0 && (*divisor & (*divisor - 1)) == 0) {
    if (!IsQuotient(node)) return build_.CreateAnd(a, Int(type, *divisor - 1));
    return build_.CreateAShr(a, Int(type, std::countr_zero(static_cast<uint64_t>(*divisor))));
  }
  // The remainder is zero, or has the sign of the divisor, or needs the divisor added.
  llvm::Value* zero = Int(type, 0);
  llvm::Value* off = nullptr;
  if (analyzer_.CanProveGreaterEqual(node->b, int64_t{0})) {
    off = build_.CreateICmpSLT(remainder, zero);
  } else {
    llvm::Value* differ = build_.CreateICmpSLT(build_.CreateXor(remainder, b), zero);
    off = build_.CreateAnd(build_.CreateICmpNE(remainder, zero), differ);
  }
  if (IsQuotient(node))
    return build_.CreateSelect(off, build_.CreateSub(quotient, Int(type, 1)), quotient);
  return build_.CreateSelect(off, build_.CreateAdd(remainder, b), remainder);
}

/// The product of two words in 64 bits, on processors whose multiplication gives only the lower
/// word. LLVM would call a function for any product of 64 bits, which is slower and smaller. Null
/// for other values, and other processors.
llvm::Value* FunctionEmitter::WideProduct(const Mul* product) {
  if (state_.byte_sums != ByteSumsForm::kThumb1 || state_.options.size != CodeSize::kAny ||
      !product->dtype.is_integer() || !product->dtype.is_scalar() || product->dtype.bits() != 64)
    return nullptr;
  const std::optional<Word> words[2] = {WordOf(product->a), WordOf(product->b)};
  if (!words[0] || !words[1]) return nullptr;
  const auto upper = [&](llvm::Value* value, const Word& word) {
    return word.is_signed ? build_.CreateAShr(value, 16) : build_.CreateLShr(value, 16);
  };
  // Hacker's Delight, 8-2: products of halves of 16 bits. Upper halves have the sign of their word.
  llvm::Value* low[2];
  llvm::Value* high[2];
  for (size_t i = 0; i < 2; ++i) {
    low[i] = build_.CreateAnd(words[i]->value, 0xffff);
    high[i] = upper(words[i]->value, *words[i]);
  }
  llvm::Value* lowest = build_.CreateLShr(build_.CreateMul(low[0], low[1]), 16);
  llvm::Value* middle = build_.CreateAdd(build_.CreateMul(high[0], low[1]), lowest);
  llvm::Value* rest =
      build_.CreateAdd(build_.CreateMul(low[0], high[1]), build_.CreateAnd(middle, 0xffff));
  llvm::Value* sum = build_.CreateMul(high[0], high[1]);
  sum = build_.CreateAdd(sum, upper(middle, *words[0]));
  sum = build_.CreateAdd(sum, upper(rest, *words[1]));
  llvm::Type* wide = build_.getInt64Ty();
  llvm::Value* last = build_.CreateMul(words[0]->value, words[1]->value);
  return build_.CreateOr(build_.CreateShl(build_.CreateZExt(sum, wide), 32),
                         build_.CreateZExt(last, wide));
}

/// The word that a value of 64 bits extends; nullopt if it is another value.
std::optional<FunctionEmitter::Word> FunctionEmitter::WordOf(const Expr* expr) {
  if (const int64_t* number = AsIntImm(expr)) {
    if (*number != static_cast<int32_t>(*number)) return std::nullopt;
    return Word{Int(build_.getInt32Ty(), *number), /*is_signed=*/true};
  }
  const auto* extended = dyn_cast<Cast>(expr);
  if (extended == nullptr || !extended->value->dtype.is_scalar() ||
      !extended->value->dtype.is_integer() || extended->value->dtype.bits() != 32)
    return std::nullopt;
  return Word{Value(extended->value), extended->value->dtype.is_int()};
}

}  // namespace tenon::llvm_lowering
