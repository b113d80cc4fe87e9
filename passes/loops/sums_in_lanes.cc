// Loop interchange for C compilers: the loop over lanes becomes the innermost one, and the code
// remains scalar. The stack for its local arrays limits the lanes of a block.

#include "passes/loops/sums_in_lanes.h"

#include <fmt/format.h>

#include <algorithm>

#include "arith/analyzer.h"
#include "ir/extents.h"
#include "ir/replace_var.h"
#include "ir/storage_defaults.h"
#include "passes/loops/innermost_loops.h"
#include "passes/loops/join_sums.h"

namespace tenon {

namespace {

/// GCC unrolls loops of at most this number of iterations, unless their bodies are large.
constexpr int64_t kMostShort = 16;

/// Whether inner loops access elements that are adjacent for neighbouring iterations of a loop.
class Rows {
 public:
  Rows(Analyzer& analyzer, const For* loop) : analyzer_(analyzer), loop_(loop) {}

  bool Fit() {
    Look(loop_->body, /*inside=*/false);
    return fit_ && has_rows_;
  }

 private:
  void Look(const Node* node, bool inside) {
    WithStack([&] {
      if (const auto* allocate = dyn_cast<Allocate>(node)) own_.insert(allocate->buffer_var);
      const auto* load = dyn_cast<BufferLoad>(node);
      const auto* store = dyn_cast<BufferStore>(node);
      if (inside && load != nullptr) Access(load->buffer, load->indices, /*is_store=*/false);
      if (inside && store != nullptr) Access(store->buffer, store->indices, /*is_store=*/true);
      ForEachChild(node, [&](const Node* child, FieldRole) {
        if (!isa<Buffer>(child)) Look(child, inside || isa<For>(node));
      });
    });
  }

  void Access(const Buffer* buffer, Span<const Expr*> indices, bool is_store) {
    if (own_.contains(buffer->data)) return;
    if (indices.size() != 1 || !indices[0]->dtype.is_scalar()) {
      fit_ = false;
      return;
    }
    const std::optional<int64_t> step = analyzer_.StepOf(indices[0], loop_->loop_var);
    has_rows_ |= step == 1;
    fit_ &= step == 1 || (!is_store && step == 0);
  }

  Analyzer& analyzer_;
  const For* loop_;
  absl::flat_hash_set<const Var*> own_;
  bool fit_ = true;
  bool has_rows_ = false;
};

/// Writes the body of a loop for a block of its iterations.
class BlockWriter : public Rewriter<BlockWriter> {
 public:
  BlockWriter(Context& context, std::shared_ptr<Storage> storage, const For* loop,
              const Expr* first, int64_t lanes)
      : Rewriter(context, std::move(storage)), loop_(loop), first_(first), lanes_(lanes) {}

  /// Null if that is not possible.
  const Stmt* Block(const Stmt* stmt) {
    std::vector<const Stmt*> out;
    std::vector<const Stmt*> leaves;
    if (!Add(stmt, out, leaves)) return nullptr;
    Flush(out, leaves);
    return builder().Seq(out, stmt->range);
  }

  const Expr* RewriteVar(const Var* var) {
    return var == loop_->loop_var ? lane_value_ : MapVar(var);
  }
  const Expr* RewriteBufferLoad(const BufferLoad* load) { return InLane(load); }
  const Stmt* RewriteBufferStore(const BufferStore* store) { return InLane(store); }
  const Buffer* RewriteBuffer(const Buffer* buffer) {
    if (!own_.contains(buffer->data)) return Rewriter::RewriteBuffer(buffer);
    const Buffer*& now = buffers_[buffer];
    if (now == nullptr) {
      Buffer copy = *buffer;
      copy.shape = Times(buffer->shape);
      now = arena().New<Buffer>(copy);
    }
    return now;
  }

 private:
  /// Adds the replacement of `stmt` to `out`. Statements without loops are collected in `leaves`,
  /// so that they share one loop.
  bool Add(const Stmt* stmt, std::vector<const Stmt*>& out, std::vector<const Stmt*>& leaves) {
    return WithStack([&] {
      if (const auto* seq = dyn_cast<SeqStmt>(stmt)) {
        return std::all_of(seq->seq.begin(), seq->seq.end(),
                           [&](const Stmt* child) { return Add(child, out, leaves); });
      }
      if (isa<Evaluate>(stmt)) return true;
      if (isa<BufferStore>(stmt)) {
        leaves.push_back(stmt);
        return true;
      }
      Flush(out, leaves);
      out.push_back(Whole(stmt));
      return out.back() != nullptr;
    });
  }

  /// A statement that runs for all iterations of the block.
  const Stmt* Whole(const Stmt* stmt) {
    if (const auto* loop = dyn_cast<For>(stmt)) {
      For copy = *loop;
      if (IsOfIteration(loop->min) || IsOfIteration(loop->extent)) return nullptr;
      copy.body = Block(loop->body);
      return copy.body == nullptr ? nullptr : arena().New<For>(copy);
    }
    if (const auto* choice = dyn_cast<IfThenElse>(stmt)) {
      IfThenElse copy = *choice;
      if (IsOfIteration(choice->condition)) return nullptr;
      copy.then_case = Block(choice->then_case);
      if (copy.then_case == nullptr) return nullptr;
      if (choice->else_case != nullptr) {
        copy.else_case = Block(choice->else_case);
        if (copy.else_case == nullptr) return nullptr;
      }
      return arena().New<IfThenElse>(copy);
    }
    const auto* allocate = dyn_cast<Allocate>(stmt);
    if (allocate == nullptr) return nullptr;
    own_.insert(allocate->buffer_var);
    Allocate copy = *allocate;
    copy.extents = Times(allocate->extents);
    copy.body = Block(allocate->body);
    return copy.body == nullptr ? nullptr : arena().New<Allocate>(copy);
  }

  /// True if the value may differ between iterations of the block.
  bool IsOfIteration(const Expr* expr) const {
    bool found = false;
    Walk(expr, [&](const Node* node) {
      const auto* var = dyn_cast<Var>(node);
      found |= var != nullptr && (var == loop_->loop_var || own_.contains(var));
      return !found;
    });
    return found;
  }

  void Flush(std::vector<const Stmt*>& out, std::vector<const Stmt*>& leaves) {
    if (leaves.empty()) return;
    const Var* old = loop_->loop_var;
    lane_ = builder().NewVar(old->name.view(), old->type, old->range);
    lane_value_ = first_ == nullptr ? static_cast<const Expr*>(lane_)
                                    : builder().New<tenon::Add>({}, first_, lane_);
    for (const Stmt*& leaf : leaves) leaf = RewriteStmt(leaf);
    out.push_back(builder().New<For>(loop_->range, lane_, builder().Int(old->dtype, 0),
                                     builder().Int(old->dtype, lanes_), ForKind::kSerial,
                                     builder().Seq(leaves)));
    leaves.clear();
  }

  template <class T>
  const T* InLane(const T* access) {
    const T* now = RewriteChildren(access);
    if (!own_.contains(access->buffer->data)) return now;
    T copy = *now;
    const Expr* index = now->indices[0];
    const Expr* lane = lane_;
    if (lane->dtype != index->dtype) lane = builder().template New<Cast>({}, index->dtype, lane);
    if (!IsConstInt(index, 0)) {
      index = builder().template New<Mul>({}, index, builder().Int(index->dtype, lanes_));
      lane = builder().template New<tenon::Add>({}, index, lane);
    }
    copy.indices = builder().template List<Expr>({lane});
    return arena().template New<T>(copy);
  }

  Span<const Expr*> Times(Span<const Expr*> extents) {
    const int64_t count = StaticCount(extents).value_or(0);
    return builder().List<Expr>({builder().Int(count * lanes_)});
  }

  const For* loop_;
  /// The first iteration of the block; null for 0.
  const Expr* first_;
  int64_t lanes_;
  const Var* lane_ = nullptr;
  const Expr* lane_value_ = nullptr;
  /// Allocations that exist once for each iteration.
  absl::flat_hash_set<const Var*> own_;
  absl::flat_hash_map<const Buffer*, const Buffer*> buffers_;
};

class LanesWriter : public InnermostLoops<LanesWriter> {
 public:
  LanesWriter(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func,
              const SumsInLanesOptions& options)
      : InnermostLoops(context, storage, func),
        analyzer_(context, storage->arena(), {.assume_index_no_overflow = true}),
        options_(options) {}

  const Stmt* RewriteFor(const For* loop) {
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(loop);
    return InnermostLoops::RewriteFor(loop);
  }

  const Stmt* RewriteSeqStmt(const SeqStmt* seq) {
    const Stmt* rewritten = RewriteSeq(seq);
    const auto* now = dyn_cast<SeqStmt>(rewritten);
    if (now == nullptr) return rewritten;
    std::vector<const Stmt*> out;
    for (const Stmt* stmt : now->seq) {
      const For* merged = out.empty() ? nullptr : Merged(out.back(), stmt);
      if (merged == nullptr) {
        out.push_back(stmt);
      } else {
        out.back() = merged;
      }
    }
    return out.size() == now->seq.size() ? now : builder().Seq(out, seq->range);
  }

  const Stmt* TryLoop(const For* loop, int64_t min, int64_t extent) {
    const int64_t lanes = LanesFor(loop, extent);
    if (lanes == 0 || !IsIndependent(loop)) return nullptr;
    if (!Rows(analyzer_, loop).Fit()) return nullptr;
    const Var* old = loop->loop_var;
    const Var* outer = nullptr;
    const Expr* first = min == 0 ? nullptr : loop->min;
    if (extent > lanes) {
      outer = builder().NewVar(old->name.view(), old->type, old->range);
      const Expr* start = builder().New<Mul>({}, outer, builder().Int(old->dtype, lanes));
      first = min == 0 ? start : builder().New<Add>({}, start, loop->min);
    }
    const Stmt* body =
        BlockWriter(builder().context(), storage(), loop, first, lanes).Block(loop->body);
    if (body == nullptr || outer == nullptr) return body;
    return builder().New<For>(loop->range, outer, builder().Int(old->dtype, 0),
                              builder().Int(old->dtype, extent / lanes), ForKind::kSerial, body);
  }

 private:
  /// Two short loops over lanes as one; null if they cannot be merged.
  const For* Merged(const Stmt* first, const Stmt* second) {
    const auto* a = dyn_cast<For>(first);
    const auto* b = dyn_cast<For>(second);
    if (a == nullptr || b == nullptr || !IsShort(a) || !IsShort(b) ||
        *AsIntImm(a->extent) != *AsIntImm(b->extent) || a->loop_var->dtype != b->loop_var->dtype)
      return nullptr;
    const Stmt* more =
        VarReplacer(builder().context(), storage(), b->loop_var, a->loop_var).RewriteStmt(b->body);
    For copy = *a;
    copy.body = builder().Seq({a->body, more});
    const For* merged = arena().New<For>(copy);
    // Each iteration keeps its order, and does not affect another one.
    return IsIndependent(merged) ? merged : nullptr;
  }

  /// True for an innermost loop that C compilers would unroll before they vectorise.
  static bool IsShort(const For* loop) {
    const int64_t* extent = AsIntImm(loop->extent);
    bool has_loops = false;
    Walk(loop->body, [&](const Node* node) {
      has_loops |= isa<For>(node);
      return !has_loops && Stmt::ClassOf(node);
    });
    return extent != nullptr && *extent > 1 && *extent <= kMostShort && IsConstInt(loop->min, 0) &&
           loop->for_kind == ForKind::kSerial && loop->annotations == nullptr && !has_loops;
  }

  /// The number of iterations of a block; 0 for loops that are left unchanged.
  int64_t LanesFor(const For* loop, int64_t extent) const {
    bool has_loops = false;
    bool is_plain = true;
    int64_t most = options_.max_lanes;
    Walk(loop->body, [&](const Node* node) {
      has_loops |= isa<For>(node);
      if (const auto* buffer = dyn_cast<Buffer>(node)) {
        is_plain &= HasConstantLayout(*buffer) && buffer->dtype.is_scalar();
        return false;
      }
      const auto* allocate = dyn_cast<Allocate>(node);
      if (allocate == nullptr) return true;
      const int64_t bytes = StaticBytes(allocate->dtype, allocate->extents).value_or(0);
      is_plain &= bytes > 0 && allocate->dtype.is_scalar() && IsConstInt(allocate->condition, 1);
      if (bytes > 0) most = std::min(most, options_.max_bytes / bytes);
      return true;
    });
    if (!has_loops || !is_plain) return 0;
    int64_t lanes = std::min(extent, most);
    while (lanes > 1 && extent % lanes != 0) --lanes;
    return lanes < 4 ? 0 : lanes;
  }

  Analyzer analyzer_;
  SumsInLanesOptions options_;
};

}  // namespace

absl::StatusOr<IRModule> SumsInLanes(const IRModule& module, const SumsInLanesOptions& options,
                                     PassContext& context) {
  if (options.max_lanes < 4 || options.max_lanes > 1024 || options.max_bytes < 1 ||
      options.max_bytes >= kStackLimit) {
    return absl::InvalidArgumentError(
        fmt::format("sums-in-lanes: expected max-lanes from 4 to 1024 and max-bytes from 1 to {}, "
                    "found {} and {}",
                    kStackLimit - 1, options.max_lanes, options.max_bytes));
  }
  const IRModule lanes =
      ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
        return RewriteFunction<LanesWriter>(module.context(), function, *function.func, options);
      });
  return JoinSums(lanes, context);
}

}  // namespace tenon
