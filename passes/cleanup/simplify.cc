// One walk from the outside in: scopes of the analyzer hold the facts about loops, lets and
// conditions. These facts must not reach the shape of a buffer, which all its uses share. (TVM:
// tir.Simplify.)

#include "passes/cleanup/simplify.h"

#include <vector>

#include "arith/analyzer.h"
#include "ir/rewriter.h"
#include "ir/scope_rows.h"

namespace tenon {

namespace {

/// True if the value depends on memory or on calls with effects: it may change between evaluations.
bool DependsOnMemory(const Expr* expr) {
  bool depends = false;
  Walk(expr, [&](const Node* node) {
    depends |= isa<BufferLoad>(node) || isa<ProducerLoad>(node);
    if (const auto* call = dyn_cast<Call>(node)) depends |= call->op->effect != OpEffect::kPure;
    return !depends;
  });
  return depends;
}

class Simplifying : public Rewriter<Simplifying> {
 public:
  Simplifying(Context& context, std::shared_ptr<Storage> storage)
      : Rewriter(context, storage), analyzer_(context, storage->arena()) {}

  /// Whole expressions are simplified at once; inside, only variables and buffers are replaced.
  const Expr* RewriteExpr(const Expr* expr) {
    if (expr == nullptr || inside_) return Rewriter::RewriteExpr(expr);
    inside_ = true;
    const Expr* now = Rewriter::RewriteExpr(expr);
    inside_ = false;
    return analyzer_.Simplify(now);
  }

  /// All uses share a buffer, so its shape must not depend on facts that hold at only one of them.
  const Buffer* RewriteBuffer(const Buffer* buffer) {
    const bool before = std::exchange(inside_, true);
    const Buffer* now = Rewriter::RewriteBuffer(buffer);
    inside_ = before;
    return now;
  }

  const Expr* RewriteVar(const Var* var) {
    const auto found = values_.find(var);
    return found == values_.end() ? static_cast<const Expr*>(MapVar(var)) : found->second;
  }

  const Stmt* RewriteFor(const For* loop) {
    const Expr* min = RewriteExpr(loop->min);
    const Expr* extent = RewriteExpr(loop->extent);
    const Analyzer::Scope scope(analyzer_);
    if (loop->for_kind != ForKind::kThreadBinding && loop->annotations == nullptr) {
      if (analyzer_.Bounds(extent).max <= 0) return nullptr;
      if (analyzer_.ConstValue(extent) == 1 && (isa<IntImm>(min) || isa<Var>(min)) &&
          min->dtype == loop->loop_var->dtype) {
        values_.emplace(loop->loop_var, min);
        return RewriteStmt(loop->body);
      }
    }
    if (loop->loop_var->dtype.is_integer()) analyzer_.BindRange(loop->loop_var, min, extent);
    // In the body the loop is known to run; min and extent must not use that fact.
    const Stmt* body = RewriteStmt(loop->body);
    if (body == nullptr) body = builder().NoOp();
    if (min == loop->min && extent == loop->extent && body == loop->body) return loop;
    return builder().New<For>(loop->range, loop->loop_var, min, extent, loop->for_kind, body,
                              loop->thread_binding, loop->annotations);
  }

  const Stmt* RewriteIfThenElse(const IfThenElse* node) {
    const Expr* condition = RewriteExpr(node->condition);
    if (const int64_t* truth = AsIntImm(condition)) {
      return RewriteStmt(*truth != 0 ? node->then_case : node->else_case);
    }
    const Stmt* then_case = nullptr;
    const Stmt* else_case = nullptr;
    {
      const Analyzer::Scope scope(analyzer_);
      Assume(condition);
      then_case = RewriteStmt(node->then_case);
      if (then_case == nullptr) then_case = builder().NoOp();
    }
    {
      const Analyzer::Scope scope(analyzer_);
      Assume(builder().New<Not>({}, condition));
      else_case = RewriteStmt(node->else_case);
    }
    if (condition == node->condition && then_case == node->then_case &&
        else_case == node->else_case) {
      return node;
    }
    return builder().New<IfThenElse>(node->range, condition, then_case, else_case);
  }

  const Stmt* RewriteLetStmt(const LetStmt* node) {
    const Expr* value = RewriteExpr(node->value);
    const Analyzer::Scope scope(analyzer_);
    if (value->dtype.is_integer()) analyzer_.Bind(node->var, analyzer_.Bounds(value));
    if (value->dtype.is_integer() && !value->dtype.is_bool() && !DependsOnMemory(value)) {
      analyzer_.Assume(builder().New<EQ>({}, node->var, value));
    }
    return RewriteChildren(node);
  }

  const Stmt* RewriteAssertStmt(const AssertStmt* node) {
    const Expr* condition = RewriteExpr(node->condition);
    if (IsConstInt(condition, 1)) return RewriteStmt(node->body);
    const Stmt* body = nullptr;
    {
      const Analyzer::Scope scope(analyzer_);
      Assume(condition);
      body = RewriteStmt(node->body);
      if (body == nullptr) body = builder().NoOp();
    }
    if (condition == node->condition && body == node->body) return node;
    return builder().New<AssertStmt>(node->range, condition, node->message, body);
  }

  const Stmt* RewriteSeqStmt(const SeqStmt* seq) {
    const auto inside = [&](const Stmt* stmt) {
      return Holds(stmt) ? cast<AssertStmt>(stmt)->body : nullptr;
    };
    if (inside(seq->seq.back()) == nullptr) return RewriteDefault(seq);
    std::vector<const Stmt*> list;
    ForEachInRow(seq, inside, [&](const Stmt* stmt) {
      if (const Stmt* now = RewriteStmt(stmt)) list.push_back(now);
    });
    return list.empty() ? nullptr : builder().Seq(list, seq->range);
  }

  const Stmt* RewriteWhile(const While* node) {
    if (IsConstInt(RewriteExpr(node->condition), 0)) return nullptr;
    return RewriteChildren(node);
  }

  const Stmt* RewriteBlock(const Block* node) {
    const Analyzer::Scope scope(analyzer_);
    for (const IterVar* iter : node->iter_vars) {
      if (iter->dom != nullptr && iter->var->dtype.is_integer()) {
        // Bind only the interval: the fact that the block runs would also affect the extents, which
        // are rewritten in this scope.
        const Interval values = analyzer_.Bounds(iter->dom->min) +
                                analyzer_.Bounds(iter->dom->extent) -
                                Interval{1, Interval::kPlusInf};
        const Interval first = analyzer_.Bounds(iter->dom->min);
        if (FitsDType({first.min, values.max}, iter->var->dtype)) {
          analyzer_.Bind(iter->var, {first.min, values.max});
        }
      }
    }
    return RewriteChildren(node);
  }

 private:
  /// True for an assertion that always holds here.
  bool Holds(const Stmt* stmt) {
    const auto* assertion = dyn_cast<AssertStmt>(stmt);
    return assertion != nullptr && IsConstInt(RewriteExpr(assertion->condition), 1);
  }

  void Assume(const Expr* condition) {
    if (!DependsOnMemory(condition)) analyzer_.Assume(condition);
  }

  Analyzer analyzer_;
  absl::flat_hash_map<const Var*, const Expr*> values_;
  bool inside_ = false;
};

}  // namespace

absl::StatusOr<IRModule> Simplify(const IRModule& module, const NoOptions&, PassContext& context) {
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<Simplifying>(module.context(), function);
  });
}

}  // namespace tenon
