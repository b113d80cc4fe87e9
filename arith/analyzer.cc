#include "arith/analyzer.h"

#include "arith/simplifier.h"
#include "ir/analysis/node_queries.h"
#include "ir/const_fold.h"

namespace tenon {

struct Analyzer::Impl {
  Impl(Context& context, Arena& arena, AnalyzerOptions options)
      : simplifier(context, arena, options) {}

  ExprTable& table() { return simplifier.table(); }
  const Expr* Simplified(const Expr* expr) {
    return simplifier.SimplifyFully(table().Intern(expr));
  }
  bool ProveComparison(NodeKind kind, const Expr* a, const Expr* b) {
    const Expr* condition = table().MakeBinary(kind, Simplified(a), Simplified(b));
    const Expr* truth = AsImmediate(simplifier.SimplifyFully(condition));
    return truth != nullptr && IsConstInt(truth, 1);
  }

  Simplifier simplifier;
};

Analyzer::Analyzer(Context& context, Arena& arena, AnalyzerOptions options)
    : impl_(std::make_unique<Impl>(context, arena, options)) {}
Analyzer::~Analyzer() = default;

Analyzer::Scope::Scope(Analyzer& analyzer) : analyzer_(analyzer) {
  analyzer.impl_->simplifier.PushScope();
}
Analyzer::Scope::~Scope() { analyzer_.impl_->simplifier.PopScope(); }

void Analyzer::Bind(const Var* var, Interval values) {
  impl_->simplifier.SetKnown(impl_->table().Intern(var), values);
}

void Analyzer::BindElements(const Var* data, Interval values) {
  impl_->simplifier.SetElements(data, values);
}

void Analyzer::BindLoop(const For* loop) {
  if (!loop->loop_var->dtype.is_integer()) return;
  BindRange(loop->loop_var, loop->min, loop->extent);
}

void Analyzer::BindValue(const Var* var, const Expr* value) {
  if (var->dtype.is_integer()) Bind(var, Bounds(value));
}

void Analyzer::BindRange(const Var* var, const Expr* min, const Expr* extent) {
  Simplifier& simplifier = impl_->simplifier;
  const Expr* counter = impl_->table().Intern(var);
  const Expr* low = impl_->Simplified(min);
  const Expr* count = impl_->Simplified(extent);
  simplifier.SetKnown(counter, Interval::OfDType(var->dtype));
  if (!var->dtype.is_int() && !var->dtype.is_uint()) return;
  if (low->dtype != var->dtype || count->dtype != var->dtype) return;
  // The last value, min + extent - 1, over the integers: the sum of two exact forms.
  LinearForm first = LinearOf(impl_->table(), low);
  LinearForm number = LinearOf(impl_->table(), count);
  if (!simplifier.MakeExact(first) || !simplifier.MakeExact(number)) return;
  first.dtype = number.dtype = DataType::Int(64);
  first.wrapped = number.wrapped = false;
  LinearForm end = Combine(impl_->table(), first, number, 1);
  const Interval range = Interval::OfDType(var->dtype);
  const Interval ends = simplifier.FormBounds(end) - Interval::Point(1);
  // An infinite upper bound means that the end is unbounded, even for 64 bits.
  const bool is_bounded = ends.has_max() && ends.max <= range.max;
  const bool no_wrap = simplifier.AssumesNoOverflow(var->dtype) || is_bounded ||
                       (first.is_constant() && first.constant <= 0);
  if (end.wrapped || !no_wrap) return;
  simplifier.SetKnown(counter, Intersect(range, {simplifier.FormBounds(first).min, ends.max}));
  LinearForm self;
  self.dtype = DataType::Int(64);
  self.terms = {{counter, 1}};
  LinearForm above = Combine(impl_->table(), self, first, -1);
  LinearForm below = Combine(impl_->table(), self, end, -1);
  if (!above.wrapped) simplifier.AddFact(std::move(above), {0, Interval::kPlusInf});
  if (!below.wrapped) simplifier.AddFact(std::move(below), {Interval::kMinusInf, -1});
}

void Analyzer::Assume(const Expr* condition) {
  impl_->simplifier.Assume(impl_->Simplified(condition), true);
}

const Expr* Analyzer::Simplify(const Expr* expr) {
  const Expr* interned = impl_->table().Intern(expr);
  const Expr* simplified = impl_->simplifier.SimplifyFully(interned);
  return simplified == interned ? expr : simplified;
}

bool Analyzer::CanProve(const Expr* condition) {
  if (!condition->dtype.is_bool()) return false;
  const Expr* truth = AsImmediate(impl_->Simplified(condition));
  return truth != nullptr && IsConstInt(truth, 1);
}

bool Analyzer::CanProveEqual(const Expr* a, const Expr* b) {
  return a->dtype == b->dtype && impl_->ProveComparison(NodeKind::kEQ, a, b);
}

bool Analyzer::CanProveLess(const Expr* a, const Expr* b) {
  return a->dtype == b->dtype && impl_->ProveComparison(NodeKind::kLT, a, b);
}

bool Analyzer::CanProveLessEqual(const Expr* a, const Expr* b) {
  return a->dtype == b->dtype && impl_->ProveComparison(NodeKind::kLE, a, b);
}

std::optional<int64_t> Analyzer::ConstValue(const Expr* expr) {
  if (!expr->dtype.is_integer()) return std::nullopt;
  const int64_t* imm = AsIntImm(AsImmediate(impl_->Simplified(expr)));
  if (imm == nullptr) return std::nullopt;
  return *imm;
}

Interval Analyzer::Bounds(const Expr* expr) {
  const Expr* interned = impl_->table().Intern(expr);
  return Intersect(impl_->simplifier.Bounds(interned),
                   impl_->simplifier.Bounds(impl_->simplifier.SimplifyFully(interned)));
}

bool Analyzer::ProvenNoWrap(const BinaryExpr* expr) {
  const Expr* a = impl_->Simplified(expr->a);
  const Expr* b = impl_->Simplified(expr->b);
  const Expr* node = impl_->table().MakeBinary(expr->kind, a, b);
  return impl_->simplifier.ProvenNoWrap(static_cast<const BinaryExpr*>(node));
}

std::optional<int64_t> Analyzer::StepOf(const Expr* expr, const Var* var) {
  if (!Mentions(expr, var)) return 0;
  const Expr* counter = impl_->table().Intern(var);
  int64_t step = 0;
  for (const LinearTerm& term : LinearOf(impl_->table(), impl_->Simplified(expr)).terms) {
    if (term.atom == counter) {
      step = term.coefficient;
    } else if (Mentions(term.atom, var)) {
      return std::nullopt;
    }
  }
  return step;
}

std::optional<int64_t> Analyzer::Distance(const Expr* a, const Expr* b) {
  const LinearForm form = Combine(impl_->table(), LinearOf(impl_->table(), impl_->Simplified(a)),
                                  LinearOf(impl_->table(), impl_->Simplified(b)), -1);
  if (!form.is_constant()) return std::nullopt;
  return form.constant;
}

}  // namespace tenon
