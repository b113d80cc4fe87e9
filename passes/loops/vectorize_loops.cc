// Outer-loop vectorisation (Nuzman and Zaks, 2008), because innermost loops add up floats, whose
// order must not change. This file chooses loops, lanes and remainders; LoopVectorizer rewrites
// their bodies.

#include "passes/loops/vectorize_loops.h"

#include <algorithm>
#include <bit>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "arith/analyzer.h"
#include "ir/analysis/node_queries.h"
#include "ir/analysis/stack_arrays.h"
#include "ir/builtins.h"
#include "passes/inlining.h"
#include "passes/loops/innermost_loops.h"
#include "passes/loops/loop_vectorizer.h"
#include "passes/loops/store_nest.h"
#include "passes/lowering/expand_math.h"
#include "schedule/op_loops.h"

namespace tenon {

namespace {

/// Most channels per pixel for which the pixel and channel loops become one vector. The time of a
/// convolution of 3 channels on a Zen 4 then fell from 1.0 to 0.2 of gcc's.
constexpr int64_t kMostFew = kLongestJoinedRow;
constexpr int64_t kMostFewOfSums = 4;
/// The same limit for sums whose channel values must be shuffled from a longer row.
constexpr int64_t kMostFewOfPicks = 3;
constexpr int64_t kFewestPairLanes = 8;
constexpr int64_t kMostPairLanes = 64;

/// The number of lanes for a loop of `extent` iterations; 0 if the loop should not be vectorised.
int LanesFor(int64_t extent, int64_t max_lanes) {
  if (extent < 4) return 0;
  if (extent <= std::min<int64_t>(16, max_lanes)) return static_cast<int>(extent);
  int64_t lanes = 64;
  while (lanes > max_lanes || extent % lanes != 0) lanes /= 2;
  return lanes >= std::min<int64_t>(8, max_lanes) ? static_cast<int>(lanes) : 0;
}

class NestVectorizer : public InnermostLoops<NestVectorizer> {
 public:
  NestVectorizer(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func,
                 int64_t max_lanes)
      : InnermostLoops(context, storage, func),
        analyzer_(context, storage->arena(), {.assume_index_no_overflow = true}),
        max_lanes_(max_lanes) {}

  const Stmt* RewriteFor(const For* loop) {
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(loop);
    if (const Stmt* pair = PairInLanes(loop)) {
      SetReplaced();
      return pair;
    }
    return InnermostLoops::RewriteFor(loop);
  }

  const Stmt* RewriteAllocate(const Allocate* allocate) {
    if (IsLocalAllocation(*allocate)) local_.insert(allocate->buffer_var);
    return RewriteChildren(allocate);
  }

  const Stmt* TryLoop(const For* loop, int64_t min, int64_t extent) {
    const int64_t most_lanes = MostLanes(loop->body);
    const int lanes = LanesFor(extent, most_lanes);
    // LLVM handles the remainder of innermost loops itself.
    if ((lanes == 0 && (extent < 4 || !HasLoop(loop->body))) || !IsIndependent(loop))
      return nullptr;
    const Stmt* wide = InWideVectors(loop, min, extent, lanes, most_lanes);
    return wide != nullptr ? wide : InShortVectors(loop, min, extent);
  }

 private:
  /// The loop in vectors as long as a short block of an operand, such as the four elements of
  /// `m % 4` in `x[m // 4, k, m % 4]`. Around a sum, a vector may cover a few blocks.
  const Stmt* InShortVectors(const For* loop, int64_t min, int64_t extent) {
    constexpr int64_t kMostShortLanes = 16;
    const bool may_shuffle = HasLoop(loop->body);
    auto lanes = static_cast<int>(std::min(kMostShortLanes, MostLanes(loop->body)));
    for (; lanes >= 4; lanes /= 2) {
      if (extent % lanes != 0) continue;
      if (const Stmt* body = InLanes(loop, min, extent, lanes, may_shuffle)) return body;
    }
    return nullptr;
  }

  /// The largest number of lanes for a loop. exp, erf and tanh are computed in float64, which takes
  /// several vectors for each value.
  int64_t MostLanes(const Stmt* body) const {
    constexpr int64_t kMostLanesOfMath = 16;
    return CallsArithmetic(body) ? std::min(max_lanes_, kMostLanesOfMath) : max_lanes_;
  }

  const Stmt* InWideVectors(const For* loop, int64_t min, int64_t extent, int lanes,
                            int64_t most_lanes) {
    const bool is_full = std::has_single_bit(static_cast<uint64_t>(lanes)) || lanes % 16 == 0;
    if (lanes > 0 && (is_full || !HasLoop(loop->body))) return InLanes(loop, min, extent, lanes);
    const bool may_repeat = MayRepeat(loop->body);
    if (lanes > 0 && !may_repeat) return InLanes(loop, min, extent, lanes);
    return WithRest(loop, min, extent, most_lanes, may_repeat);
  }

  /// The loop in vectors that fit at least twice, and its remainder. If iterations may run twice,
  /// the vectors need to fit only once, and the last one overlaps the one before it.
  const Stmt* WithRest(const For* loop, int64_t min, int64_t extent, int64_t most_lanes,
                       bool may_repeat) {
    int64_t lanes = most_lanes;
    while (lanes > 4 && (may_repeat ? 1 : 2) * lanes > extent) lanes /= 2;
    const int64_t most = extent / lanes * lanes;
    const Stmt* body = InLanes(loop, min, most, static_cast<int>(lanes));
    if (body == nullptr || most == extent) return body;
    int64_t rest_lanes = 4;
    while (rest_lanes < extent - most) rest_lanes *= 2;
    // The last vector computes some results again.
    const int64_t first = may_repeat ? extent - rest_lanes : most;
    const For* remaining = PartOf(builder(), storage(), *loop, min + first, extent - first);
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(remaining);
    const int short_lanes = LanesFor(extent - first, most_lanes);
    const Stmt* end =
        short_lanes > 0 ? InLanes(remaining, min + first, extent - first, short_lanes) : nullptr;
    return builder().Seq({body, end == nullptr ? remaining : end}, loop->range);
  }

  /// True if an iteration that runs twice stores the same values again: it reads nothing that it
  /// stores, except for elements that its first statements have set.
  bool MayRepeat(const Stmt* body) const {
    std::vector<const BufferStore*> stores;
    Walk(body, [&](const Node* node) {
      if (const auto* store = dyn_cast<BufferStore>(node)) stores.push_back(store);
      return Stmt::ClassOf(node);
    });
    const auto is_stored = [&](const Var* data) {
      return std::any_of(stores.begin(), stores.end(), [&](const BufferStore* store) {
        return pointers().MayAlias(store->buffer->data, data);
      });
    };
    std::vector<const BufferStore*> set;
    return Repeats(body, set, is_stored);
  }

  /// MayRepeat for a statement after stores that have set the elements `set`. Adds its own stores
  /// to `set`.
  static bool Repeats(const Stmt* stmt, std::vector<const BufferStore*>& set,
                      absl::FunctionRef<bool(const Var*)> is_stored) {
    if (const auto* allocate = dyn_cast<Allocate>(stmt)) {
      const auto is_other = [&](const Var* data) {
        return data != allocate->buffer_var && is_stored(data);
      };
      return Repeats(allocate->body, set, is_other);
    }
    if (const auto* decl = dyn_cast<DeclBuffer>(stmt)) return Repeats(decl->body, set, is_stored);
    if (const auto* seq = dyn_cast<SeqStmt>(stmt)) {
      return std::all_of(seq->seq.begin(), seq->seq.end(),
                         [&](const Stmt* child) { return Repeats(child, set, is_stored); });
    }
    bool repeats = true;
    Walk(stmt, [&](const Node* node) {
      const auto* load = dyn_cast<BufferLoad>(node);
      if (load == nullptr || !is_stored(load->buffer->data)) return repeats && !isa<Buffer>(node);
      repeats &= std::any_of(set.begin(), set.end(), [&](const BufferStore* store) {
        return store->buffer == load->buffer && store->indices.size() == 1 &&
               load->indices.size() == 1 && HaveSameValue(store->indices[0], load->indices[0]);
      });
      return repeats;
    });
    if (const auto* store = dyn_cast<BufferStore>(stmt)) set.push_back(store);
    return repeats;
  }

  /// Merges two loops over the pixels of an image and their few channels, as in `y[w * 3 + c]`.
  /// Lanes of loads that depend on only one of the loops are picked from a short row. Null if that
  /// is not possible.
  const Stmt* PairInLanes(const For* outer) {
    const auto* inner = dyn_cast<For>(outer->body);
    if (inner == nullptr || !IsPlain(*outer) || !IsPlain(*inner) ||
        HasBranchesOrRegisters(inner->body))
      return nullptr;
    const int64_t few = *AsIntImm(inner->extent);
    // Picking lanes in each step of a sum costs more than half-filled vectors.
    const bool has_sum = HasLoop(inner->body);
    if (few < 2 || few > (has_sum ? kMostFewOfSums : kMostFew) ||
        *AsIntImm(outer->extent) > INT32_MAX / few)
      return nullptr;
    const int64_t all = few * *AsIntImm(outer->extent);
    int64_t lanes = few;
    const int64_t most_lanes = CallsArithmetic(inner->body)
                                   ? MostLanes(inner->body)
                                   : std::min(2 * max_lanes_, kMostPairLanes);
    while (2 * lanes <= std::min(all, most_lanes)) lanes *= 2;
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(inner);
    if (lanes < kFewestPairLanes || !StoresRow(*outer, *inner) ||
        (has_sum && few > kMostFewOfPicks && !LoadsRows(*outer, *inner)) ||
        !AreIndependent(pointers(), around(), {outer, inner}))
      return nullptr;
    const For* loop = Fused(builder(), storage(), analyzer_, *outer, *inner, inner->body);
    // Picking lanes costs more than it saves in each step of a sum that is in memory.
    if (!MayRepeat(loop->body)) return nullptr;
    const int64_t most = all / lanes * lanes;
    const Stmt* body = InLanes(loop, 0, most, static_cast<int>(lanes), /*may_shuffle=*/true);
    if (body == nullptr || most == all) return body;
    const For* remaining = PartOf(builder(), storage(), *loop, all - lanes, lanes);
    analyzer_.BindLoop(remaining);
    const Stmt* end = InLanes(remaining, all - lanes, lanes, static_cast<int>(lanes), true);
    return end == nullptr ? nullptr : builder().Seq({body, end}, loop->range);
  }

  static bool IsPlain(const For& loop) {
    return IsPlainLoopFromZero(loop) && loop.loop_var->dtype == DataType::Int(32);
  }

  /// True if a statement has branches, or accesses allocations around it that are in registers:
  /// these are accessed in parts of the same size.
  bool HasBranchesOrRegisters(const Stmt* stmt) const {
    bool has = false;
    Walk(stmt, [&](const Node* node) {
      const auto* buffer = dyn_cast<Buffer>(node);
      has |= isa<IfThenElse>(node) || (buffer != nullptr && local_.contains(buffer->data));
      return !has;
    });
    return has;
  }

  /// True if all stores to memory outside of the loops have the index `outer * few + inner`.
  bool StoresRow(const For& outer, const For& inner) {
    absl::flat_hash_set<const Var*> inside;
    bool stores = true;
    Walk(inner.body, [&](const Node* node) {
      if (const auto* allocate = dyn_cast<Allocate>(node)) inside.insert(allocate->buffer_var);
      const auto* store = dyn_cast<BufferStore>(node);
      if (store != nullptr && !inside.contains(store->buffer->data)) {
        stores &= store->indices.size() == 1 && store->indices[0]->dtype.is_scalar() &&
                  Step(store->indices[0], inner) == 1 &&
                  Step(store->indices[0], outer) == *AsIntImm(inner.extent);
      }
      return stores && Stmt::ClassOf(node);
    });
    return stores;
  }

  /// True if all loads have such an index, or only depend on the channels.
  bool LoadsRows(const For& outer, const For& inner) {
    bool loads = true;
    Walk(inner.body, [&](const Node* node) {
      const auto* load = dyn_cast<BufferLoad>(node);
      if (load == nullptr) return loads && !isa<Buffer>(node);
      const bool has_index = load->indices.size() == 1 && load->indices[0]->dtype.is_scalar();
      const auto moves = [&](const For& loop, int64_t step) {
        return has_index && Step(load->indices[0], loop) == step;
      };
      const bool is_row = moves(inner, 1) && moves(outer, *AsIntImm(inner.extent));
      loads &= is_row || moves(outer, 0);
      return false;
    });
    return loads;
  }

  std::optional<int64_t> Step(const Expr* index, const For& loop) {
    return analyzer_.StepOf(index, loop.loop_var);
  }

  /// All iterations, whose number is a multiple of `lanes`; null if that is not possible.
  const Stmt* InLanes(const For* loop, int64_t min, int64_t extent, int lanes,
                      bool may_shuffle = false) {
    const Var* old = loop->loop_var;
    const Var* outer = nullptr;
    const Expr* first = loop->min;
    if (extent > lanes) {
      outer = builder().NewVar(old->name.view(), old->type, old->range);
      first = builder().New<Mul>({}, outer, builder().Int(old->dtype, lanes));
      if (min != 0) first = builder().New<Add>({}, first, loop->min);
    }
    LoopVectorizer vectorizer(builder(), storage(), analyzer_, loop, first, lanes, kMostLaneStep,
                              may_shuffle);
    const Stmt* body = vectorizer.Statement(loop->body);
    // Bounds of inner loops and layouts of buffers may depend on the iteration.
    if (body == nullptr || !vectorizer.has_vectors() || Mentions(body, old)) return nullptr;
    if (outer == nullptr) return body;
    return builder().New<For>(loop->range, outer, builder().Int(old->dtype, 0),
                              builder().Int(old->dtype, extent / lanes), ForKind::kSerial, body);
  }

  Analyzer analyzer_;
  int64_t max_lanes_;
  absl::flat_hash_set<const Var*> local_;
};

}  // namespace

absl::StatusOr<IRModule> VectorizeLoops(const IRModule& module,
                                        const VectorizeLoopsOptions& options,
                                        PassContext& context) {
  if (options.max_lanes < 4 || options.max_lanes > 64)
    return absl::InvalidArgumentError("vectorize-loops: max-lanes is not 4 to 64");
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<NestVectorizer>(module.context(), function, *function.func,
                                           options.max_lanes);
  });
}

}  // namespace tenon
