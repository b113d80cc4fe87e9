#ifndef TENON_ARITH_LINEAR_H_
#define TENON_ARITH_LINEAR_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "arith/expr_table.h"

// Linear forms: sums of coefficient * atom, and a constant. Sums, differences and products by
// constants are exact modulo 2^bits, so a form wrapped to the dtype always has the value of its
// expression. Whether the unwrapped form also has it is a question of bounds.

namespace tenon {

/// `coefficient * atom`. The atom is an interned expression other than a sum, a difference, a
/// product by a constant or a constant.
struct LinearTerm {
  const Expr* atom;
  int64_t coefficient;

  friend bool operator==(const LinearTerm&, const LinearTerm&) = default;
};

/// constant + sum of terms. Atoms are distinct and coefficients not 0. Coefficients and constant
/// are the signed representatives modulo 2^bits of the dtype, also for unsigned dtypes.
struct LinearForm {
  DataType dtype;
  std::vector<LinearTerm> terms;
  int64_t constant = 0;
  /// True if a coefficient or the constant left the range of representatives and was wrapped.
  bool wrapped = false;

  bool is_constant() const { return terms.empty(); }
  /// True if the form is a single atom with coefficient 1.
  bool is_atom() const { return terms.size() == 1 && terms[0].coefficient == 1 && constant == 0; }
};

/// Adds up a form in time linear in the added parts.
class LinearBuilder {
 public:
  explicit LinearBuilder(DataType dtype) { form_.dtype = dtype; }

  void AddConstant(int64_t value, int64_t scale = 1);
  void AddTerm(const Expr* atom, int64_t coefficient);
  /// Adds scale * expr, an interned expression; a sum is added term by term.
  void AddExpr(const Expr* expr, int64_t scale = 1);
  void AddForm(const LinearForm& form, int64_t scale = 1);

  /// The representative of `value * scale` modulo 2^bits.
  int64_t Scale(int64_t value, int64_t scale);

  /// The form, its terms in the order of `table`.
  LinearForm Finish(const ExprTable& table);

 private:
  int64_t Normalize(__int128 value);

  LinearForm form_;
  absl::flat_hash_map<const Expr*, size_t> index_;
};

/// The form of an interned scalar integer expression.
LinearForm LinearOf(const ExprTable& table, const Expr* expr);
/// a + scale * b.
LinearForm Combine(const ExprTable& table, const LinearForm& a, const LinearForm& b, int64_t scale);
/// The expression of a form: terms in order, but the first one with a positive coefficient first,
/// and the constant last.
const Expr* EmitLinear(ExprTable& table, const LinearForm& form);
/// The greatest common divisor of the coefficients; 0 without terms.
int64_t CoefficientGcd(const LinearForm& form);

}  // namespace tenon

#endif  // TENON_ARITH_LINEAR_H_
