#include "passes/fusion/hoist_conditions.h"

#include "ir/op.h"
#include "ir/rewriter.h"

namespace tenon {

namespace {

/// Loops of more iterations are not looked through one by one.
constexpr int64_t kMostSplitIterations = 4096;

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
    if (choice == nullptr || HasLet(store->value) || HasLet(store->indices[0])) return store;
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
    if (choice == nullptr || ReadsMemory(choice->condition) || NestOf(loop).loops.empty())
      return WithBody(loop, body);
    if (Mentions(choice->condition, loop->loop_var)) {
      const Stmt* parts = Split(loop, choice);
      return parts != nullptr ? parts : WithBody(loop, body);
    }
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

  /// The loop as one loop for each branch, when its variable alone decides which one runs, and the
  /// iterations of a branch follow each other; null otherwise.
  const Stmt* Split(const For* loop, const IfThenElse* choice) {
    struct Part {
      int64_t first = 0;
      int64_t end = 0;
      const Stmt* body = nullptr;
    };
    std::vector<Part> parts;
    const int64_t end = MinOf(loop) + ExtentOf(loop);
    if (ExtentOf(loop) > kMostSplitIterations) return nullptr;
    for (int64_t i = MinOf(loop); i < end; ++i) {
      const Expr* value = builder().Int(loop->loop_var->dtype, i);
      const Expr* condition = ReplaceVars(tools_, choice->condition, {{loop->loop_var, value}});
      const auto holds = tools_.analyzer.ConstValue(condition);
      if (!holds) return nullptr;
      const Stmt* body = *holds != 0 ? choice->then_case : choice->else_case;
      if (parts.empty() || parts.back().body != body) parts.push_back({i, i, body});
      ++parts.back().end;
    }
    std::erase_if(parts, [](const Part& part) { return part.body == nullptr; });
    if (parts.size() > 2 || (parts.size() == 2 && parts[0].body == parts[1].body)) return nullptr;
    std::vector<const Stmt*> loops;
    for (const Part& part : parts) {
      For copy = *loop;
      copy.min = builder().Int(loop->loop_var->dtype, part.first);
      copy.extent = builder().Int(loop->extent->dtype, part.end - part.first);
      const For* piece = arena().New<For>(copy);
      loops.push_back(loops.empty() ? WithBody(piece, part.body) : Again(piece, part.body));
    }
    return builder().Seq(loops, loop->range);
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
