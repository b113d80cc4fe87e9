#include "arith/simplifier.h"
#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "support/check.h"

namespace tenon {

namespace {

/// The kind of the negated comparison.
NodeKind Opposite(NodeKind kind) {
  switch (kind) {
    case NodeKind::kEQ:
      return NodeKind::kNE;
    case NodeKind::kNE:
      return NodeKind::kEQ;
    case NodeKind::kLT:
      return NodeKind::kGE;
    case NodeKind::kLE:
      return NodeKind::kGT;
    case NodeKind::kGT:
      return NodeKind::kLE;
    default:
      TENON_CHECK(kind == NodeKind::kGE);
      return NodeKind::kLT;
  }
}

/// Facts about larger forms are not kept: searching them would not pay.
constexpr size_t kMostTermsOfFact = 8;

}  // namespace

void Simplifier::PushScope() {
  frames_.emplace_back();
  frame().facts_before = facts_.size();
}

void Simplifier::PopScope() {
  Frame& ending = frame();
  for (size_t i = ending.known_before.size(); i-- > 0;) {
    const auto& [atom, values] = ending.known_before[i];
    if (values.has_value()) {
      known_[atom] = *values;
    } else {
      known_.erase(atom);
    }
  }
  for (size_t i = ending.truth_before.size(); i-- > 0;) {
    const auto& [condition, truth] = ending.truth_before[i];
    if (truth.has_value()) {
      truths_[condition] = *truth;
    } else {
      truths_.erase(condition);
    }
  }
  TENON_CHECK(ending.facts_before <= facts_.size());
  facts_.resize(ending.facts_before);
  frames_.pop_back();
}

void Simplifier::Forget() {
  frame().simplified.clear();
  frame().fully_simplified.clear();
  frame().bounds.clear();
}

void Simplifier::SetKnown(const Expr* atom, Interval values) {
  const auto [entry, added] = known_.emplace(atom, values);
  frame().known_before.emplace_back(atom,
                                    added ? std::nullopt : std::optional<Interval>(entry->second));
  entry->second = values;
  Forget();
}

void Simplifier::SetElements(const Var* data, Interval values) {
  TENON_CHECK(frames_.size() == 1);
  elements_[data] = values;
  Forget();
}

void Simplifier::NarrowKnown(const Expr* atom, Interval values) {
  const auto found = known_.find(atom);
  if (found != known_.end()) values = Intersect(values, found->second);
  SetKnown(atom, values);
}

std::optional<bool> Simplifier::KnownTruth(const Expr* condition) const {
  const auto found = truths_.find(condition);
  if (found == truths_.end()) return std::nullopt;
  return found->second;
}

void Simplifier::Assume(const Expr* condition, bool truth) {
  if (!condition->dtype.is_bool() || !table_.IsPure(condition)) return;
  WithStack([&] {
    if (const auto* inner = dyn_cast<Not>(condition)) return Assume(inner->a, !truth);
    if (const auto* call = dyn_cast<Call>(condition)) {
      if (call->op->kind == OpKind::kLikely) return Assume(call->args[0], truth);
    }
    if (isa<And>(condition) || isa<Or>(condition)) {
      if (isa<And>(condition) == truth) {
        const auto* both = static_cast<const BinaryExpr*>(condition);
        Assume(both->a, truth);
        Assume(both->b, truth);
      }
    }
    if (IsComparison(condition->kind)) {
      const auto* comparison = static_cast<const BinaryExpr*>(condition);
      AssumeComparison(truth ? condition->kind : Opposite(condition->kind), comparison->a,
                       comparison->b);
    }
    if (isa<IntImm>(condition)) return;
    const auto [entry, added] = truths_.emplace(condition, truth);
    frame().truth_before.emplace_back(condition,
                                      added ? std::nullopt : std::optional<bool>(entry->second));
    entry->second = truth;
    Forget();
  });
}

void Simplifier::AssumeComparison(NodeKind kind, const Expr* a, const Expr* b) {
  if (!a->dtype.is_integer() || a->dtype.is_bool() || !a->dtype.is_scalar()) return;
  std::optional<LinearForm> difference = Difference(a, b);
  if (!difference.has_value()) return;
  Interval values;
  switch (kind) {
    case NodeKind::kEQ:
      values = Interval::Point(0);
      break;
    case NodeKind::kLT:
      values.max = -1;
      break;
    case NodeKind::kLE:
      values.max = 0;
      break;
    case NodeKind::kGT:
      values.min = 1;
      break;
    case NodeKind::kGE:
      values.min = 0;
      break;
    default: {  // kNE removes an end of the interval, if it is one
      TENON_CHECK(kind == NodeKind::kNE);
      const Interval now = FormBounds(*difference);
      if (now.min == 0) values.min = 1;
      if (now.max == 0) values.max = -1;
      break;
    }
  }
  AddFact(*std::move(difference), values);
}

void Simplifier::AddFact(LinearForm form, Interval values) {
  if (form.terms.empty() || form.terms.size() > kMostTermsOfFact) return;
  for (const LinearTerm& term : form.terms) {
    if (term.coefficient == Interval::kMinusInf) return;
  }
  values = values - Interval::Point(form.constant);
  form.constant = 0;
  // The form divided by its content, with a positive first coefficient, represents all multiples.
  int64_t divisor = CoefficientGcd(form);
  TENON_CHECK(divisor > 0);
  if (form.terms[0].coefficient < 0) divisor = -divisor;
  for (LinearTerm& term : form.terms) term.coefficient /= divisor;
  if (divisor < 0) values = -values;
  const int64_t size = divisor < 0 ? -divisor : divisor;
  if (values.has_min()) values.min = -FloorDivide(-values.min, size);
  if (values.has_max()) values.max = FloorDivide(values.max, size);
  if (form.terms.size() == 1) return NarrowKnown(form.terms[0].atom, values);
  facts_.push_back({std::move(form), values});
  Forget();
}

}  // namespace tenon
