// Loop unswitching and index set splitting, as needed for pads: conditions move around loops that
// do not change them, and short loops lose their borders. In sums that are never -0, a branch that
// adds zero disappears.

#include "passes/fusion/hoist_conditions.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "ir/analysis/node_queries.h"
#include "ir/builtins.h"
#include "ir/rewriter.h"
#include "ir/structural.h"
#include "passes/inlining.h"
#include "support/stack.h"

namespace tenon {

namespace {

/// In loops of more iterations, the decisions are not evaluated one by one.
constexpr int64_t kMostSplitIterations = 4096;
/// Borders are cut off short loops only, and few of them: all parts have a copy of the body.
constexpr int64_t kMostBorderIterations = 8;
constexpr size_t kMostParts = 4;
constexpr size_t kMostNodesOfParts = 20000;

/// The first choice that every evaluation of the value makes, if its condition reads no memory;
/// null if there is none.
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

/// Splits a choice whose condition depends on several loops into nested choices, the one of the
/// outermost loop first.
class ChoiceNester : public Rewriter<ChoiceNester> {
 public:
  ChoiceNester(const FusionTools& tools, const std::vector<const Var*>& loops)
      : Rewriter(tools.builder.context(), tools.storage), loops_(loops) {}

  const Expr* RewriteCall(const Call* call) {
    const bool is_choice = call->op->kind == OpKind::kIfThenElse &&
                           call->args[0]->dtype == DataType::Bool() && !ReadsMemory(call->args[0]);
    if (!is_choice) return RewriteChildren(call);
    const Divided divided = Divide(call->args[0]);
    if (divided.rest == nullptr) return RewriteChildren(call);
    const Expr* yes = builder().NewCall(call->dtype, OpKind::kIfThenElse,
                                        {divided.rest, call->args[1], call->args[2]}, call->range);
    return RewriteChildren(builder().NewCall(call->dtype, OpKind::kIfThenElse,
                                             {divided.first, yes, call->args[2]}, call->range));
  }

 private:
  struct Divided {
    const Expr* first = nullptr;
    const Expr* rest = nullptr;
  };

  static std::vector<const Expr*> TermsOf(const Expr* condition) {
    std::vector<const Expr*> terms;
    std::vector<const Expr*> rest = {condition};
    while (!rest.empty()) {
      const Expr* term = rest.back();
      rest.pop_back();
      if (const auto* both = dyn_cast<And>(term)) {
        rest.push_back(both->b);
        rest.push_back(both->a);
      } else {
        terms.push_back(term);
      }
    }
    return terms;
  }

  /// The number of the innermost loop that the condition changes with, from 1 on.
  size_t DepthOf(const Expr* condition) const {
    size_t depth = 0;
    for (const Var* var : VarsOf(condition)) {
      const auto found = std::find(loops_.begin(), loops_.end(), var);
      if (found != loops_.end())
        depth = std::max(depth, static_cast<size_t>(found - loops_.begin()) + 1);
    }
    return depth;
  }

  /// The terms of the outermost loop, and the others; the same nodes for the same condition.
  Divided Divide(const Expr* condition) {
    const auto [found, is_new] = divided_.try_emplace(condition);
    if (!is_new) return found->second;
    const std::vector<const Expr*> terms = TermsOf(condition);
    size_t least = loops_.size() + 1;
    for (const Expr* term : terms) least = std::min(least, DepthOf(term));
    Divided divided;
    for (const Expr* term : terms) {
      const Expr*& part = DepthOf(term) == least ? divided.first : divided.rest;
      part = part == nullptr ? term : builder().New<And>(condition->range, part, term);
    }
    divided_[condition] = divided;
    return divided;
  }

  const std::vector<const Var*>& loops_;
  absl::flat_hash_map<const Expr*, Divided> divided_;
};

/// Takes one branch of all choices by a condition.
class ArmChooser : public Rewriter<ArmChooser> {
 public:
  ArmChooser(const FusionTools& tools, const Expr* condition, bool holds)
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

/// Takes one branch of statements.
class Decider : public Rewriter<Decider> {
 public:
  using Decisions = absl::flat_hash_map<const IfThenElse*, bool>;

  Decider(const FusionTools& tools, const Decisions& decisions)
      : Rewriter(tools.builder.context(), tools.storage), decisions_(decisions) {}

  const Stmt* RewriteIfThenElse(const IfThenElse* choice) {
    const auto found = decisions_.find(choice);
    if (found == decisions_.end()) return RewriteChildren(choice);
    const Stmt* taken = found->second ? choice->then_case : choice->else_case;
    return taken == nullptr ? nullptr : RewriteStmt(taken);
  }

 private:
  const Decisions& decisions_;
};

using Pointers = absl::flat_hash_set<const Var*>;

/// Allocations of floats in `stmt` whose elements are never -0: each store gives a number, or adds
/// to an element. A sum is -0 only if both sides are.
Pointers NeverMinusZero(const Stmt* stmt) {
  Pointers pointers;
  // Any other use of the pointer than the allocation's may write through it.
  absl::flat_hash_map<const Var*, int> mentions;
  Walk(stmt, [&](const Node* node) {
    if (const auto* allocate = dyn_cast<Allocate>(node)) pointers.insert(allocate->buffer_var);
    if (const auto* var = dyn_cast<Var>(node); var != nullptr && var->dtype.is_handle())
      ++mentions[var];
    return !isa<Buffer>(node);
  });
  for (const auto& [var, count] : mentions)
    if (count > 1) pointers.erase(var);
  const auto loads = [](const Expr* expr, const Var* data) {
    const auto* load = dyn_cast<BufferLoad>(expr);
    return load != nullptr && load->buffer->data == data && load->dtype == load->buffer->dtype;
  };
  Walk(stmt, [&](const Node* node) {
    const auto* store = dyn_cast<BufferStore>(node);
    if (store == nullptr) return true;
    const Var* data = store->buffer->data;
    const auto* number = dyn_cast<FloatImm>(store->value);
    const auto* sum = dyn_cast<Add>(store->value);
    const bool is_kept = number != nullptr
                             ? !(number->value == 0 && std::signbit(number->value))
                             : sum != nullptr && (loads(sum->a, data) || loads(sum->b, data));
    if (!is_kept || store->value->dtype != store->buffer->dtype) pointers.erase(data);
    return true;
  });
  return pointers;
}

/// Copies statements, with new variables for those that they define.
class Copier : public Rewriter<Copier> {
 public:
  using Rewriter::Rewriter;

  const Stmt* Copy(const Stmt* stmt) {
    AddNewVars(stmt, arena(), var_map);
    return RewriteStmt(stmt);
  }
};

class Hoister : public Rewriter<Hoister> {
 public:
  /// `is_unrolled`: iterations are statements side by side, which have their conditions together.
  Hoister(const FusionTools& tools, const Stmt* stmt, const Pointers& finite, bool is_unrolled)
      : Rewriter(tools.builder.context(), tools.storage),
        tools_(tools),
        finite_(finite),
        never_minus_zero_(NeverMinusZero(stmt)),
        is_unrolled_(is_unrolled) {}

  const Stmt* RewriteBufferStore(const BufferStore* store) {
    if (store->predicate != nullptr || FirstChoice(store->value) == nullptr ||
        HasLet(store->value) || HasLet(store->indices[0]))
      return store;
    if (is_unrolled_) {
      BufferStore copy = *store;
      copy.value = ChoiceNester(tools_, loops_).RewriteExpr(store->value);
      store = arena().New<BufferStore>(copy);
    }
    const Call* choice = FirstChoice(store->value);
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

  const Stmt* RewriteSeqStmt(const SeqStmt* seq) {
    const Stmt* now = Rewriter::RewriteDefault(seq);
    const auto* list = now == seq || !is_unrolled_ ? nullptr : dyn_cast_or_null<SeqStmt>(now);
    return list == nullptr ? now : Together({list->seq.begin(), list->seq.end()}, seq->range);
  }

  const Stmt* RewriteFor(const For* loop) {
    const Analyzer::Scope scope(tools_.analyzer);
    tools_.analyzer.BindLoop(loop);
    loops_.push_back(loop->loop_var);
    const Stmt* body = RewriteStmt(loop->body);
    loops_.pop_back();
    if (body == nullptr) return nullptr;
    if (body == loop->body && !has_cut_borders_) return loop;
    return Around(loop, body);
  }

 private:
  /// The loop around `body`. A condition of `body` moves around the loop if the loop does not
  /// change it.
  const Stmt* Around(const For* loop, const Stmt* body) {
    if (NestOf(loop).loops.empty()) return WithBody(loop, body);
    const auto* choice = dyn_cast<IfThenElse>(body);
    if (choice == nullptr || ReadsMemory(choice->condition)) return Cut(WithBody(loop, body));
    if (Mentions(choice->condition, loop->loop_var)) {
      const Stmt* parts = Split(loop, choice);
      return parts != nullptr ? parts : Cut(WithBody(loop, body));
    }
    const For* other = choice->else_case == nullptr ? nullptr : Again(loop, choice->else_case);
    // Choices were nested, so the next one may also move.
    const auto next = [&](const For* of) -> const Stmt* {
      if (of == nullptr || !is_unrolled_) return of;
      const Analyzer::Scope scope(tools_.analyzer);
      tools_.analyzer.BindLoop(of);
      return Around(of, of->body);
    };
    return builder().New<IfThenElse>(loop->range, choice->condition,
                                     next(WithBody(loop, choice->then_case)), next(other));
  }

  const Stmt* Branch(const BufferStore* store, const Expr* condition, bool holds) {
    const Analyzer::Scope scope(tools_.analyzer);
    BufferStore copy = *store;
    copy.value = ArmChooser(tools_, condition, holds).RewriteExpr(store->value);
    const Expr* simple = tools_.analyzer.Simplify(copy.value);
    if (IsStored(simple, store) || AddsZero(simple, store)) return nullptr;
    return RewriteBufferStore(arena().New<BufferStore>(copy));
  }

  /// True if the value is the one that the store's element has already.
  bool IsStored(const Expr* value, const BufferStore* store) {
    const auto* load = dyn_cast<BufferLoad>(value);
    return load != nullptr && load->buffer == store->buffer && load->predicate == nullptr &&
           load->indices.size() == 1 && store->indices.size() == 1 &&
           load->indices[0]->dtype.is_scalar() &&
           tools_.analyzer.CanProveEqual(load->indices[0], store->indices[0]);
  }

  /// True if the value is the element plus a zero. The element then stays the same, since it is not
  /// -0.
  bool AddsZero(const Expr* value, const BufferStore* store) {
    const auto* sum = dyn_cast<Add>(value);
    return sum != nullptr && never_minus_zero_.contains(store->buffer->data) &&
           ((IsStored(sum->a, store) && IsZero(sum->b)) ||
            (IsStored(sum->b, store) && IsZero(sum->a)));
  }
  bool IsZero(const Expr* value) const {
    if (const auto* number = dyn_cast<FloatImm>(value)) return number->value == 0;
    const auto* product = dyn_cast<Mul>(value);
    return product != nullptr &&
           ((IsFinite(product->b) && WithStack([&] { return IsZero(product->a); })) ||
            (IsZero(product->b) && IsFinite(product->a)));
  }
  bool IsFinite(const Expr* value) const {
    if (const auto* number = dyn_cast<FloatImm>(value)) return std::isfinite(number->value);
    const auto* load = dyn_cast<BufferLoad>(value);
    return load != nullptr && finite_.contains(load->buffer->data) &&
           load->dtype == load->buffer->dtype;
  }

  const For* WithBody(const For* loop, const Stmt* body) {
    For copy = *loop;
    copy.body = body;
    return arena().New<For>(copy);
  }

  /// The statements in order; neighbours with the same condition become one.
  const Stmt* Together(std::vector<const Stmt*> list, SourceRange range) {
    std::vector<const Stmt*> out;
    for (size_t i = 0; i < list.size();) {
      const auto* choice = dyn_cast<IfThenElse>(list[i]);
      std::vector<const Stmt*> yes;
      std::vector<const Stmt*> no;
      size_t end = i;
      if (choice != nullptr && !ReadsMemory(choice->condition)) {
        for (; end < list.size(); ++end) {
          const auto* other = dyn_cast<IfThenElse>(list[end]);
          if (other == nullptr || !HaveSameValue(choice->condition, other->condition)) break;
          yes.push_back(other->then_case);
          if (other->else_case != nullptr) no.push_back(other->else_case);
        }
      }
      if (yes.size() < 2) {
        out.push_back(list[i++]);
        continue;
      }
      const Stmt* otherwise = no.empty() ? nullptr : TogetherIn(no, range);
      out.push_back(builder().New<IfThenElse>(choice->range, choice->condition,
                                              TogetherIn(yes, range), otherwise));
      i = end;
    }
    return builder().Seq(Span<const Stmt*>(out.data(), out.size()), range);
  }
  const Stmt* TogetherIn(const std::vector<const Stmt*>& list, SourceRange range) {
    const Stmt* all = builder().Seq(Span<const Stmt*>(list.data(), list.size()), range);
    const auto* seq = dyn_cast<SeqStmt>(all);
    return seq == nullptr ? all : Together({seq->seq.begin(), seq->seq.end()}, range);
  }

  /// The conditions in `body` that change with the loop, and with no loop around it.
  std::vector<const IfThenElse*> BorderChoices(const For* loop, const Stmt* body) const {
    std::vector<const IfThenElse*> choices;
    Walk(body, [&](const Node* node) {
      const auto* choice = dyn_cast<IfThenElse>(node);
      if (choice != nullptr && !ReadsMemory(choice->condition)) {
        const std::vector<const Var*> vars = VarsOf(choice->condition);
        const bool is_outer = std::any_of(vars.begin(), vars.end(), [&](const Var* var) {
          return std::find(loops_.begin(), loops_.end(), var) != loops_.end();
        });
        if (!is_outer && std::find(vars.begin(), vars.end(), loop->loop_var) != vars.end())
          choices.push_back(choice);
      }
      return Stmt::ClassOf(node);
    });
    return choices;
  }

  /// The decisions of each iteration: 1, 0, or -1 if a decision is not known.
  std::vector<std::vector<int>> DecisionsOf(const For* loop,
                                            const std::vector<const IfThenElse*>& choices) {
    const Analyzer::Scope scope(tools_.analyzer);
    Walk(loop->body, [&](const Node* node) {
      const auto* inner = dyn_cast<For>(node);
      if (inner != nullptr) tools_.analyzer.BindLoop(inner);
      return Stmt::ClassOf(node);
    });
    std::vector<std::vector<int>> decisions;
    for (int64_t i = MinOf(loop); i < MinOf(loop) + ExtentOf(loop); ++i) {
      const Expr* value = builder().Int(loop->loop_var->dtype, i);
      std::vector<int>& all = decisions.emplace_back();
      for (const IfThenElse* choice : choices) {
        const Expr* condition = ReplaceVars(tools_, choice->condition, {{loop->loop_var, value}});
        const auto holds = tools_.analyzer.ConstValue(condition);
        all.push_back(!holds ? -1 : *holds != 0 ? 1 : 0);
      }
    }
    return decisions;
  }

  /// A short loop without its first and last iterations, which have their own copies of the body,
  /// when conditions hold for one part and not for the other.
  const Stmt* Cut(const For* loop) {
    // The outermost loop is long, and asks once for many iterations of what is within.
    if (!is_unrolled_ || loops_.empty() || ExtentOf(loop) > kMostBorderIterations) return loop;
    const std::vector<const IfThenElse*> choices = BorderChoices(loop, loop->body);
    if (choices.empty()) return loop;
    const auto decisions = DecisionsOf(loop, choices);
    std::vector<size_t> starts;
    for (size_t i = 0; i < decisions.size(); ++i)
      if (i == 0 || decisions[i] != decisions[i - 1]) starts.push_back(i);
    if (starts.size() < 2 || starts.size() > kMostParts ||
        starts.size() * NodeCount(loop->body) > kMostNodesOfParts)
      return loop;
    std::vector<const Stmt*> parts;
    for (size_t k = 0; k < starts.size(); ++k) {
      const size_t end = k + 1 < starts.size() ? starts[k + 1] : decisions.size();
      Decider::Decisions decided;
      for (size_t c = 0; c < choices.size(); ++c)
        if (decisions[starts[k]][c] >= 0) decided[choices[c]] = decisions[starts[k]][c] == 1;
      const Stmt* body = Decider(tools_, decided).RewriteStmt(loop->body);
      if (body == nullptr) continue;
      if (!parts.empty()) body = Copier(builder().context(), storage()).Copy(body);
      parts.push_back(Part(loop, static_cast<int64_t>(starts[k]), static_cast<int64_t>(end), body));
    }
    return builder().Seq(Span<const Stmt*>(parts.data(), parts.size()), loop->range);
  }

  /// Iterations `first` to `end` of the loop with a body of their own, in which the conditions of
  /// the loops within may now be known.
  const Stmt* Part(const For* loop, int64_t first, int64_t end, const Stmt* body) {
    const int64_t min = MinOf(loop) + first;
    const Expr* start = builder().Int(loop->loop_var->dtype, min);
    if (end - first == 1) {
      body = ReplaceVars(tools_, body, {{loop->loop_var, start}});
      return CutWithin(body);
    }
    For copy = *loop;
    copy.min = start;
    copy.extent = builder().Int(loop->extent->dtype, end - first);
    const For* cut = arena().New<For>(copy);
    const For* piece = first == 0 ? WithBody(cut, body) : Again(cut, body);
    const Analyzer::Scope scope(tools_.analyzer);
    tools_.analyzer.BindLoop(piece);
    loops_.push_back(piece->loop_var);
    const Stmt* now = CutWithin(piece->body);
    loops_.pop_back();
    return WithBody(piece, now);
  }
  const Stmt* CutWithin(const Stmt* body) {
    const bool before = std::exchange(has_cut_borders_, true);
    const Stmt* now = RewriteStmt(body);
    has_cut_borders_ = before;
    return now == nullptr ? builder().NoOp() : now;
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

  /// A copy of the loop, which needs its own variable.
  const For* Again(const For* loop, const Stmt* body) {
    For copy = *loop;
    copy.loop_var = builder().NewVar(loop->loop_var->name.view(), loop->loop_var->type);
    copy.body = ReplaceVars(tools_, body, {{loop->loop_var, copy.loop_var}});
    return arena().New<For>(copy);
  }

  FusionTools tools_;
  const Pointers& finite_;
  Pointers never_minus_zero_;
  bool is_unrolled_;
  /// True while loops are examined again, after a loop around them was divided.
  bool has_cut_borders_ = false;
  /// The variables of the loops around.
  std::vector<const Var*> loops_;
};

/// True if two statements side by side have conditions.
bool IsUnrolled(const Stmt* stmt) {
  bool found = false;
  Walk(stmt, [&](const Node* node) {
    if (const auto* seq = dyn_cast<SeqStmt>(node)) {
      const auto has_condition = [](const Stmt* child) { return isa<IfThenElse>(child); };
      found |= std::count_if(seq->seq.begin(), seq->seq.end(), has_condition) > 1;
    }
    return !found && Stmt::ClassOf(node);
  });
  return found;
}

}  // namespace

const Stmt* HoistConditions(const FusionTools& tools, const Stmt* stmt,
                            const absl::flat_hash_set<const Var*>& finite) {
  const Stmt* now = Hoister(tools, stmt, finite, /*is_unrolled=*/false).RewriteStmt(stmt);
  if (now != nullptr && IsUnrolled(now))
    now = Hoister(tools, stmt, finite, /*is_unrolled=*/true).RewriteStmt(stmt);
  return now == nullptr ? tools.builder.NoOp(stmt->range) : now;
}

}  // namespace tenon
