// Common steps of fusion: substitution with simplified indices, and numbers of iterations. Guarded
// loops are merged by forms of mixed radix, which prove that the condition cuts off the last
// iterations alone.

#include "passes/fusion/nest.h"

#include <algorithm>
#include <limits>

#include "arith/index_math.h"
#include "ir/analysis/digits.h"
#include "ir/builtins.h"
#include "ir/rewriter.h"
#include "passes/fusion/origins.h"
#include "passes/loops/loop_vectorizer.h"

namespace tenon {

namespace {

/// Replaces variables, and simplifies only the expressions that change.
class Replacer : public Rewriter<Replacer> {
 public:
  Replacer(const FusionTools& tools, const VarExprs& values)
      : Rewriter(tools.builder.context(), tools.storage),
        analyzer_(tools.analyzer),
        values_(values) {}

  const Expr* RewriteVar(const Var* var) {
    const auto found = values_.find(var);
    return found == values_.end() ? static_cast<const Expr*>(MapVar(var)) : found->second;
  }

  const Stmt* RewriteFor(const For* loop) {
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(loop);
    return RewriteChildren(loop);
  }

  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    return WithIndices(RewriteChildren(load), load);
  }

  const Stmt* RewriteBufferStore(const BufferStore* store) {
    return WithIndices(RewriteChildren(store), store);
  }

  const Expr* RewriteCall(const Call* call) {
    const auto* now = RewriteChildren(call);
    if (now == call || now->op->kind != OpKind::kIfThenElse) return now;
    const Expr* condition = analyzer_.Simplify(now->args[0]);
    if (const int64_t* truth = AsIntImm(condition)) return now->args[*truth != 0 ? 1 : 2];
    return builder().NewCall(now->dtype, OpKind::kIfThenElse,
                             {condition, now->args[1], now->args[2]}, now->range);
  }

 private:
  template <class T>
  const T* WithIndices(const T* now, const T* before) {
    if (std::equal(now->indices.begin(), now->indices.end(), before->indices.begin())) return now;
    std::vector<const Expr*> indices;
    for (const Expr* index : now->indices) indices.push_back(analyzer_.Simplify(index));
    T copy = *now;
    copy.indices = arena().Copy(Span<const Expr*>(indices));
    return arena().template New<T>(copy);
  }

  Analyzer& analyzer_;
  const VarExprs& values_;
};

bool RunsInOrder(const For* loop) {
  const int64_t* min = AsIntImm(loop->min);
  const int64_t* extent = AsIntImm(loop->extent);
  return min != nullptr && extent != nullptr && *extent > 0 && HasOnlyOrigins(loop) &&
         (loop->for_kind == ForKind::kSerial || loop->for_kind == ForKind::kUnrolled) &&
         loop->loop_var->dtype.is_integer();
}

/// `expr < limit` as an expression and an integer; null for any other condition.
struct UpperLimit {
  const Expr* expr = nullptr;
  int64_t limit = 0;
};

UpperLimit AsUpperLimit(const Expr* condition) {
  if (const auto* call = dyn_cast<Call>(condition);
      call != nullptr && call->op->kind == OpKind::kLikely)
    return AsUpperLimit(call->args[0]);
  if (const auto* less = dyn_cast<LT>(condition)) {
    const int64_t* limit = AsIntImm(less->b);
    if (limit != nullptr) return {less->a, *limit};
  }
  if (const auto* less = dyn_cast<LE>(condition)) {
    const int64_t* limit = AsIntImm(less->b);
    if (limit != nullptr && *limit < std::numeric_limits<int64_t>::max())
      return {less->a, *limit + 1};
  }
  return {};
}

/// Counts the iterations of all `loops` that `condition` allows; -1 if these are not the first
/// ones.
int64_t FirstIterations(Span<const For*> loops, int64_t count, const Expr* condition) {
  const UpperLimit upper = AsUpperLimit(condition);
  if (upper.expr == nullptr) return -1;
  Digits digits;
  FormBuilder forms(digits);
  const LinearIndex counter = digits.Count(count);
  if (!forms.EnterAll(loops, counter)) return -1;
  const auto form = forms.Evaluate(upper.expr, LinearIndex(), {});
  const auto bounds = form ? digits.BoundsOf(digits.Normalised(*form)) : std::nullopt;
  if (!bounds || bounds->min != 0 || count % (bounds->max + 1) != 0 || upper.limit < 1) return -1;
  // If `expr` is count / step, it never falls, so the limit holds for the first iterations only.
  const int64_t step = count / (bounds->max + 1);
  const auto quotient = digits.Divide(counter, step, {});
  if (!quotient || digits.Normalised(quotient->quotient) != digits.Normalised(*form)) return -1;
  return upper.limit > bounds->max ? count : upper.limit * step;
}

}  // namespace

int64_t MinOf(const For* loop) { return *AsIntImm(loop->min); }
int64_t ExtentOf(const For* loop) { return *AsIntImm(loop->extent); }

int64_t Nest::Count(size_t depth) const {
  int64_t count = 1;
  for (size_t i = 0; i < depth; ++i) {
    if (__builtin_mul_overflow(count, ExtentOf(loops[i]), &count))
      return std::numeric_limits<int64_t>::max();
  }
  return count;
}

Nest NestOf(const Stmt* stmt) {
  Nest nest;
  nest.body = stmt;
  while (const auto* loop = dyn_cast<For>(nest.body)) {
    if (!RunsInOrder(loop)) break;
    nest.loops.push_back(loop);
    nest.body = loop->body;
  }
  return nest;
}

bool HasLet(const Expr* expr) {
  bool found = false;
  Walk(expr, [&](const Node* node) {
    found |= isa<Let>(node);
    return !found;
  });
  return found;
}

bool HasScalarCalls(const Node* node) {
  bool found = false;
  Walk(node, [&](const Node* child) {
    const auto* call = dyn_cast<Call>(child);
    found |= call != nullptr && call->op->kind != OpKind::kIfThenElse &&
             call->op->kind != OpKind::kLikely && !IsLaneWise(call->op->kind);
    return !found;
  });
  return found;
}

const Stmt* ReplaceVars(const FusionTools& tools, const Stmt* stmt, const VarExprs& values) {
  return Replacer(tools, values).RewriteStmt(stmt);
}

const Expr* ReplaceVars(const FusionTools& tools, const Expr* expr, const VarExprs& values) {
  return Replacer(tools, values).RewriteExpr(expr);
}

const Expr* CountOf(const FusionTools& tools, Span<const For*> loops) {
  const IndexMath math(tools.builder, {});
  const Expr* count = nullptr;
  for (const For* loop : loops) {
    const Expr* digit = loop->loop_var;
    if (MinOf(loop) != 0) digit = math.Sub(digit, tools.builder.Int(digit->dtype, MinOf(loop)));
    if (count == nullptr) {
      count = digit;
    } else {
      count = math.Add(math.Mul(count, tools.builder.Int(count->dtype, ExtentOf(loop))), digit);
    }
  }
  return count;
}

VarExprs ValuesAt(const FusionTools& tools, Span<const For*> loops, const Expr* count) {
  const IndexMath math(tools.builder, {});
  VarExprs values;
  int64_t weight = 1;
  for (size_t i = loops.size(); i-- > 0;) {
    const DataType dtype = count->dtype;
    const Expr* value = count;
    if (weight != 1)
      value = math.Binary(NodeKind::kFloorDiv, value, tools.builder.Int(dtype, weight));
    if (i > 0) {
      value = math.Binary(NodeKind::kFloorMod, value, tools.builder.Int(dtype, ExtentOf(loops[i])));
    }
    if (MinOf(loops[i]) != 0) value = math.Add(value, tools.builder.Int(dtype, MinOf(loops[i])));
    value = math.Convert(loops[i]->loop_var->dtype, value);
    values.emplace(loops[i]->loop_var, tools.analyzer.Simplify(value));
    weight *= ExtentOf(loops[i]);
  }
  return values;
}

const Stmt* MergeGuardedLoops(const FusionTools& tools, const Stmt* stmt) {
  const Nest nest = NestOf(stmt);
  const auto* guard = dyn_cast<IfThenElse>(nest.body);
  if (guard == nullptr || guard->else_case != nullptr) return stmt;
  for (size_t first = nest.loops.size(); first-- > 0;) {
    const Span<const For*> merged(nest.loops.data() + first, nest.loops.size() - first);
    int64_t count = 1;
    for (const For* loop : merged) {
      if (__builtin_mul_overflow(count, ExtentOf(loop), &count)) return stmt;
    }
    if (count > std::numeric_limits<int32_t>::max()) return stmt;
    const int64_t end = FirstIterations(merged, count, guard->condition);
    if (end < 0) continue;
    const For* innermost = merged.back();
    const Var* var = tools.builder.NewVar(innermost->loop_var->name.view(), DataType::Int(32));
    const Expr* extent = tools.builder.Int(end);
    const Analyzer::Scope scope(tools.analyzer);
    for (size_t i = 0; i < first; ++i) {
      const For* loop = nest.loops[i];
      tools.analyzer.BindLoop(loop);
    }
    tools.analyzer.BindRange(var, tools.builder.Int(0), extent);
    const Stmt* body = ReplaceVars(tools, guard->then_case, ValuesAt(tools, merged, var));
    body = tools.builder.New<For>(innermost->range, var, tools.builder.Int(0), extent,
                                  ForKind::kSerial, body, /*thread_binding=*/nullptr,
                                  merged.front()->annotations);
    for (size_t i = first; i-- > 0;) {
      For copy = *nest.loops[i];
      copy.body = body;
      body = tools.builder.arena().New<For>(copy);
    }
    return body;
  }
  return stmt;
}

}  // namespace tenon
