// Fusion for array contraction (Gao and others, 1992), greedy: each buffer pulls the nests that use
// it into one, or everything stays. Nests that would lose lanes fuse in a last round, and only
// where the peak needs it.

#include "passes/fusion/fuse_nests.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include "ir/analysis/node_queries.h"
#include "ir/extents.h"
#include "passes/fusion/contract_buffer.h"
#include "passes/fusion/nest_order.h"
#include "passes/fusion/origins.h"
#include "passes/fusion/region_rewriter.h"
#include "passes/fusion/sink_consumer.h"
#include "passes/loops/localize_buffers.h"

namespace tenon {

namespace {

/// Statements that are further apart stay apart.
constexpr size_t kMostStatements = 2000;

/// A buffer of more bytes is not local.
constexpr int64_t kLocalBytes = LocalizeBuffersOptions().max_stack;

class Fuser : public RegionRewriter<Fuser> {
 public:
  Fuser(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func,
        const FuseNestsOptions& options, std::atomic<int64_t>& contracted)
      : RegionRewriter(context, std::move(storage), func),
        options_(options),
        contracted_(contracted) {}

  bool Improve(StmtRegion& region) {
    bool changed = false;
    for (bool again = true; again;) {
      const std::vector<const Stmt*> scopes = region.scopes;
      again = ContractAll(region, scopes) || Sink(region, scopes) || ContractForPeak(region);
      changed |= again;
    }
    return changed;
  }

 private:
  bool ContractAll(StmtRegion& region, const std::vector<const Stmt*>& scopes) {
    bool changed = false;
    for (const Stmt* scope : scopes) {
      const auto* allocate = dyn_cast<Allocate>(scope);
      if (allocate == nullptr) continue;
      // An allocation in loops is in use whenever they run, and counts unless it is local.
      const bool may_lose_lanes =
          around().empty() ? !options_.keep_blocks : BytesOf(*allocate) > kLocalBytes;
      changed |= Contract(region, allocate->buffer_var, may_lose_lanes);
    }
    return changed;
  }

  /// Fuses nests that lose lanes by it, if their buffer may be part of the peak: no plan takes
  /// less than the largest buffer that stays.
  bool ContractForPeak(StmtRegion& region) {
    if (!around().empty()) return false;
    int64_t largest = 0;
    std::vector<const Allocate*> refused;
    for (const Stmt* scope : region.scopes) {
      const auto* allocate = dyn_cast<Allocate>(scope);
      if (allocate == nullptr || region.UsesOf(allocate->buffer_var).empty()) continue;
      if (refused_.contains(allocate->buffer_var)) {
        refused.push_back(allocate);
      } else {
        largest = std::max(largest, BytesOf(*allocate));
      }
    }
    return std::any_of(refused.begin(), refused.end(), [&](const Allocate* allocate) {
      return MostBytesWith(region, allocate->buffer_var) > largest &&
             Contract(region, allocate->buffer_var, /*may_lose_lanes=*/true);
    });
  }

  static int64_t BytesOf(const Allocate& allocate) {
    return StaticBytes(allocate.dtype, allocate.extents).value_or(0);
  }

  /// The most bytes of the region's allocations that are in use at once while `data` is.
  static int64_t MostBytesWith(const StmtRegion& region, const Var* data) {
    const std::vector<size_t> uses = region.UsesOf(data);
    int64_t most = 0;
    for (size_t i = uses.front(); i <= uses.back(); ++i) {
      int64_t bytes = 0;
      for (const Stmt* scope : region.scopes) {
        const auto* allocate = dyn_cast<Allocate>(scope);
        if (allocate == nullptr) continue;
        const std::vector<size_t> other = region.UsesOf(allocate->buffer_var);
        if (!other.empty() && other.front() <= i && i <= other.back()) bytes += BytesOf(*allocate);
      }
      most = std::max(most, bytes);
    }
    return most;
  }

  /// Moves computations of other nests to the stores of the buffers that they read.
  bool Sink(StmtRegion& region, const std::vector<const Stmt*>& scopes) {
    bool changed = false;
    for (const Stmt* scope : scopes) {
      const auto* allocate = dyn_cast<Allocate>(scope);
      if (allocate == nullptr || region.Find(allocate->buffer_var) == nullptr ||
          !SinkConsumer(tools(), region, *allocate, around(), pointers()))
        continue;
      ++contracted_;
      changed = true;
    }
    return changed;
  }

  /// Brings all statements that access a buffer into one nest, if that makes the buffer smaller.
  bool Contract(StmtRegion& region, const Var* data, bool may_lose_lanes) {
    const Allocate* allocate = region.Find(data);
    if (allocate == nullptr) return false;
    const std::vector<size_t> uses = region.UsesOf(data);
    if (uses.empty()) return false;
    may_lose_lanes_ = may_lose_lanes;
    loses_lanes_ = false;
    std::vector<const Stmt*> before;
    for (const size_t use : uses) before.push_back(region.stmt(use));
    const bool reads_once = ReadsOnce(region, uses, *allocate);
    const Contracted result = Joined(region, *allocate);
    // More reads would join operators that each read all of a block, as a convolution does.
    if (result.stmt == nullptr || (result.elements > 1 && !reads_once)) {
      for (size_t i = 0; i < uses.size(); ++i) {
        if (region.stmt(uses[i]) != before[i]) region.Replace(uses[i], before[i]);
      }
      if (loses_lanes_) refused_.insert(data);
      return false;
    }
    pointers().AddAllocated(result.data);
    region.Replace(region.UsesOf(data)[0], result.stmt);
    region.RemoveScope(allocate);
    ++contracted_;
    return true;
  }

  /// True if the statements that do not change the buffer load at most as many elements as it has.
  static bool ReadsOnce(const StmtRegion& region, const std::vector<size_t>& uses,
                        const Allocate& allocate) {
    int64_t reads = 0;
    for (const size_t use : uses) {
      if (region.accesses(use).Find(allocate.buffer_var)->stores > 0) continue;
      const int64_t more = CountLoads(region.stmt(use), allocate.buffer_var);
      if (__builtin_add_overflow(reads, more, &reads)) return false;
    }
    return reads <= StaticCount(allocate.extents).value_or(0);
  }

  /// Joins the statements that access a buffer into one, with a smaller buffer in it.
  Contracted Joined(StmtRegion& region, const Allocate& allocate) {
    const Var* data = allocate.buffer_var;
    std::vector<size_t> uses = region.UsesOf(data);
    while (uses.size() > 1) {
      if (!Fuse(region, uses[0], uses[1])) return {};
      uses = region.UsesOf(data);
    }
    return ContractBuffer(tools(), region.stmt(uses[0]), *region.accesses(uses[0]).Find(data),
                          allocate);
  }

  /// Moves statement `second` into the loops of statement `first`.
  bool Fuse(StmtRegion& region, size_t first, size_t second) {
    if (second - first > kMostStatements) return false;
    bool moves_up = true;
    bool moves_down = true;
    for (size_t i = first + 1; i < second; ++i) {
      moves_up &= !Conflict(region.accesses(i), region.accesses(second), pointers());
      moves_down &= !Conflict(region.accesses(i), region.accesses(first), pointers());
    }
    if (!moves_up && !moves_down) return false;
    const Stmt* fused = Fused(region, first, second);
    if (fused == nullptr) return false;
    region.Replace(moves_up ? first : second, fused);
    region.Replace(moves_up ? second : first, nullptr);
    return true;
  }

  /// The two statements as one nest that shares as many loops as possible; null if it can share
  /// none.
  const Stmt* Fused(const StmtRegion& region, size_t first, size_t second) {
    const Nest a = NestOf(MergeGuardedLoops(tools(), region.stmt(first)));
    const Nest b = NestOf(MergeGuardedLoops(tools(), region.stmt(second)));
    for (size_t depth = a.loops.size(); depth > 0; --depth) {
      for (size_t other = b.loops.size(); other > 0; --other) {
        if (a.Count(depth) != b.Count(other)) continue;
        const Stmt* body = b.loops[other - 1]->body;
        // Sums are made in lanes, unless the innermost loop around them also has a call that is
        // made lane by lane.
        if (HasScalarCalls(body) && !HasLoop(body) && HasLoop(a.loops[depth - 1]->body)) continue;
        if (options_.keep_sums && HasManySums(body)) continue;
        const NestPair pair = {a, depth, region.accesses(first), b, other, region.accesses(second)};
        if (!MayTakeTurns(pair, around(), pointers())) continue;
        if (may_lose_lanes_ || !LosesLanes(a, depth, b, other)) return Merged(a, depth, b, other);
        loses_lanes_ = true;
      }
    }
    return nullptr;
  }

  /// True if a statement has sums of several elements: a loop within a loop, or of vectors.
  static bool HasManySums(const Stmt* stmt) {
    bool has = false;
    Walk(stmt, [&](const Node* node) {
      const auto* loop = dyn_cast<For>(node);
      if (loop != nullptr) has |= HasLoop(loop->body) || StoresVectors(loop->body);
      return !has && Stmt::ClassOf(node);
    });
    return has;
  }

  static bool StoresVectors(const Stmt* stmt) {
    bool stores = false;
    Walk(stmt, [&](const Node* node) {
      const auto* store = dyn_cast<BufferStore>(node);
      stores |= store != nullptr && !store->value->dtype.is_scalar();
      return !stores && Stmt::ClassOf(node);
    });
    return stores;
  }

  /// True if iterations of the first nest's loop, each of which is a sum, may run at once, but
  /// iterations of the other nest's loop may not. A loop of both would be as slow as the slower
  /// one.
  bool LosesLanes(const Nest& a, size_t depth, const Nest& b, size_t other) {
    return HasLoop(a.loops[depth - 1]->body) && IsIndependent(a, depth) && !IsIndependent(b, other);
  }

  bool IsIndependent(const Nest& nest, size_t depth) {
    std::vector<const For*> outer(around().begin(), around().end());
    outer.insert(outer.end(), nest.loops.begin(),
                 nest.loops.begin() + static_cast<std::ptrdiff_t>(depth) - 1);
    return IterationsAreIndependent(pointers(), outer, nest.loops[depth - 1]);
  }

  const Stmt* Merged(const Nest& a, size_t depth, const Nest& b, size_t other) {
    const Analyzer::Scope scope(analyzer());
    const Span<const For*> loops(a.loops.data(), depth);
    for (const For* loop : loops) analyzer().BindLoop(loop);
    const Span<const For*> others(b.loops.data(), other);
    const VarExprs values = ValuesAt(tools(), others, CountOf(tools(), loops));
    const Stmt* second = ReplaceVars(tools(), others.back()->body, values);
    const Stmt* body = builder().Seq({loops.back()->body, second});
    for (size_t i = depth; i-- > 0;) {
      For copy = *loops[i];
      copy.body = body;
      body = arena().New<For>(copy);
    }
    const Origins origins = tenon::Joined(OriginsOf(a.loops.front()), OriginsOf(b.loops.front()));
    return origins.empty() ? body : WithOrigins(builder(), cast<For>(body), origins);
  }

  FuseNestsOptions options_;
  std::atomic<int64_t>& contracted_;
  /// Buffers between nests that would lose lanes together.
  absl::flat_hash_set<const Var*> refused_;
  /// True if such nests are fused nevertheless.
  bool may_lose_lanes_ = false;
  /// True if a pair of nests was kept apart for that reason.
  bool loses_lanes_ = false;
};

}  // namespace

absl::StatusOr<IRModule> FuseNests(const IRModule& module, const FuseNestsOptions& options,
                                   PassContext& context) {
  std::atomic<int64_t> contracted = 0;
  IRModule now = ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<Fuser>(module.context(), function, *function.func, options, contracted);
  });
  context.Count("fuse-nests.buffers", contracted);
  return now;
}

}  // namespace tenon
