// Sums of products of short integers, for instructions that add up two or four products. LLVM finds
// these instructions only if factors lie side by side, so the shuffles for that are written here.

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicsAArch64.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "ir/analysis/node_queries.h"
#include "lowering/llvm/llvm_internal.h"
#include "support/checked.h"
#include "support/stack.h"

// x86 multiplies pairs of 16-bit integers that lie side by side, and adds up both products, in one
// instruction (PMADDWD, and VPDPWSSD where LLVM finds an addition to it). VPDPBUSD does so for four
// unsigned and four signed 8-bit integers, as do USDOT and SDOT of AArch64.

namespace tenon::llvm_lowering {

namespace {

constexpr size_t kMostTerms = 16;

/// The terms of a sum. Integers wrap, so they may be added in any order.
bool CollectTerms(const Expr* expr, std::vector<const Expr*>& terms) {
  const auto* add = dyn_cast<Add>(expr);
  if (add != nullptr) {
    return WithStack([&] { return CollectTerms(add->a, terms); }) && CollectTerms(add->b, terms);
  }
  terms.push_back(expr);
  return terms.size() <= kMostTerms;
}

/// The number of lanes of the widest instruction for a vector of `lanes` lanes. That number divides
/// `lanes`; it is 0 if no instruction fits.
int PairLanes(int lanes, int bits) {
  for (int most = bits / 32; most >= 4; most /= 2) {
    if (lanes % most == 0) return most;
  }
  return 0;
}

/// True if load `number` reads the element `number` after that of `first`, or lanes of such
/// elements.
bool IsAfter(const BufferLoad* first, const BufferLoad* load, int64_t number) {
  if (first->buffer != load->buffer || first->indices.size() != 1 || load->indices.size() != 1 ||
      first->predicate != nullptr || load->predicate != nullptr)
    return false;
  const Expr* from = first->indices[0];
  const Expr* to = load->indices[0];
  const auto* from_ramp = dyn_cast<Ramp>(from);
  const auto* to_ramp = dyn_cast<Ramp>(to);
  if ((from_ramp == nullptr) != (to_ramp == nullptr)) return false;
  if (from_ramp != nullptr) {
    from = from_ramp->base;
    to = to_ramp->base;
  }
  const auto [from_base, from_offset] = SplitOffset(from);
  const auto [to_base, to_offset] = SplitOffset(to);
  const bool is_same = from_base == to_base || (from_base != nullptr && to_base != nullptr &&
                                                HaveSameValue(from_base, to_base));
  return is_same && CheckedAdd(from_offset, number) == to_offset;
}

/// True if `high` is the number directly before `low` in memory. In the other order, one load has
/// both.
bool IsBefore(const Expr* high, const Expr* low) {
  const auto* second = dyn_cast<BufferLoad>(high);
  const auto* first = dyn_cast<BufferLoad>(low);
  return first != nullptr && second != nullptr && low->dtype.is_scalar() &&
         IsAfter(second, first, 1);
}

/// True if the lanes of `low` and `high` alternate in memory, maybe with a number added to each.
bool AreInterleaved(const Expr* low, const Expr* high) {
  if (low->kind != high->kind || low->dtype != high->dtype || low->dtype.is_scalar()) return false;
  const bool is_short = low->dtype.element() == DataType::Int(16);
  if (const auto* cast = dyn_cast<Cast>(low))
    return is_short && AreInterleaved(cast->value, dyn_cast<Cast>(high)->value);
  if (const auto* sum = dyn_cast<Add>(low)) {
    const auto* other = dyn_cast<Add>(high);
    return is_short && isa<Broadcast>(sum->b) && HaveSameValue(sum->b, other->b) &&
           AreInterleaved(sum->a, other->a);
  }
  const auto* first = dyn_cast<BufferLoad>(low);
  const auto* second = dyn_cast<BufferLoad>(high);
  if (first == nullptr || second == nullptr || !IsAfter(first, second, 1)) return false;
  const auto* ramp = dyn_cast<Ramp>(first->indices[0]);
  return ramp != nullptr && IsConstInt(ramp->stride, 2);
}

/// True if `load` reads the element `number` after that of `first` in each lane, and both have the
/// lanes of every fourth element, or one number for all lanes.
bool IsOfQuad(const BufferLoad* first, const BufferLoad* load, int64_t number) {
  if (load == nullptr || load->dtype != first->dtype || load->indices.size() != 1) return false;
  const auto* ramp = dyn_cast<Ramp>(load->indices[0]);
  const bool has_stride = ramp != nullptr && IsConstInt(ramp->stride, 4);
  return first->dtype.is_scalar() != has_stride && IsAfter(first, load, number);
}

/// Sorts four products so that their unsigned factors (`other`) lie side by side in memory, as do
/// their signed factors in each lane. False if they do not.
bool SortQuad(std::span<ShortProduct> products) {
  for (ShortProduct& product : products) {
    if (product.vector->dtype.element() == DataType::UInt(8) && !product.other->dtype.is_scalar())
      std::swap(product.vector, product.other);
  }
  const auto offset = [](const ShortProduct& product) {
    const auto* load = dyn_cast<BufferLoad>(product.vector);
    const auto* ramp =
        load == nullptr || load->indices.size() != 1 ? nullptr : dyn_cast<Ramp>(load->indices[0]);
    return ramp == nullptr ? 0 : SplitOffset(ramp->base).offset;
  };
  std::sort(products.begin(), products.end(),
            [&](const ShortProduct& a, const ShortProduct& b) { return offset(a) < offset(b); });
  const auto* first = dyn_cast<BufferLoad>(products[0].vector);
  const auto* other = dyn_cast<BufferLoad>(products[0].other);
  if (first == nullptr || other == nullptr || first->dtype.element() != DataType::Int(8) ||
      other->dtype.element() != DataType::UInt(8))
    return false;
  for (size_t i = 0; i < products.size(); ++i) {
    const auto number = static_cast<int64_t>(i);
    if (!IsOfQuad(first, dyn_cast<BufferLoad>(products[i].vector), number) ||
        !IsOfQuad(other, dyn_cast<BufferLoad>(products[i].other), number))
      return false;
  }
  return true;
}

llvm::Intrinsic::ID QuadInstruction(int lanes) {
  if (lanes == 4) return llvm::Intrinsic::x86_avx512_vpdpbusd_128;
  return lanes == 8 ? llvm::Intrinsic::x86_avx512_vpdpbusd_256
                    : llvm::Intrinsic::x86_avx512_vpdpbusd_512;
}

llvm::Intrinsic::ID PairInstruction(int lanes) {
  if (lanes == 4) return llvm::Intrinsic::x86_sse2_pmadd_wd;
  return lanes == 8 ? llvm::Intrinsic::x86_avx2_pmadd_wd : llvm::Intrinsic::x86_avx512_pmaddw_d_512;
}

}  // namespace

/// The elements of a factor in 16 bits.
llvm::Value* FunctionEmitter::InShort(const Expr* factor) {
  llvm::Value* value = Value(factor);
  return build_.CreateIntCast(value, value->getType()->getWithNewBitWidth(16),
                              factor->dtype.is_int());
}

/// The lanes of `low` and of its neighbours, interleaved as in memory, in 16 bits (AreInterleaved).
llvm::Value* FunctionEmitter::WithNeighbours(const Expr* low) {
  if (const auto* cast = dyn_cast<Cast>(low)) return WithNeighbours(cast->value);
  const int lanes = 2 * low->dtype.lanes();
  if (const auto* sum = dyn_cast<Add>(low)) {
    llvm::Value* value = WithNeighbours(sum->a);
    return build_.CreateAdd(value, Splat(Value(dyn_cast<Broadcast>(sum->b)->value), lanes));
  }
  const auto* load = dyn_cast<BufferLoad>(low);
  llvm::Type* type = llvm::FixedVectorType::get(
      build_.getIntNTy(static_cast<unsigned>(low->dtype.bits())), static_cast<unsigned>(lanes));
  llvm::Value* value = LoadBytes(load->buffer, dyn_cast<Ramp>(load->indices[0])->base, type);
  return build_.CreateIntCast(value, type->getWithNewBitWidth(16), low->dtype.is_int());
}

/// Two factors of 16 bits, of `low` and `high`.
FunctionEmitter::ShortPair FunctionEmitter::PairOf(const Expr* low, const Expr* high) {
  ShortPair pair;
  if (AreInterleaved(low, high)) {
    pair.both = WithNeighbours(low);
    return pair;
  }
  // In separate statements, since the order of arguments differs between compilers.
  pair.low = InShort(low);
  pair.high = InShort(high);
  return pair;
}

/// The factors `low` and `high` side by side, `lanes` times from lane `first` on.
llvm::Value* FunctionEmitter::InPairs(const ShortPair& pair, int first, int lanes) {
  std::vector<int> order;
  if (pair.both != nullptr) {
    order.resize(2 * static_cast<size_t>(lanes));
    std::iota(order.begin(), order.end(), 2 * first);
    return build_.CreateShuffleVector(pair.both, order);
  }
  if (!pair.low->getType()->isVectorTy()) {
    llvm::Type* word = build_.getInt32Ty();
    llvm::Value* upper = build_.CreateShl(build_.CreateZExt(pair.high, word), 16);
    llvm::Value* lower = build_.CreateZExt(pair.low, word);
    return build_.CreateBitCast(
        Splat(build_.CreateOr(lower, upper), lanes),
        llvm::FixedVectorType::get(build_.getInt16Ty(), 2 * static_cast<unsigned>(lanes)));
  }
  const auto all =
      static_cast<int>(llvm::cast<llvm::FixedVectorType>(pair.low->getType())->getNumElements());
  for (int lane = first; lane < first + lanes; ++lane) {
    order.push_back(lane);
    order.push_back(all + lane);
  }
  return build_.CreateShuffleVector(pair.low, pair.high, order);
}

/// A sum of int32, with one instruction for two products. Null if the sum does not have two
/// products of short integers.
llvm::Value* FunctionEmitter::SumOfProducts(const Add* sum) {
  const int lanes = sum->dtype.is_scalable() ? 0 : sum->dtype.lanes();
  const int piece = PairLanes(lanes, state_.x86_pair_bits);
  const int quad_piece = PairLanes(lanes, state_.quads.bits);
  if ((piece == 0 && quad_piece == 0) || sum->dtype.element() != DataType::Int(32)) return nullptr;
  std::vector<const Expr*> terms;
  if (!CollectTerms(sum, terms)) return nullptr;
  llvm::Value* result = nullptr;
  const auto add = [&](llvm::Value* value) {
    result = result == nullptr ? value : build_.CreateAdd(result, value);
  };
  std::vector<ShortProduct> products;
  std::vector<const Expr*> others;
  const Expr* last = nullptr;
  for (const Expr* term : terms) {
    const std::optional<ShortProduct> product = AsShortProduct(term);
    const bool is_second = products.size() % 2 != 0;
    if (!product || (is_second && products.back().other->dtype.is_scalar() !=
                                      product->other->dtype.is_scalar())) {
      others.push_back(term);
      continue;
    }
    products.push_back(*product);
    last = term;
  }
  std::vector<ShortProduct> quad = products;
  const bool has_quad = quad.size() == 4 && quad_piece > 0 && SortQuad(quad);
  if (piece == 0 && !has_quad) return nullptr;
  if (products.size() % 2 != 0) {
    products.pop_back();
    others.push_back(last);
  }
  if (products.empty()) return nullptr;
  for (const Expr* term : others) add(Value(term));
  if (has_quad) return AddQuad(result, quad, lanes);
  for (size_t i = 0; i < products.size(); i += 2) {
    ShortProduct low = products[i];
    ShortProduct high = products[i + 1];
    if (IsBefore(high.other, low.other) || AreInterleaved(high.vector, low.vector))
      std::swap(low, high);
    const ShortPair vectors = PairOf(low.vector, high.vector);
    add(PairOfProducts(vectors, PairOf(low.other, high.other), lanes, piece));
  }
  return result;
}

/// Adds four products to each lane of a sum: of the bytes of the words `x` and `weights`.
llvm::Value* FunctionEmitter::AddQuadPiece(llvm::Value* sum, llvm::Value* x, llvm::Value* weights,
                                           int lanes) {
  if (state_.quads.instruction == Instruction::kVpdpbusd) {
    const llvm::Intrinsic::ID instruction = QuadInstruction(lanes);
    // The types of the factors differ between versions of LLVM.
    const llvm::FunctionType* type = llvm::Intrinsic::getType(state_.context(), instruction);
    llvm::Value* numbers = build_.CreateBitCast(x, type->getParamType(1));
    return build_.CreateIntrinsic(
        instruction, {}, {sum, numbers, build_.CreateBitCast(weights, type->getParamType(2))});
  }
  if (state_.quads.instruction == Instruction::kPmaddwdQuads)
    return AddQuadInPairs(sum, x, weights, lanes);
  llvm::Type* bytes =
      llvm::FixedVectorType::get(build_.getInt8Ty(), 4 * static_cast<unsigned>(lanes));
  const auto add = [&](llvm::Intrinsic::ID instruction, llvm::Value* to, llvm::Value* words) {
    llvm::Value* numbers = build_.CreateBitCast(words, bytes);
    return build_.CreateIntrinsic(instruction, {sum->getType(), bytes},
                                  {to, numbers, build_.CreateBitCast(weights, bytes)});
  };
  if (state_.quads.instruction == Instruction::kUsdot)
    return add(llvm::Intrinsic::aarch64_neon_usdot, sum, x);
  // x * w = (x - 128) * w - (-128) * w, and x - 128 is x with another upper bit.
  constexpr uint32_t kUpperBits = 0x80808080;
  llvm::Value* upper = Splat(build_.getInt32(kUpperBits), lanes);
  llvm::Value* all = add(llvm::Intrinsic::aarch64_neon_sdot, sum, build_.CreateXor(x, upper));
  llvm::Value* zero = llvm::Constant::getNullValue(sum->getType());
  return build_.CreateSub(all, add(llvm::Intrinsic::aarch64_neon_sdot, zero, upper));
}

/// The same by two products of pairs: of the even bytes of the words, and of the odd ones. A word
/// of `x` for all lanes is extended by two instructions, which need no shuffle.
llvm::Value* FunctionEmitter::AddQuadInPairs(llvm::Value* sum, llvm::Value* x, llvm::Value* weights,
                                             int lanes) {
  llvm::Type* shorts =
      llvm::FixedVectorType::get(build_.getInt16Ty(), 2 * static_cast<unsigned>(lanes));
  llvm::Value* numbers = build_.CreateBitCast(x, shorts);
  llvm::Value* factors = build_.CreateBitCast(weights, shorts);
  const auto all = [&](uint16_t value) { return llvm::ConstantInt::get(shorts, value); };
  const auto multiply = [&](llvm::Value* a, llvm::Value* b) {
    return build_.CreateIntrinsic(PairInstruction(lanes), {}, {a, b});
  };
  // In separate statements, since the order of arguments differs between compilers.
  llvm::Value* even_numbers = build_.CreateAnd(numbers, all(0xFF));
  llvm::Value* even_factors = build_.CreateAShr(build_.CreateShl(factors, 8), 8);
  llvm::Value* even = multiply(even_numbers, even_factors);
  llvm::Value* odd_numbers = build_.CreateLShr(numbers, 8);
  llvm::Value* odd = multiply(odd_numbers, build_.CreateAShr(factors, 8));
  return build_.CreateAdd(sum, build_.CreateAdd(even, odd));
}

/// Adds four products (SortQuad) to a sum, which may be null.
llvm::Value* FunctionEmitter::AddQuad(llvm::Value* sum, std::span<const ShortProduct> products,
                                      int lanes) {
  llvm::Type* word = build_.getInt32Ty();
  llvm::Type* words = llvm::FixedVectorType::get(word, static_cast<unsigned>(lanes));
  // The bytes of a factor, as words: one for all lanes, or one for each.
  const auto words_of = [&](const Expr* factor) {
    const auto* load = dyn_cast<BufferLoad>(factor);
    const auto* ramp = dyn_cast<Ramp>(load->indices[0]);
    return ramp == nullptr ? Splat(LoadBytes(load->buffer, load->indices[0], word), lanes)
                           : LoadBytes(load->buffer, ramp->base, words);
  };
  llvm::Value* x = words_of(products[0].other);
  llvm::Value* w = words_of(products[0].vector);
  if (sum == nullptr) sum = llvm::Constant::getNullValue(words);
  const int piece = PairLanes(lanes, state_.quads.bits);
  std::vector<llvm::Value*> pieces;
  for (int first = 0; first < lanes; first += piece) {
    std::vector<int> order(static_cast<size_t>(piece));
    std::iota(order.begin(), order.end(), first);
    pieces.push_back(AddQuadPiece(build_.CreateShuffleVector(sum, order),
                                  build_.CreateShuffleVector(x, order),
                                  build_.CreateShuffleVector(w, order), piece));
  }
  return pieces.size() == 1 ? pieces[0] : llvm::concatenateVectors(build_, pieces);
}

/// a.low * b.low + a.high * b.high, in pieces of `piece` lanes.
llvm::Value* FunctionEmitter::PairOfProducts(const ShortPair& a, const ShortPair& b, int lanes,
                                             int piece) {
  std::vector<llvm::Value*> pieces;
  for (int first = 0; first < lanes; first += piece) {
    llvm::Value* x = InPairs(a, first, piece);
    llvm::Value* y = InPairs(b, first, piece);
    pieces.push_back(build_.CreateIntrinsic(PairInstruction(piece), {}, {x, y}));
  }
  return pieces.size() == 1 ? pieces[0] : llvm::concatenateVectors(build_, pieces);
}

}  // namespace tenon::llvm_lowering
