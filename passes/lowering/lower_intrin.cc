// The walk knows the loops, lets and conditions around an expression, and the rules of
// intrin_rules.h need only the bounds from it. A test for a remainder of 0 is recognised before its
// division is lowered.

#include "passes/lowering/lower_intrin.h"

#include <fmt/format.h>

#include "arith/analyzer.h"
#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "ir/rewriter.h"
#include "passes/lowering/intrin_rules.h"

namespace tenon {

namespace {

class IntrinLowering : public Rewriter<IntrinLowering> {
 public:
  IntrinLowering(Context& context, std::shared_ptr<Storage> storage,
                 const LowerIntrinOptions& options, Diagnostics& diagnostics)
      : Rewriter(context, std::move(storage)),
        options_(options),
        diagnostics_(diagnostics),
        analyzer_(context, arena()) {}

  const Stmt* RewriteFor(const For* loop) {
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(loop);
    return RewriteChildren(loop);
  }

  const Stmt* RewriteLetStmt(const LetStmt* let) {
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindValue(let->var, let->value);
    return RewriteChildren(let);
  }

  const Stmt* RewriteIfThenElse(const IfThenElse* branch) {
    IfThenElse copy = *branch;
    copy.condition = RewriteExpr(branch->condition);
    {
      const Analyzer::Scope scope(analyzer_);
      analyzer_.Assume(branch->condition);
      copy.then_case = RewriteAny(branch->then_case);
    }
    copy.else_case = RewriteAny(branch->else_case);
    const bool same = copy.condition == branch->condition && copy.then_case == branch->then_case &&
                      copy.else_case == branch->else_case;
    return same ? branch : arena().New<IfThenElse>(copy);
  }

  const Stmt* RewriteEvaluate(const Evaluate* evaluate) {
    const auto* call = dyn_cast<Call>(evaluate->value);
    if (call != nullptr && call->op->kind == OpKind::kAssume) return nullptr;
    return RewriteChildren(evaluate);
  }

  const Expr* RewriteFloorDiv(const FloorDiv* node) { return LowerFloor(node); }
  const Expr* RewriteFloorMod(const FloorMod* node) { return LowerFloor(node); }
  const Expr* RewriteEQ(const EQ* node) { return LowerRemainderTest(node); }
  const Expr* RewriteNE(const NE* node) { return LowerRemainderTest(node); }

  const Expr* RewriteCall(const Call* call) {
    const Call* now = RewriteChildren(call);
    const IntrinBuilder make(builder(), call->range);
    const OpKind op = call->op->kind;
    if (op == OpKind::kQMultiplyShift || op == OpKind::kQMultiplyShiftPerAxis) {
      const Expr* lowered = op == OpKind::kQMultiplyShift
                                ? LowerMultiplyShift(make, now->args)
                                : LowerMultiplyShiftPerAxis(make, now->args);
      if (lowered != nullptr) return lowered;
      diagnostics_.Error(
          DiagnosticKind::kPass, call->range,
          fmt::format("`{}` shifts by less than 1 or more than 63 bits in total", call->op->text));
      return now;
    }
    const Expr* lowered = LowerMathCall(make, now, options_.expand_bits);
    return lowered != nullptr ? lowered : now;
  }

 private:
  const Expr* LowerFloor(const BinaryExpr* node) {
    const Expr* a = RewriteExpr(node->a);
    const Expr* b = RewriteExpr(node->b);
    const IntrinBuilder make(builder(), node->range);
    const bool bounded = node->dtype.is_int();
    const Interval a_bounds = bounded ? analyzer_.Bounds(node->a) : Interval::Everything();
    const Interval b_bounds = bounded ? analyzer_.Bounds(node->b) : Interval::Everything();
    return node->kind == NodeKind::kFloorDiv ? LowerFloorDiv(make, a, b, a_bounds, b_bounds)
                                             : LowerFloorMod(make, a, b, a_bounds, b_bounds);
  }

  template <class T>
  const Expr* LowerRemainderTest(const T* node) {
    const auto* remainder = dyn_cast<FloorMod>(node->a);
    const auto* zero = dyn_cast_or_null<IntImm>(AsImmediate(node->b));
    if (remainder == nullptr || zero == nullptr || zero->value != 0) return RewriteChildren(node);
    const IntrinBuilder make(builder(), node->range);
    const Expr* truncated = make.Mod(RewriteExpr(remainder->a), RewriteExpr(remainder->b));
    return make.Binary(node->kind, truncated, node->b);
  }

  const LowerIntrinOptions& options_;
  Diagnostics& diagnostics_;
  Analyzer analyzer_;
};

}  // namespace

absl::StatusOr<IRModule> LowerIntrin(const IRModule& module, const LowerIntrinOptions& options,
                                     PassContext& context) {
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics& diagnostics) {
    return RewriteFunction<IntrinLowering>(module.context(), function, options, diagnostics);
  });
}

}  // namespace tenon
