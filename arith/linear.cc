#include "arith/linear.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "support/check.h"

namespace tenon {

namespace {

/// With fewer terms, a linear search is used.
constexpr size_t kFewTerms = 8;

uint64_t Magnitude(int64_t value) {
  return value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

}  // namespace

int64_t LinearBuilder::Normalize(__int128 value) {
  const int bits = form_.dtype.bits();
  TENON_DCHECK(bits > 0 && bits <= 64);
  const __int128 modulus = static_cast<__int128>(1) << bits;
  const __int128 half = modulus / 2;
  if (value >= -half && value < half) return static_cast<int64_t>(value);
  form_.wrapped = true;
  __int128 rest = value % modulus;
  if (rest >= half) rest -= modulus;
  if (rest < -half) rest += modulus;
  return static_cast<int64_t>(rest);
}

int64_t LinearBuilder::Scale(int64_t value, int64_t scale) {
  return Normalize(static_cast<__int128>(value) * scale);
}

void LinearBuilder::AddConstant(int64_t value, int64_t scale) {
  form_.constant = Normalize(static_cast<__int128>(form_.constant) + Scale(value, scale));
}

void LinearBuilder::AddTerm(const Expr* atom, int64_t coefficient) {
  coefficient = Normalize(coefficient);
  std::vector<LinearTerm>& terms = form_.terms;
  size_t at = terms.size();
  if (terms.size() < kFewTerms) {
    for (at = 0; at < terms.size() && terms[at].atom != atom;) ++at;
  } else {
    if (index_.empty()) {
      for (size_t i = 0; i < terms.size(); ++i) index_.emplace(terms[i].atom, i);
    }
    at = index_.emplace(atom, terms.size()).first->second;
  }
  if (at == terms.size()) {
    terms.push_back({atom, coefficient});
  } else {
    terms[at].coefficient = Normalize(static_cast<__int128>(terms[at].coefficient) + coefficient);
  }
}

void LinearBuilder::AddExpr(const Expr* expr, int64_t scale) {
  absl::InlinedVector<std::pair<const Expr*, int64_t>, 8> open = {{expr, Normalize(scale)}};
  while (!open.empty()) {
    const auto [node, factor] = open.back();
    open.pop_back();
    if (const auto* imm = dyn_cast<IntImm>(node)) {
      AddConstant(imm->value, factor);
      continue;
    }
    if (const auto* add = dyn_cast<Add>(node)) {
      open.emplace_back(add->b, factor);
      open.emplace_back(add->a, factor);
      continue;
    }
    if (const auto* sub = dyn_cast<Sub>(node)) {
      open.emplace_back(sub->b, Scale(factor, -1));
      open.emplace_back(sub->a, factor);
      continue;
    }
    if (const auto* mul = dyn_cast<Mul>(node)) {
      const int64_t* a = AsIntImm(mul->a);
      const int64_t* b = AsIntImm(mul->b);
      if (a != nullptr || b != nullptr) {
        open.emplace_back(b != nullptr ? mul->a : mul->b, Scale(factor, b != nullptr ? *b : *a));
        continue;
      }
    }
    AddTerm(node, factor);
  }
}

void LinearBuilder::AddForm(const LinearForm& form, int64_t scale) {
  for (const LinearTerm& term : form.terms) AddTerm(term.atom, Scale(term.coefficient, scale));
  AddConstant(form.constant, scale);
  form_.wrapped |= form.wrapped;
}

LinearForm LinearBuilder::Finish(const ExprTable& table) {
  std::erase_if(form_.terms, [](const LinearTerm& term) { return term.coefficient == 0; });
  std::sort(form_.terms.begin(), form_.terms.end(), [&](const LinearTerm& x, const LinearTerm& y) {
    const uint64_t a = Magnitude(x.coefficient);
    const uint64_t b = Magnitude(y.coefficient);
    return a != b ? a > b : table.Before(x.atom, y.atom);
  });
  return std::move(form_);
}

LinearForm LinearOf(const ExprTable& table, const Expr* expr) {
  LinearBuilder builder(expr->dtype);
  builder.AddExpr(expr);
  return builder.Finish(table);
}

LinearForm Combine(const ExprTable& table, const LinearForm& a, const LinearForm& b,
                   int64_t scale) {
  LinearBuilder builder(a.dtype);
  builder.AddForm(a);
  builder.AddForm(b, scale);
  return builder.Finish(table);
}

const Expr* EmitLinear(ExprTable& table, const LinearForm& form) {
  const DataType dtype = form.dtype;
  if (form.is_constant()) return table.Int(dtype, form.constant);
  constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
  const auto magnitude = [&](const LinearTerm& term, int64_t coefficient) {
    return coefficient == 1 ? term.atom : table.Make<Mul>(term.atom, table.Int(dtype, coefficient));
  };
  TENON_CHECK(!form.terms.empty());
  size_t first = 0;
  while (first < form.terms.size() && form.terms[first].coefficient < 0) ++first;
  if (first == form.terms.size()) first = 0;
  const Expr* sum = magnitude(form.terms[first], form.terms[first].coefficient);
  for (size_t i = 0; i < form.terms.size(); ++i) {
    if (i == first) continue;
    const LinearTerm& term = form.terms[i];
    if (term.coefficient < 0 && term.coefficient != kLowest) {
      sum = table.Make<Sub>(sum, magnitude(term, -term.coefficient));
    } else {
      sum = table.Make<Add>(sum, magnitude(term, term.coefficient));
    }
  }
  if (form.constant == 0) return sum;
  if (form.constant < 0 && form.constant != kLowest) {
    return table.Make<Sub>(sum, table.Int(dtype, -form.constant));
  }
  return table.Make<Add>(sum, table.Int(dtype, form.constant));
}

int64_t CoefficientGcd(const LinearForm& form) {
  uint64_t divisor = 0;
  for (const LinearTerm& term : form.terms) {
    divisor = std::gcd(divisor, Magnitude(term.coefficient));
  }
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  return divisor > kMost ? 1 : static_cast<int64_t>(divisor);
}

}  // namespace tenon
