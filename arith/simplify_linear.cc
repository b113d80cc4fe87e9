#include <algorithm>

#include "arith/simplifier.h"

namespace tenon {

namespace {

constexpr int kMostRecombinations = 8;

}  // namespace

void Simplifier::AddProduct(LinearBuilder& sum, const Mul* product, int64_t factor) {
  int64_t coefficient = factor;
  std::vector<const Expr*> factors;
  absl::InlinedVector<std::pair<const Expr*, bool>, 8> open = {{product, false}};
  while (!open.empty()) {
    const auto [node, simplified] = open.back();
    open.pop_back();
    if (const auto* mul = dyn_cast<Mul>(node)) {
      open.emplace_back(mul->b, simplified);
      open.emplace_back(mul->a, simplified);
    } else if (const auto* imm = dyn_cast<IntImm>(node)) {
      coefficient = sum.Scale(coefficient, imm->value);
    } else if (simplified) {
      factors.push_back(node);
    } else {
      open.emplace_back(Simplify(node), true);
    }
  }
  if (coefficient == 0) return;
  if (factors.empty()) return sum.AddConstant(coefficient);
  if (factors.size() == 1) return sum.AddExpr(factors[0], coefficient);
  std::sort(factors.begin(), factors.end(),
            [&](const Expr* a, const Expr* b) { return table_.Before(a, b); });
  const Expr* atom = factors[0];
  for (size_t i = 1; i < factors.size(); ++i) atom = table_.Make<Mul>(atom, factors[i]);
  sum.AddTerm(atom, coefficient);
}

const Expr* Simplifier::StepLinear(const Expr* expr) {
  if (!expr->dtype.is_scalar()) return StepVectorLinear(expr);
  LinearBuilder sum(expr->dtype);
  absl::InlinedVector<std::pair<const Expr*, int64_t>, 8> open = {{expr, 1}};
  while (!open.empty()) {
    const auto [node, factor] = open.back();
    open.pop_back();
    if (isa<Add>(node) || isa<Sub>(node)) {
      const auto* both = static_cast<const BinaryExpr*>(node);
      open.emplace_back(both->b, isa<Sub>(node) ? sum.Scale(factor, -1) : factor);
      open.emplace_back(both->a, factor);
      continue;
    }
    if (const auto* mul = dyn_cast<Mul>(node)) {
      const int64_t* a = AsIntImm(mul->a);
      const int64_t* b = AsIntImm(mul->b);
      if (a == nullptr && b == nullptr) {
        AddProduct(sum, mul, factor);
      } else {
        open.emplace_back(b != nullptr ? mul->a : mul->b,
                          sum.Scale(factor, b != nullptr ? *b : *a));
      }
      continue;
    }
    sum.AddExpr(Simplify(node), factor);
  }
  return Emit(Recombine(sum.Finish(table_)));
}

LinearForm Simplifier::Recombine(LinearForm form) {
  for (int i = 0; i < kMostRecombinations && RecombineOnce(form); ++i) {
  }
  return form;
}

bool Simplifier::RecombineOnce(LinearForm& form) {
  absl::flat_hash_map<const Expr*, int64_t> coefficients;
  const auto is_part = [](const LinearTerm& term) {
    return isa<FloorMod>(term.atom) || isa<FloorDiv>(term.atom) || isa<Mul>(term.atom);
  };
  if (form.terms.size() < 2 || !std::any_of(form.terms.begin(), form.terms.end(), is_part)) {
    return false;
  }
  for (const LinearTerm& term : form.terms) coefficients.emplace(term.atom, term.coefficient);
  LinearBuilder sum(form.dtype);
  bool changed = false;
  // x - x // c * c is x % c, and x // c * c + x % c is x. Both hold modulo 2^bits.
  for (const LinearTerm& term : form.terms) {
    const auto* mod = dyn_cast<FloorMod>(term.atom);
    const auto* div = dyn_cast<FloorDiv>(term.atom);
    if (mod == nullptr && (div == nullptr || AsIntImm(div->b) == nullptr)) continue;
    const auto* part = static_cast<const BinaryExpr*>(term.atom);
    const auto own = coefficients.find(part);
    if (own->second != term.coefficient) continue;
    if (mod != nullptr) {
      const Expr* whole =
          Simplify(table_.Make<Mul>(table_.Make<FloorDiv>(part->a, part->b), part->b));
      const LinearForm multiple = LinearOf(table_, whole);
      if (multiple.terms.size() != 1 || multiple.constant != 0) continue;
      const auto partner = coefficients.find(multiple.terms[0].atom);
      if (partner == coefficients.end()) continue;
      const int64_t want = sum.Scale(term.coefficient, multiple.terms[0].coefficient);
      if (partner->second != want || want == 0) continue;
      partner->second = 0;
      own->second = 0;
      sum.AddExpr(part->a, term.coefficient);
      changed = true;
    } else {
      const auto whole = coefficients.find(part->a);
      if (whole == coefficients.end() || whole->second == 0) continue;
      if (sum.Scale(whole->second, -*AsIntImm(part->b)) != term.coefficient) continue;
      sum.AddTerm(Simplify(table_.Make<FloorMod>(part->a, part->b)), whole->second);
      whole->second = 0;
      own->second = 0;
      changed = true;
    }
  }
  if (!changed) return false;
  for (const LinearTerm& term : form.terms) sum.AddTerm(term.atom, coefficients.at(term.atom));
  sum.AddConstant(form.constant);
  form = sum.Finish(table_);
  return true;
}

/// A sum of vectors: the sums of the bases and strides of its ramps and broadcasts, and the rest.
struct Simplifier::VectorSum {
  explicit VectorSum(DataType dtype)
      : base(dtype.element()), stride(dtype.element()), rest(dtype.element()) {}
  LinearBuilder base;
  LinearBuilder stride;
  LinearBuilder rest;
};

const Expr* Simplifier::VectorProduct(const Mul* expr, bool simplify) {
  const Expr* a = simplify ? Simplify(expr->a) : expr->a;
  const Expr* b = simplify ? Simplify(expr->b) : expr->b;
  if (const Expr* hoisted = HoistBroadcasts(NodeKind::kMul, a, b)) return hoisted;
  if (isa<Broadcast>(a) && !isa<Broadcast>(b)) std::swap(a, b);
  const auto* ramp = dyn_cast<Ramp>(a);
  const auto* scale = dyn_cast<Broadcast>(b);
  if (ramp != nullptr && scale != nullptr) {
    const Expr* base = Simplify(table_.Make<Mul>(ramp->base, scale->value));
    const Expr* stride = Simplify(table_.Make<Mul>(ramp->stride, scale->value));
    return Simplify(table_.Make<Ramp>(base, stride, expr->dtype.lanes()));
  }
  if (scale == nullptr && table_.Before(b, a)) std::swap(a, b);
  return table_.Make<Mul>(a, b);
}

void Simplifier::CollectVector(const Expr* expr, bool simplify, VectorSum& sum) {
  absl::InlinedVector<std::pair<const Expr*, int64_t>, 8> open = {{expr, 1}};
  std::vector<std::pair<const Expr*, int64_t>> simplified;
  const auto leaf = [&](const Expr* node, int64_t factor) {
    if (const auto* broadcast = dyn_cast<Broadcast>(node)) {
      sum.base.AddExpr(broadcast->value, factor);
    } else if (const auto* ramp = dyn_cast<Ramp>(node)) {
      sum.base.AddExpr(ramp->base, factor);
      sum.stride.AddExpr(ramp->stride, factor);
    } else {
      sum.rest.AddTerm(node, factor);
    }
  };
  while (!open.empty() || !simplified.empty()) {
    const bool done = open.empty();
    const auto [node, factor] = done ? simplified.back() : open.back();
    if (done) {
      simplified.pop_back();
    } else {
      open.pop_back();
    }
    std::vector<std::pair<const Expr*, int64_t>> next;
    if (isa<Add>(node) || isa<Sub>(node)) {
      const auto* both = static_cast<const BinaryExpr*>(node);
      next.emplace_back(both->b, isa<Sub>(node) ? sum.base.Scale(factor, -1) : factor);
      next.emplace_back(both->a, factor);
    } else if (const auto* mul = dyn_cast<Mul>(node)) {
      const auto* scale = dyn_cast<Broadcast>(mul->b);
      const int64_t* imm = scale == nullptr ? nullptr : AsIntImm(scale->value);
      if (imm != nullptr) {
        next.emplace_back(mul->a, sum.base.Scale(factor, *imm));
      } else if (!done && simplify) {
        simplified.emplace_back(VectorProduct(mul, true), factor);
      } else {
        leaf(node, factor);
      }
    } else if (!done && simplify) {
      simplified.emplace_back(Simplify(node), factor);
    } else {
      leaf(node, factor);
    }
    for (const auto& entry : next) {
      if (done) {
        simplified.push_back(entry);
      } else {
        open.push_back(entry);
      }
    }
  }
}

const Expr* Simplifier::StepVectorLinear(const Expr* expr) {
  const DataType dtype = expr->dtype;
  VectorSum sum(dtype);
  CollectVector(expr, /*simplify=*/true, sum);
  const LinearForm base = Recombine(sum.base.Finish(table_));
  const LinearForm stride = Recombine(sum.stride.Finish(table_));
  LinearForm rest = sum.rest.Finish(table_);
  rest.dtype = dtype;
  const bool flat = stride.is_constant() && stride.constant == 0;
  const bool nothing = flat && base.is_constant() && base.constant == 0;
  if (nothing && !rest.terms.empty()) return Emit(rest);
  const Expr* line = flat ? table_.Make<Broadcast>(Emit(base), dtype.lanes())
                          : table_.Make<Ramp>(Emit(base), Emit(stride), dtype.lanes());
  return rest.terms.empty() ? line : table_.Make<Add>(Emit(rest), line);
}

}  // namespace tenon
