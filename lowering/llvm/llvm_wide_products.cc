// Lanes of 32 bits whose products take 64 bits, as fixed-point numbers do. x86 multiplies the even
// lanes of a register (PMULDQ, PMULUDQ). LLVM extends all lanes to 64 bits instead, and shortens
// them afterwards: both take shuffles, of which there is one in a cycle.

#include <numeric>
#include <vector>

#include "ir/builtins.h"
#include "lowering/llvm/llvm_internal.h"

namespace tenon::llvm_lowering {

namespace {

constexpr int64_t kWordBits = 32;
/// AVX-512 shortens the words of a register in one instruction.
constexpr int kRegisterOfAvx512 = 512;

/// The number that all lanes have; null for other vectors.
const int64_t* AsNumber(const Expr* expr) {
  const auto* all = dyn_cast<Broadcast>(expr);
  return all == nullptr ? AsIntImm(expr) : AsIntImm(all->value);
}

/// True for lanes of int32 that are not negative.
bool IsNotNegative(const Expr* expr) {
  const auto* most = dyn_cast<Max>(expr);
  if (most == nullptr) return false;
  for (const Expr* arg : {most->a, most->b}) {
    if (const int64_t* number = AsNumber(arg); number != nullptr && *number >= 0) return true;
  }
  return false;
}

/// Whether the words that a vector of 64-bit integers extends may be extended with their signs, and
/// with zeros.
struct Extensions {
  bool with_signs = false;
  bool with_zeros = false;
};

Extensions ExtensionsOf(const Expr* expr) {
  if (const int64_t* number = AsNumber(expr))
    return {*number == static_cast<int32_t>(*number),
            *number == static_cast<int64_t>(static_cast<uint32_t>(*number))};
  const auto* all = dyn_cast<Broadcast>(expr);
  const auto* extended = dyn_cast<Cast>(all == nullptr ? expr : all->value);
  if (extended == nullptr || !extended->value->dtype.is_integer() ||
      extended->value->dtype.bits() > kWordBits)
    return {};
  const Expr* from = extended->value;
  const bool is_int = from->dtype.is_int();
  return {is_int || from->dtype.bits() < kWordBits, !is_int || IsNotNegative(from)};
}

}  // namespace

/// The words that a vector extends (ExtensionsOf).
llvm::Value* FunctionEmitter::ExtendedWords(const Expr* expr) {
  const int lanes = expr->dtype.lanes();
  if (const int64_t* number = AsNumber(expr))
    return Splat(build_.getInt32(static_cast<uint32_t>(*number)), lanes);
  const auto* all = dyn_cast<Broadcast>(expr);
  const Expr* from = dyn_cast<Cast>(all == nullptr ? expr : all->value)->value;
  llvm::Value* words = Value(from);
  words = build_.CreateIntCast(words, words->getType()->getWithNewBitWidth(kWordBits),
                               from->dtype.is_int());
  return all == nullptr ? words : Splat(words, lanes);
}

/// 32 bits of each product of two extended words, from bit `s` on, after a number was added: what
/// fixed-point multiplication takes. Null if `cast` is another value, or if LLVM's way is shorter.
llvm::Value* FunctionEmitter::WordsOfProducts(const Cast* cast) {
  const int lanes = cast->dtype.is_scalable() ? 0 : cast->dtype.lanes();
  const bool is_short_for_llvm =
      state_.x86_pair_bits == kRegisterOfAvx512 && lanes * 64 <= kRegisterOfAvx512;
  if (state_.x86_pair_bits == 0 || is_short_for_llvm || lanes < 4 || lanes % 2 != 0 ||
      !cast->dtype.is_integer() || cast->dtype.bits() != kWordBits)
    return nullptr;
  const auto* shift = dyn_cast<Call>(cast->value);
  if (shift == nullptr || shift->op->kind != OpKind::kShiftRight || shift->dtype.bits() != 64)
    return nullptr;
  const int64_t* by = AsNumber(shift->args[1]);
  const Expr* value = shift->args[0];
  int64_t added = 0;
  if (const auto* sum = dyn_cast<Add>(value)) {
    const bool is_first = AsNumber(sum->a) != nullptr;
    const int64_t* number = AsNumber(is_first ? sum->a : sum->b);
    if (number == nullptr) return nullptr;
    added = *number;
    value = is_first ? sum->b : sum->a;
  }
  const auto* product = dyn_cast<Mul>(value);
  if (by == nullptr || *by < 1 || *by > kWordBits || product == nullptr) return nullptr;
  const Extensions a = ExtensionsOf(product->a);
  const Extensions b = ExtensionsOf(product->b);
  const bool is_signed = a.with_signs && b.with_signs && state_.has_pmuldq;
  if (!is_signed && !(a.with_zeros && b.with_zeros)) return nullptr;
  llvm::Value* x = ExtendedWords(product->a);
  llvm::Value* y = ExtendedWords(product->b);
  return WordsOfProducts(x, y, is_signed, added, *by);
}

/// `x` and `y` are vectors of words. See above.
llvm::Value* FunctionEmitter::WordsOfProducts(llvm::Value* x, llvm::Value* y, bool is_signed,
                                              int64_t added, int64_t by) {
  llvm::Type* words = x->getType();
  const int lanes = static_cast<int>(llvm::cast<llvm::FixedVectorType>(words)->getNumElements());
  llvm::Type* wide =
      llvm::FixedVectorType::get(build_.getInt64Ty(), static_cast<unsigned>(lanes) / 2);
  const auto even = [&](llvm::Value* value) {
    value = build_.CreateShl(build_.CreateBitCast(value, wide), kWordBits);
    return is_signed ? build_.CreateAShr(value, kWordBits) : build_.CreateLShr(value, kWordBits);
  };
  const auto odd = [&](llvm::Value* value) {
    value = build_.CreateBitCast(value, wide);
    return is_signed ? build_.CreateAShr(value, kWordBits) : build_.CreateLShr(value, kWordBits);
  };
  const auto multiply = [&](llvm::Value* a, llvm::Value* b) {
    return build_.CreateAdd(build_.CreateMul(a, b), Int(wide, added));
  };
  // In separate statements, since the order of arguments differs between compilers.
  llvm::Value* even_x = even(x);
  llvm::Value* lower = build_.CreateLShr(multiply(even_x, even(y)), Int(wide, by));
  llvm::Value* odd_x = odd(x);
  llvm::Value* upper = build_.CreateShl(multiply(odd_x, odd(y)), Int(wide, kWordBits - by));
  std::vector<int> order(static_cast<size_t>(lanes));
  std::iota(order.begin(), order.end(), 0);
  for (int lane = 1; lane < lanes; lane += 2) order[static_cast<size_t>(lane)] += lanes;
  lower = build_.CreateBitCast(lower, words);
  return build_.CreateShuffleVector(lower, build_.CreateBitCast(upper, words), order);
}

}  // namespace tenon::llvm_lowering
