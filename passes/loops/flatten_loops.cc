// Works from the inside out, so that a flattened loop may be flattened again. One long loop fills
// vectors better, and leaves one remainder instead of one for each row.

#include "passes/loops/flatten_loops.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "arith/analyzer.h"
#include "ir/analysis/node_queries.h"
#include "ir/replace_var.h"
#include "ir/rewriter.h"
#include "ir/visitor.h"
#include "passes/loops/innermost_loops.h"
#include "passes/loops/store_nest.h"
#include "support/checked.h"

namespace tenon {

namespace {

class LoopFlattener : public Rewriter<LoopFlattener> {
 public:
  LoopFlattener(Context& context, std::shared_ptr<Storage> storage, std::atomic<int64_t>& loops)
      : Rewriter(context, storage),
        analyzer_(context, storage->arena(), {.assume_index_no_overflow = true}),
        loops_(loops) {}

  const Stmt* RewriteFor(const For* loop) {
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(loop);
    const For* outer = RewriteChildren(loop);
    const auto* inner = dyn_cast<For>(outer->body);
    if (inner == nullptr || !IsPlainLoopFromZero(*outer) || !IsPlainLoopFromZero(*inner) ||
        outer->loop_var->dtype != inner->loop_var->dtype)
      return outer;
    const std::optional<int64_t> extent =
        CheckedMul(*AsIntImm(outer->extent), *AsIntImm(inner->extent));
    if (!extent || *extent > INT32_MAX) return outer;
    analyzer_.BindLoop(inner);
    has_row_ = false;
    return AreTogether(inner->body, outer, inner) && has_row_ ? Flattened(outer, inner, *extent)
                                                              : outer;
  }

 private:
  /// True for loops of a sum that should become one loop, because vectors of integers can then run
  /// along it (vectorize-sums), or long sums of floats can run together (jam-loops).
  static bool FlattensSums(const For& outer, const For& inner) {
    const auto* store = dyn_cast<BufferStore>(inner.body);
    if (store == nullptr || !store->value->dtype.is_scalar()) return false;
    return store->value->dtype.is_integer() ||
           *AsIntImm(outer.extent) >= kManySteps / *AsIntImm(inner.extent);
  }

  /// True if `root` uses both variables only in indices that combine them like a single loop.
  bool AreTogether(const Node* root, const For* outer, const For* inner) {
    bool are = true;
    const bool flattens_sums = FlattensSums(*outer, *inner);
    Walk(root, [&](const Node* node) {
      if (node == outer->loop_var || node == inner->loop_var) are = false;
      if (const auto* load = dyn_cast<BufferLoad>(node)) {
        are &= load->predicate == nullptr && HasConstantLayout(*load->buffer) &&
               AreTogether(load->indices, outer, inner);
        has_row_ |=
            are && flattens_sums && load->indices.size() == 1 && Step(load->indices[0], inner) == 1;
        return false;
      }
      if (const auto* store = dyn_cast<BufferStore>(node)) {
        are &= store->predicate == nullptr && HasConstantLayout(*store->buffer) &&
               AreTogether(store->indices, outer, inner) && AreTogether(store->value, outer, inner);
        has_row_ |= are && store->indices.size() == 1 && Step(store->indices[0], inner) == 1;
        return false;
      }
      return are && !isa<Buffer>(node);
    });
    return are;
  }

  bool AreTogether(Span<const Expr*> indices, const For* outer, const For* inner) {
    return std::all_of(indices.begin(), indices.end(), [&](const Expr* index) {
      const std::optional<int64_t> near = Step(index, inner);
      const std::optional<int64_t> far = Step(index, outer);
      return near && far && *far == *near * *AsIntImm(inner->extent);
    });
  }

  /// The step of a loop in an index; nullopt if it is not constant, or if the index is loaded.
  std::optional<int64_t> Step(const Expr* index, const For* loop) {
    bool is_loaded = false;
    Walk(index, [&](const Node* node) { return !(is_loaded |= isa<BufferLoad>(node)); });
    if (is_loaded || !index->dtype.is_scalar()) return std::nullopt;
    return analyzer_.StepOf(index, loop->loop_var);
  }

  const Stmt* Flattened(const For* outer, const For* inner, int64_t extent) {
    ++loops_;
    For flat = *inner;
    flat.extent = builder().Int(inner->loop_var->dtype, extent);
    flat.body = VarReplacer(builder().context(), storage(), outer->loop_var,
                            builder().Int(outer->loop_var->dtype, 0))
                    .RewriteStmt(inner->body);
    return arena().New<For>(flat);
  }

  Analyzer analyzer_;
  /// True if neighbouring iterations of the inner loop access neighbours.
  bool has_row_ = false;
  std::atomic<int64_t>& loops_;
};

}  // namespace

absl::StatusOr<IRModule> FlattenLoops(const IRModule& module, const NoOptions&,
                                      PassContext& context) {
  std::atomic<int64_t> loops = 0;
  absl::StatusOr<IRModule> result =
      ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
        return RewriteFunction<LoopFlattener>(module.context(), function, loops);
      });
  context.Count("flatten-loops.loops", loops);
  return result;
}

}  // namespace tenon
