// Loop distribution (LLVM: LoopDistribute), at the last place of a body where it is possible. A
// loop is divided only if its iterations depend on each other, and would be independent without the
// uses.

#include "passes/loops/distribute_loops.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "analysis/loop_independence.h"
#include "ir/replace_var.h"
#include "ir/rewriter.h"
#include "passes/lowering/expand_math.h"

namespace tenon {

namespace {

using Statements = Span<const Stmt*>;

/// The memory that statements read or write.
absl::flat_hash_set<const Var*> MemoryOf(Statements statements) {
  absl::flat_hash_set<const Var*> memory;
  for (const Stmt* stmt : statements) {
    Walk(stmt, [&](const Node* node) {
      if (const auto* load = dyn_cast<BufferLoad>(node)) memory.insert(load->buffer->data);
      if (const auto* store = dyn_cast<BufferStore>(node)) memory.insert(store->buffer->data);
      return !isa<Buffer>(node);
    });
  }
  return memory;
}

bool HasLoop(Statements statements) {
  return std::any_of(statements.begin(), statements.end(),
                     [](const Stmt* stmt) { return isa<For>(stmt); });
}

class LoopDistributor : public Rewriter<LoopDistributor> {
 public:
  LoopDistributor(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func,
                  std::atomic<int64_t>& loops)
      : Rewriter(context, std::move(storage)), pointers_(func), loops_(loops) {}

  const Stmt* RewriteFor(const For* loop) {
    around_.push_back(loop);
    const For* now = RewriteChildren(loop);
    around_.pop_back();
    const auto* seq = dyn_cast<SeqStmt>(now->body);
    if (seq == nullptr || now->for_kind != ForKind::kSerial || now->annotations != nullptr ||
        IterationsAreIndependent(pointers_, around_, now))
      return now;
    for (size_t first = seq->seq.size(); first-- > 1;) {
      const Statements sums = seq->seq.subspan(0, first);
      const Statements uses = seq->seq.subspan(first);
      const bool has_sums = HasLoop(sums) || std::any_of(sums.begin(), sums.end(), CallsArithmetic);
      if (!has_sums || HasLoop(uses) || !MaySplit(now, sums, uses)) continue;
      ++loops_;
      return builder().Seq({LoopOver(now, sums), Second(now, uses)}, now->range);
    }
    return now;
  }

 private:
  /// True if iterations depend on each other only through memory that the sums do not access. The
  /// uses keep their order in this memory.
  bool MaySplit(const For* loop, Statements sums, Statements uses) const {
    const absl::flat_hash_set<const Var*> touched = MemoryOf(sums);
    absl::flat_hash_set<const Var*> apart;
    for (const Var* data : MemoryOf(uses)) {
      const bool is_apart = std::none_of(touched.begin(), touched.end(), [&](const Var* other) {
        return pointers_.MayAlias(data, other);
      });
      if (is_apart) apart.insert(data);
    }
    return !apart.empty() && IterationsAreIndependent(pointers_, around_, loop, apart);
  }

  const For* LoopOver(const For* loop, Statements body) {
    For copy = *loop;
    copy.body = builder().Seq(body, loop->range);
    return arena().New<For>(copy);
  }

  /// The second loop, with a variable of its own.
  const Stmt* Second(const For* loop, Statements body) {
    const Var* old = loop->loop_var;
    const Var* var = builder().NewVar(old->name.view(), old->type, old->range);
    For copy = *LoopOver(loop, body);
    copy.body = VarReplacer(builder().context(), storage(), old, var).RewriteStmt(copy.body);
    copy.loop_var = var;
    return arena().New<For>(copy);
  }

  const FunctionStorage pointers_;
  std::vector<const For*> around_;
  std::atomic<int64_t>& loops_;
};

}  // namespace

absl::StatusOr<IRModule> DistributeLoops(const IRModule& module, const NoOptions&,
                                         PassContext& context) {
  std::atomic<int64_t> loops = 0;
  absl::StatusOr<IRModule> result =
      ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
        return RewriteFunction<LoopDistributor>(module.context(), function, *function.func, loops);
      });
  context.Count("distribute-loops.loops", loops);
  return result;
}

}  // namespace tenon
