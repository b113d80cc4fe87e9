// Made for pooling: neighbouring steps of a strided window read the gaps between each other's
// lanes. Once the steps are unrolled, they load the same rows, and LLVM loads each row once.

#include "passes/loops/unroll_windows.h"

#include <atomic>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "arith/analyzer.h"
#include "ir/analysis/node_queries.h"
#include "ir/analysis/stack_arrays.h"
#include "ir/builtins.h"
#include "ir/replace_var.h"
#include "ir/rewriter.h"
#include "ir/visitor.h"
#include "passes/inlining.h"
#include "passes/loops/innermost_loops.h"
#include "passes/loops/loop_vectorizer.h"
#include "passes/loops/store_nest.h"

namespace tenon {

namespace {

/// The widest windows of most networks have five steps.
constexpr int64_t kMostSteps = 6;
/// Lanes of a row.
constexpr int64_t kMostRowLanes = 256;

/// Puts lanes of rows in the place of the loads of one step.
class RowPicker : public Rewriter<RowPicker> {
 public:
  RowPicker(Context& context, std::shared_ptr<Storage> storage, Analyzer& analyzer,
            const absl::flat_hash_set<const Var*>& local, const For& loop, int64_t step)
      : Rewriter(context, std::move(storage)),
        analyzer_(analyzer),
        local_(local),
        loop_(loop),
        step_(step) {}

  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    const std::optional<int64_t> apart = Apart(load);
    const int64_t first = apart ? step_ / *apart * *apart : 0;
    // The last steps may be too few to read all elements of a row.
    if (!apart || first + *apart > *AsIntImm(loop_.extent)) return RewriteChildren(load);
    ++shared_;
    const auto* ramp = cast<Ramp>(load->indices[0]);
    const int lanes = load->dtype.lanes();
    const auto all = static_cast<int>(*apart) * lanes;
    const Expr* base = VarReplacer(builder().context(), storage(), loop_.loop_var,
                                   builder().Int(loop_.loop_var->dtype, first))
                           .RewriteExpr(ramp->base);
    const Expr* index =
        builder().New<Ramp>({}, analyzer_.Simplify(base), builder().Int(ramp->base->dtype, 1), all);
    const Expr* row = builder().New<BufferLoad>(load->range, load->dtype.with_lanes(all),
                                                load->buffer, builder().List<Expr>({index}));
    std::vector<const Expr*> picks;
    for (int lane = 0; lane < lanes; ++lane)
      picks.push_back(builder().Int(step_ - first + lane * *apart));
    return builder().New<Shuffle>(load->range, load->dtype, builder().List<Expr>({row}),
                                  arena().Copy(Span<const Expr*>(picks)));
  }

  int shared() const { return shared_; }

 private:
  /// The elements from one lane of a load to the next one, if the next step reads the element after
  /// each lane; else nullopt.
  std::optional<int64_t> Apart(const BufferLoad* load) {
    const auto* ramp = load->indices.size() == 1 ? dyn_cast<Ramp>(load->indices[0]) : nullptr;
    // Registers are accessed in parts of one size.
    if (ramp == nullptr || load->predicate != nullptr || !load->buffer->dtype.is_scalar() ||
        load->dtype.is_bool() || local_.contains(load->buffer->data))
      return std::nullopt;
    const int64_t* apart = AsIntImm(ramp->stride);
    if (apart == nullptr || *apart < 2 || *apart > kMostLaneStep ||
        *apart * load->dtype.lanes() > kMostRowLanes ||
        analyzer_.StepOf(ramp->base, loop_.loop_var) != 1)
      return std::nullopt;
    return *apart;
  }

  Analyzer& analyzer_;
  const absl::flat_hash_set<const Var*>& local_;
  const For& loop_;
  int64_t step_;
  int shared_ = 0;
};

class WindowUnroller : public Rewriter<WindowUnroller> {
 public:
  WindowUnroller(Context& context, std::shared_ptr<Storage> storage, std::atomic<int64_t>& loops)
      : Rewriter(context, storage),
        analyzer_(context, storage->arena(), {.assume_index_no_overflow = true}),
        loops_(loops) {}

  const Stmt* RewriteAllocate(const Allocate* allocate) {
    if (IsLocalAllocation(*allocate)) local_.insert(allocate->buffer_var);
    return RewriteChildren(allocate);
  }

  const Stmt* RewriteFor(const For* loop) {
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(loop);
    const For* now = RewriteChildren(loop);
    const bool is_short = IsPlainLoopFromZero(*now) && *AsIntImm(now->extent) <= kMostSteps;
    if (!is_short || HasLoop(now->body) || HasCondition(now->body)) return now;
    const Stmt* steps = Unrolled(*now);
    return steps == nullptr ? now : steps;
  }

 private:
  /// True if a load may not run in some steps, or be outside of its buffer.
  static bool HasCondition(const Stmt* stmt) {
    bool has = false;
    Walk(stmt, [&](const Node* node) {
      const auto* call = dyn_cast<Call>(node);
      has |= isa<IfThenElse>(node) || isa<AssertStmt>(node) || isa<Evaluate>(node) ||
             isa<And>(node) || isa<Or>(node) ||
             (call != nullptr && call->op->kind == OpKind::kIfThenElse);
      return !has && !isa<Buffer>(node);
    });
    return has;
  }

  /// All steps one after the other; null if they share no rows.
  const Stmt* Unrolled(const For& loop) {
    std::vector<const Stmt*> steps;
    for (int64_t step = 0; step < *AsIntImm(loop.extent); ++step) {
      RowPicker picker(builder().context(), storage(), analyzer_, local_, loop, step);
      const Stmt* body = picker.RewriteStmt(loop.body);
      if (step == 0 && picker.shared() == 0) return nullptr;
      body = VarReplacer(builder().context(), storage(), loop.loop_var,
                         builder().Int(loop.loop_var->dtype, step))
                 .RewriteStmt(body);
      steps.push_back(step == 0 ? body : WithNewVars(builder().context(), storage(), body));
    }
    ++loops_;
    return builder().Seq(Span<const Stmt*>(steps), loop.range);
  }

  Analyzer analyzer_;
  absl::flat_hash_set<const Var*> local_;
  std::atomic<int64_t>& loops_;
};

}  // namespace

absl::StatusOr<IRModule> UnrollWindows(const IRModule& module, const NoOptions&,
                                       PassContext& context) {
  std::atomic<int64_t> loops = 0;
  absl::StatusOr<IRModule> result =
      ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
        return RewriteFunction<WindowUnroller>(module.context(), function, loops);
      });
  context.Count("unroll-windows.loops", loops);
  return result;
}

}  // namespace tenon
