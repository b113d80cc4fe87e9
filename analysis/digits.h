#ifndef TENON_ANALYSIS_DIGITS_H_
#define TENON_ANALYSIS_DIGITS_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "ir/expr.h"

// Linear forms over the loops of a whole function. ir/analysis/index_form.h has them for the loops
// around one place; here the loops of all places are known together, forms are divided by forms,
// and splits reach forms that were made before.

namespace tenon {

/// The number `(constant + sum(stride * digit)) / divisor`. A digit counts 0, 1, ..., extent - 1.
/// A divisor other than 1 occurs only where a condition makes the quotient whole.
struct Form {
  int64_t constant = 0;
  /// Digit and stride, by digit; no stride is 0.
  absl::InlinedVector<std::pair<int, int64_t>, 6> terms;
  int64_t divisor = 1;

  bool is_constant() const { return terms.empty() && divisor == 1; }
  /// The form is the digit itself.
  bool Is(int digit) const {
    return constant == 0 && divisor == 1 && terms.size() == 1 && terms[0].first == digit &&
           terms[0].second == 1;
  }
  int64_t stride(int digit) const;
  /// Takes away the terms of digits for which `f` is true.
  template <class F>
  void Drop(F&& f) {
    terms.erase(
        std::remove_if(terms.begin(), terms.end(), [&](const auto& term) { return f(term.first); }),
        terms.end());
  }
  bool operator==(const Form&) const = default;
};

/// The range of an integer, both ends included.
struct Bounds {
  int64_t min = 0;
  int64_t max = 0;
  bool operator==(const Bounds&) const = default;
};

/// The ranges of single digits where a condition holds.
using DigitBounds = absl::flat_hash_map<int, Bounds>;

/// The digits of a function. A digit can be split in two, in mixed radix; forms that were made
/// before mention the old digit, and Normalise gives them the new ones.
class Digits {
 public:
  /// A form that counts 0, ..., extent - 1: a new digit, or 0 when the extent is 1.
  Form Count(int64_t extent);
  int64_t extent(int digit) const { return digits_[static_cast<size_t>(digit)].extent; }

  /// Splits a digit; `low_extent` divides its extent.
  void Split(int digit, int64_t low_extent);
  /// Grows with each split: what was computed before is out of date.
  int splits() const { return splits_; }

  void Normalise(Form& form) const;
  Form Normalised(Form form) const {
    Normalise(form);
    return form;
  }
  /// The digits that a digit was split into, the outermost first; itself when it was not.
  std::vector<int> Leaves(int digit) const;

  /// The least and the greatest value; nullopt when they are too large to be computed with. Digits
  /// are within `known`.
  std::optional<Bounds> BoundsOf(const Form& form, const DigitBounds& known = {}) const;

  /// `form += other * scale`; false when numbers become too large.
  bool Accumulate(Form& form, const Form& other, int64_t scale) const;

  /// Floor division of a form by a positive constant, and what it leaves. Digits are split where
  /// that makes the division exact. nullopt when in doubt.
  struct Division {
    Form quotient;
    Form rest;
  };
  std::optional<Division> Divide(Form form, int64_t divisor, const DigitBounds& known);

  /// For each digit of `written`, the value that makes `written` equal to `read`, when there is
  /// exactly one for all values of the digits of `read`. Digits are split as needed; the result
  /// has the leaves of `written`. nullopt when in doubt.
  std::optional<absl::flat_hash_map<int, Form>> Solve(const Form& written, const Form& read,
                                                      const DigitBounds& known);

  /// Different values of the digits give different values of the form.
  bool IsInjective(const Form& form) const;
  /// No value of one form is a value of the other. The digits of each vary on their own.
  bool AreDisjoint(const Form& a, const Form& b) const;
  /// Where two forms are equal, both have the same value of `digits`. Other digits of each vary on
  /// their own.
  bool EqualOnlyAtSame(const Form& a, const Form& b, const std::vector<int>& digits) const;

 private:
  struct Digit {
    int64_t extent = 1;
    int low = -1;
    int high = -1;
    int parent = -1;
  };

  std::optional<Bounds> BoundsOfDigit(int digit, const DigitBounds& known) const;
  std::optional<absl::flat_hash_map<int, Form>> TrySolve(const Form& written, Form rest,
                                                         const DigitBounds& known);
  /// True when a digit of `form` was split so that multiples of `stride` come apart from the rest.
  bool SplitAt(const Form& form, int64_t stride);

  std::vector<Digit> digits_;
  int splits_ = 0;
};

/// Writes index expressions as forms.
class FormBuilder {
 public:
  explicit FormBuilder(Digits& digits) : digits_(digits) {}

  void Define(const Var* var, Form form) { variables_[var] = std::move(form); }
  void Forget(const Var* var) { variables_.erase(var); }

  /// The value of lane `lane` (a form, for vectors) of an integer expression of the variables that
  /// are defined; nullopt when in doubt: it may wrap, or is not linear.
  std::optional<Form> Evaluate(const Expr* expr, const Form& lane, const DigitBounds& known);

  /// Divisibility that a condition ensures: `form` is a multiple of `divisor`.
  struct Multiple {
    Form form;
    int64_t divisor = 1;
  };
  std::vector<Multiple> multiples;

 private:
  std::optional<Form> TryEvaluate(const Expr* expr, int depth);
  std::optional<Form> EvaluateCall(const Call* call, int depth);
  std::optional<Form> Quotient(const Expr* a, const Expr* b, bool rest, bool floor, int depth);

  Digits& digits_;
  absl::flat_hash_map<const Var*, Form> variables_;
  const Form* lane_ = nullptr;
  const DigitBounds* known_ = nullptr;
};

}  // namespace tenon

#endif  // TENON_ANALYSIS_DIGITS_H_
