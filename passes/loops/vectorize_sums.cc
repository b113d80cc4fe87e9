// Vectors along a sum, which are not allowed for floats. The pass tries in order: four or two
// products for one instruction, lanes along a loop, and parts with a remainder. It leaves single
// loops to LLVM if LLVM vectorises them well.

#include "passes/loops/vectorize_sums.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <vector>

#include "analysis/loop_independence.h"
#include "arith/analyzer.h"
#include "arith/index_math.h"
#include "ir/analysis/node_queries.h"
#include "ir/replace_var.h"
#include "ir/rewriter.h"
#include "passes/inlining.h"
#include "passes/loops/innermost_loops.h"
#include "passes/loops/loop_vectorizer.h"
#include "passes/loops/store_nest.h"
#include "schedule/machine.h"

namespace tenon {

namespace {

constexpr int64_t kMostSumBytes = 4 * kLargeRegister;
/// Lanes of the parts of a sum with a remainder.
constexpr int64_t kLanesOfParts = 16;
/// LLVM unrolls loops of fewer steps before it vectorises (LLVM 19, seen on a Zen 4).
constexpr int64_t kManyStepsOfVectors = 512;
/// A byte plus a number of this size fits in 16 bits.
constexpr int64_t kMostOffset = 1 << 14;
/// The smallest number of lanes of a part of a row.
constexpr int64_t kFewestLanesOfPart = 4;

class SumVectorizer : public Rewriter<SumVectorizer> {
 public:
  SumVectorizer(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func,
                const VectorizeSumsOptions& options, std::atomic<int64_t>& sums)
      : Rewriter(context, storage),
        pointers_(func),
        analyzer_(context, storage->arena(), {.assume_index_no_overflow = true}),
        max_lanes_(options.max_lanes),
        pairs_(options.pairs),
        quads_(options.quads),
        sums_(sums) {}

  const Stmt* RewriteFor(const For* loop) {
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(loop);
    if (const std::optional<StoreNest> nest = StoreNestOf(loop)) {
      if (const Stmt* now = Vectorized(*nest)) return now;
    }
    return RewriteChildren(loop);
  }

 private:
  /// The sum in lanes; null if it is left unchanged.
  const Stmt* Vectorized(const StoreNest& nest) {
    const std::optional<IntegerSum> sum = IntegerSumOf(pointers_, *nest.store);
    if (!sum) return nullptr;
    for (const For* loop : nest.loops) {
      if (Mentions(nest.store->indices[0], loop->loop_var)) return nullptr;
    }
    const Analyzer::Scope scope(analyzer_);
    for (const For* loop : nest.loops) analyzer_.BindLoop(loop);
    const int64_t innermost = *AsIntImm(nest.loops.back()->extent);
    const bool is_one_loop = nest.loops.size() == 1;
    if (const Stmt* now = InQuads(nest, *sum)) return now;
    // LLVM's vectors of words are half as wide as a register.
    const bool has_vectors = is_one_loop && LlvmHasVectors(innermost, sum->value);
    if (has_vectors && !ReadsWords(sum->value)) return nullptr;
    if (const Stmt* now = InPairs(nest, *sum)) return now;
    if (has_vectors) return nullptr;
    if (is_one_loop && innermost >= kManySteps && innermost % kLanesOfParts != 0)
      return InParts(nest, *sum);
    for (size_t i = nest.loops.size(); i-- > 0;) {
      if (const Stmt* now = AlongLoop(nest, i, *sum)) return now;
    }
    const bool has_short_rest = innermost % kFewestLanesOfPart == 0 && innermost >= kFewestSumLanes;
    return !is_one_loop && has_short_rest ? InParts(nest, *sum) : nullptr;
  }

  /// True if LLVM itself vectorises a single loop well.
  static bool LlvmHasVectors(int64_t steps, const Expr* value) {
    if (steps >= kManyStepsOfVectors) return true;
    if (steps < kManySteps || steps % kLanesOfParts != 0 || !IsShortProduct(value)) return false;
    return steps >= 2 * kManySteps || AddsPairs(cast<Mul>(value));
  }

  /// True for a product of integers in memory of at most 16 bits, both signed or unsigned.
  static bool IsShortProduct(const Expr* value) {
    const auto* product = dyn_cast<Mul>(value);
    if (product == nullptr) return false;
    bool are_short = true;
    Walk(product, [&](const Node* node) {
      const auto* load = dyn_cast<BufferLoad>(node);
      are_short &= load == nullptr || load->dtype.bits() <= kPair.data.bits();
      return !isa<Buffer>(node);
    });
    const auto* a = dyn_cast<Cast>(product->a);
    const auto* b = dyn_cast<Cast>(product->b);
    const bool is_mixed =
        a != nullptr && b != nullptr && a->value->dtype.is_uint() != b->value->dtype.is_uint();
    return are_short && !is_mixed;
  }

  /// True for a product of integers of 16 bits in memory.
  static bool ReadsWords(const Expr* value) {
    const auto* product = dyn_cast<Mul>(value);
    const auto is_word = [](const Expr* factor) {
      const auto* wide = dyn_cast<Cast>(factor);
      return wide != nullptr && isa<BufferLoad>(wide->value) && wide->value->dtype == kPair.data;
    };
    return product != nullptr && is_word(product->a) && is_word(product->b);
  }

  /// True if LLVM may add up pairs of products: values of 16 bits are factors without arithmetic.
  static bool AddsPairs(const Mul* product) {
    const auto fits = [](const Expr* factor) {
      const BufferLoad* load = OnlyLoadIn(factor);
      return load == nullptr || load->dtype.bits() < kPair.data.bits() || isa<Cast>(factor);
    };
    return fits(product->a) && fits(product->b);
  }

  /// Four steps of the innermost loop at once: back ends add up four products of an unsigned and a
  /// signed byte with one instruction. Null if the sum is left unchanged.
  const Stmt* InQuads(const StoreNest& nest, const IntegerSum& sum) {
    const auto* product = dyn_cast<Mul>(sum.value);
    if (!quads_ || product == nullptr) return nullptr;
    const auto is_byte = [](const Expr* factor, DataType dtype) {
      const auto* wide = dyn_cast<Cast>(factor);
      return wide != nullptr && isa<BufferLoad>(wide->value) && wide->value->dtype == dtype;
    };
    const bool is_mixed = (is_byte(product->a, kQuad.data) && is_byte(product->b, kQuad.weight)) ||
                          (is_byte(product->b, kQuad.data) && is_byte(product->a, kQuad.weight));
    return is_mixed ? Together(nest, sum, product, kQuad.steps) : nullptr;
  }

  /// Two steps of the innermost loop at once: back ends add up pairs of products of short integers
  /// with one instruction. Null if the sum is left unchanged.
  const Stmt* InPairs(const StoreNest& nest, const IntegerSum& sum) {
    const auto* product = dyn_cast<Mul>(sum.value);
    if (!pairs_ || product == nullptr) return nullptr;
    const Expr* a = ShortFactor(product->a);
    const Expr* b = ShortFactor(product->b);
    if (a == nullptr || b == nullptr) return nullptr;
    return Together(nest, sum, builder().New<Mul>({}, a, b), kPair.steps);
  }

  /// The sum in lanes that add up `count` steps of the innermost loop at once. `product` is the
  /// value of a step.
  const Stmt* Together(const StoreNest& nest, const IntegerSum& sum, const Expr* product,
                       int64_t count) {
    const For* loop = nest.loops.back();
    if (sum.op != NodeKind::kAdd || product->dtype != DataType::Int(32) ||
        *AsIntImm(loop->extent) % count != 0)
      return nullptr;
    const DataType dtype = loop->loop_var->dtype;
    For part = *loop;
    part.loop_var = builder().NewVar(loop->loop_var->name.view(), loop->loop_var->type);
    part.min = builder().Int(dtype, 0);
    part.extent = builder().Int(dtype, *AsIntImm(loop->extent) / count);
    const Expr* first = builder().New<Mul>({}, part.loop_var, builder().Int(dtype, count));
    if (!IsConstInt(loop->min, 0)) first = builder().New<Add>({}, first, loop->min);
    const Expr* value = nullptr;
    for (int64_t i = 0; i < count; ++i) {
      const Expr* place = i == 0 ? first : builder().New<Add>({}, first, builder().Int(dtype, i));
      const Expr* step =
          VarReplacer(builder().context(), storage(), loop->loop_var, place).RewriteExpr(product);
      value = value == nullptr ? step : builder().New<Add>({}, value, step);
    }
    StoreNest now = nest;
    now.loops.back() = arena().New<For>(part);
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(now.loops.back());
    return AlongLoop(now, now.loops.size() - 1, {sum.op, value}, count);
  }

  /// A factor of 32 bits as one that is cast from at most 16 bits; null if it may need more.
  const Expr* ShortFactor(const Expr* factor) {
    const auto [base, offset] = SplitOffset(factor);
    if (base == nullptr || std::abs(offset) > kMostOffset) return nullptr;
    const auto* wide = dyn_cast<Cast>(base);
    if (wide == nullptr || !isa<BufferLoad>(wide->value)) return nullptr;
    const DataType from = wide->value->dtype;
    const bool is_byte = from.is_integer() && from.bits() == 8;
    if (offset == 0 && (is_byte || from == kPair.data)) return factor;
    if (!is_byte) return nullptr;
    const DataType dtype = kPair.data;
    const Expr* narrow = builder().New<Cast>({}, dtype, wide->value);
    return builder().New<Cast>({}, wide->dtype,
                               builder().New<Add>({}, narrow, builder().Int(dtype, offset)));
  }

  /// The innermost loop in parts of 16, 8 and 4 lanes and a remainder. Null if the sum is left
  /// unchanged.
  const Stmt* InParts(const StoreNest& nest, const IntegerSum& sum) {
    const For* loop = nest.loops.back();
    const int64_t extent = *AsIntImm(loop->extent);
    std::vector<const Stmt*> parts;
    int64_t done = 0;
    for (int64_t lanes = kLanesOfParts; done < extent; lanes /= 2) {
      const bool is_rest = lanes < kFewestLanesOfPart;
      const int64_t count = is_rest ? extent - done : (extent - done) / lanes * lanes;
      if (count == 0) continue;
      For part = *loop;
      part.min = builder().Int(loop->loop_var->dtype, *AsIntImm(loop->min) + done);
      part.extent = builder().Int(loop->loop_var->dtype, count);
      StoreNest now = nest;
      now.loops.back() = arena().New<For>(part);
      parts.push_back(is_rest ? LoopsAround(arena(), now.loops, nest.store)
                              : InLanes(now, now.loops.size() - 1, sum, lanes));
      if (parts.back() == nullptr) return nullptr;
      if (done > 0) parts.back() = WithNewVars(builder().context(), storage(), parts.back());
      done += count;
    }
    ++sums_;
    return builder().Seq(Span<const Stmt*>(parts), nest.store->range);
  }

  int64_t LanesOf(const For& loop, int64_t bytes) const {
    const int64_t extent = *AsIntImm(loop.extent);
    int64_t lanes = max_lanes_;
    while (lanes >= kFewestSumLanes && (extent % lanes != 0 || lanes * bytes > kMostSumBytes))
      lanes /= 2;
    return lanes >= kFewestSumLanes ? lanes : 0;
  }

  /// The nest in lanes along its loop number `along`; null if that is not possible. The elements of
  /// neighbouring lanes are up to `step` elements apart.
  const Stmt* AlongLoop(const StoreNest& nest, size_t along, const IntegerSum& sum,
                        int64_t step = 1) {
    const int64_t lanes = LanesOf(*nest.loops[along], sum.value->dtype.bytes());
    const Stmt* now = lanes == 0 ? nullptr : InLanes(nest, along, sum, lanes, step);
    sums_ += now == nullptr ? 0 : 1;
    return now;
  }

  /// The nest with `lanes` lanes along its loop number `along`; null if that is not possible.
  const Stmt* InLanes(const StoreNest& nest, size_t along, const IntegerSum& sum, int64_t lanes,
                      int64_t step = 1) {
    const For* loop = nest.loops[along];
    const Var* old = loop->loop_var;
    const Var* var = builder().NewVar(old->name.view(), old->type, old->range);
    const Expr* first = builder().New<Mul>({}, var, builder().Int(old->dtype, lanes));
    if (!IsConstInt(loop->min, 0)) first = builder().New<Add>({}, first, loop->min);
    std::vector<const For*> loops;
    for (const For* each : nest.loops) {
      if (each != loop) loops.push_back(each);
    }
    const int64_t blocks = *AsIntImm(loop->extent) / lanes;
    For outer = *loop;
    outer.loop_var = var;
    outer.min = builder().Int(old->dtype, 0);
    outer.extent = builder().Int(old->dtype, blocks);
    if (blocks == 1) {
      first = loop->min;
    } else {
      loops.push_back(arena().New<For>(outer));
    }
    LoopVectorizer vectorizer(builder(), storage(), analyzer_, loop, first, static_cast<int>(lanes),
                              std::max(step, isa<Add>(sum.value) ? kPair.steps : 1));
    const Expr* values = vectorizer.Vector(Narrow(sum));
    if (values == nullptr || Mentions(values, old)) return nullptr;
    return Sum(*nest.store, loops, {sum.op, values});
  }

  /// The value of a step. The maximum of values that are cast to a wider type can be computed
  /// before the cast.
  static const Expr* Narrow(const IntegerSum& sum) {
    const auto* wide = dyn_cast<Cast>(sum.value);
    if (sum.op == NodeKind::kAdd || wide == nullptr) return sum.value;
    const DataType from = wide->value->dtype;
    const bool keeps_order = from.is_integer() && !from.is_bool() &&
                             from.bits() < wide->dtype.bits() &&
                             (wide->dtype.is_int() || from.is_uint());
    return keeps_order ? wide->value : sum.value;
  }

  /// The number that lanes begin with, if `before` is the result so far.
  const Expr* Start(const IntegerSum& vectors, const Expr* before) {
    const DataType dtype = vectors.value->dtype;
    if (vectors.op == NodeKind::kAdd) return builder().Number(dtype, 0);
    if (dtype.element() == before->dtype)
      return builder().New<Broadcast>({}, before, dtype.lanes());
    // A narrower type may not contain that number. Its least or its largest number can be used
    // instead.
    const double half = std::ldexp(1.0, dtype.bits() - 1);
    const double least = dtype.is_int() ? -half : 0;
    const bool is_max = vectors.op == NodeKind::kMax;
    return builder().Number(dtype, is_max ? least : (dtype.is_int() ? half : 2 * half) - 1);
  }

  /// Sums up the vectors over the loops, and then their lanes.
  const Stmt* Sum(const BufferStore& store, const std::vector<const For*>& loops,
                  const IntegerSum& vectors) {
    const DataType dtype = vectors.value->dtype;
    std::vector<const Buffer*> buffers;
    const auto add = [&](int lanes) {
      buffers.push_back(
          NewFlatBuffer(builder(), store.buffer->name.view(), dtype.with_lanes(lanes), 1));
      return Element(buffers.back());
    };
    const auto both = [&](const Expr* a, const Expr* b) { return vectors.Both(builder(), a, b); };
    const Expr* before =
        builder().New<BufferLoad>(store.range, store.value->dtype, store.buffer, store.indices);
    int lanes = dtype.lanes();
    const Expr* sum = add(lanes);
    std::vector<const Stmt*> stmts = {
        Keep(buffers.back(), Start(vectors, before)),
        LoopsAround(arena(), loops, Keep(buffers.back(), both(sum, vectors.value)))};
    for (; lanes > 2; lanes /= 2) {
      const Expr* half = both(Part(sum, 0, lanes / 2), Part(sum, lanes / 2, lanes / 2));
      sum = add(lanes / 2);
      stmts.push_back(Keep(buffers.back(), half));
    }
    const Expr* total = both(Part(sum, 0, 1), Part(sum, 1, 1));
    if (total->dtype != before->dtype) total = builder().New<Cast>({}, before->dtype, total);
    stmts.push_back(
        builder().New<BufferStore>(store.range, store.buffer, both(before, total), store.indices));
    const Stmt* body = builder().Seq(Span<const Stmt*>(stmts), store.range);
    for (const Buffer* buffer : buffers) body = AllocateLocal(builder(), buffer, body);
    return body;
  }

  const Expr* Element(const Buffer* buffer) { return builder().Load(buffer, {builder().Int(0)}); }

  const Stmt* Keep(const Buffer* buffer, const Expr* value) {
    return builder().New<BufferStore>({}, buffer, value, builder().List<Expr>({builder().Int(0)}));
  }

  /// `count` lanes of a vector.
  const Expr* Part(const Expr* vector, int first, int count) {
    std::vector<const Expr*> lanes;
    for (int i = 0; i < count; ++i) lanes.push_back(builder().Int(first + i));
    return builder().New<Shuffle>({}, vector->dtype.with_lanes(count),
                                  builder().List<Expr>({vector}),
                                  arena().Copy(Span<const Expr*>(lanes)));
  }

  const FunctionStorage pointers_;
  Analyzer analyzer_;
  int64_t max_lanes_;
  bool pairs_;
  bool quads_;
  std::atomic<int64_t>& sums_;
};

}  // namespace

absl::StatusOr<IRModule> VectorizeSums(const IRModule& module, const VectorizeSumsOptions& options,
                                       PassContext& context) {
  if (options.max_lanes < kFewestSumLanes || options.max_lanes > 64)
    return absl::InvalidArgumentError("vectorize-sums: max-lanes is not 8 to 64");
  std::atomic<int64_t> sums = 0;
  absl::StatusOr<IRModule> result =
      ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
        return RewriteFunction<SumVectorizer>(module.context(), function, *function.func, options,
                                              sums);
      });
  context.Count("vectorize-sums.sums", sums);
  return result;
}

}  // namespace tenon
