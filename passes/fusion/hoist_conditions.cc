#include "passes/fusion/hoist_conditions.h"

#include "ir/op.h"
#include "ir/rewriter.h"

namespace tenon {

namespace {

bool ReadsMemory(const Expr* expr) {
  bool reads = false;
  Walk(expr, [&](const Node* node) {
    reads |= isa<BufferLoad>(node);
    return !reads;
  });
  return reads;
}

bool Mentions(const Expr* expr, const Var* var) {
  bool found = false;
  Walk(expr, [&](const Node* node) {
    found |= node == var;
    return !found;
  });
  return found;
}

/// The first choice that the value makes whatever else holds, by a condition that reads no memory;
/// null without one.
const Call* FirstChoice(const Expr* value) {
  const Call* first = nullptr;
  Walk(value, [&](const Node* node) {
    if (first != nullptr || isa<BufferLoad>(node)) return false;
    const auto* call = dyn_cast<Call>(node);
    if (call == nullptr || call->op->kind != OpKind::kIfThenElse) return true;
    if (call->dtype.is_scalar() && !ReadsMemory(call->args[0])) first = call;
    return false;
  });
  return first;
}

/// Takes one branch of all choices by a condition.
class Chooser : public Rewriter<Chooser> {
 public:
  Chooser(const FusionTools& tools, const Expr* condition, bool holds)
      : Rewriter(tools.builder.context(), tools.storage), condition_(condition), holds_(holds) {}

  const Expr* RewriteCall(const Call* call) {
    if (call->op->kind != OpKind::kIfThenElse || call->args[0] != condition_)
      return RewriteChildren(call);
    return RewriteExpr(call->args[holds_ ? 1 : 2]);
  }

 private:
  const Expr* condition_;
  bool holds_;
};

class Hoister : public Rewriter<Hoister> {
 public:
  explicit Hoister(const FusionTools& tools)
      : Rewriter(tools.builder.context(), tools.storage), tools_(tools) {}

  const Stmt* RewriteBufferStore(const BufferStore* store) {
    const Call* choice = store->predicate == nullptr ? FirstChoice(store->value) : nullptr;
    if (choice == nullptr) return store;
    const Expr* condition = choice->args[0];
    const Stmt* then_case = Branch(store, condition, true);
    const Stmt* else_case = Branch(store, condition, false);
    if (then_case == nullptr && else_case == nullptr) return nullptr;
    if (then_case == nullptr) {
      condition = builder().New<Not>(condition->range, condition);
      std::swap(then_case, else_case);
    }
    return builder().New<IfThenElse>(store->range, condition, then_case, else_case);
  }

  const Stmt* RewriteFor(const For* loop) {
    const Analyzer::Scope scope(tools_.analyzer);
    if (loop->loop_var->dtype.is_integer())
      tools_.analyzer.BindRange(loop->loop_var, loop->min, loop->extent);
    const Stmt* body = RewriteStmt(loop->body);
    if (body == loop->body) return loop;
    if (body == nullptr) return nullptr;
    const auto* choice = dyn_cast<IfThenElse>(body);
    const bool stays = choice == nullptr || Mentions(choice->condition, loop->loop_var) ||
                       ReadsMemory(choice->condition) || NestOf(loop).loops.empty();
    if (stays) return WithBody(loop, body);
    const Stmt* other = choice->else_case == nullptr ? nullptr : Again(loop, choice->else_case);
    return builder().New<IfThenElse>(loop->range, choice->condition,
                                     WithBody(loop, choice->then_case), other);
  }

 private:
  const Stmt* Branch(const BufferStore* store, const Expr* condition, bool holds) {
    const Analyzer::Scope scope(tools_.analyzer);
    BufferStore copy = *store;
    copy.value = Chooser(tools_, condition, holds).RewriteExpr(store->value);
    const Expr* simple = tools_.analyzer.Simplify(copy.value);
    const auto* load = dyn_cast<BufferLoad>(simple);
    const bool same = load != nullptr && load->buffer == store->buffer &&
                      load->predicate == nullptr && load->indices.size() == 1 &&
                      store->indices.size() == 1 && load->indices[0]->dtype.is_scalar() &&
                      tools_.analyzer.CanProveEqual(load->indices[0], store->indices[0]);
    if (same) return nullptr;
    return RewriteBufferStore(arena().New<BufferStore>(copy));
  }

  const Stmt* WithBody(const For* loop, const Stmt* body) {
    For copy = *loop;
    copy.body = body;
    return arena().New<For>(copy);
  }

  /// The loop once more, which needs a variable of its own.
  const Stmt* Again(const For* loop, const Stmt* body) {
    For copy = *loop;
    copy.loop_var = builder().NewVar(loop->loop_var->name.view(), loop->loop_var->type);
    copy.body = ReplaceVars(tools_, body, {{loop->loop_var, copy.loop_var}});
    return arena().New<For>(copy);
  }

  FusionTools tools_;
};

}  // namespace

const Stmt* HoistConditions(const FusionTools& tools, const Stmt* stmt) {
  const Stmt* now = Hoister(tools).RewriteStmt(stmt);
  return now == nullptr ? tools.builder.NoOp(stmt->range) : now;
}

}  // namespace tenon
