#ifndef TENON_ANALYSIS_DIGITS_H_
#define TENON_ANALYSIS_DIGITS_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/analysis/linear_index.h"
#include "ir/expr.h"

// Linear forms over the loops of a whole function. ir/analysis/index_form.h has forms for the loops
// around one place. Here the loops of all places are known together, forms can be divided, and
// splits also apply to earlier forms.

namespace tenon {

/// The range of an integer, inclusive.
struct Bounds {
  int64_t min = 0;
  int64_t max = 0;
  bool operator==(const Bounds&) const = default;
};

/// The ranges of single digits where a condition holds.
using DigitBounds = absl::flat_hash_map<int, Bounds>;

/// The digits of a function. A digit can be split in two, in mixed radix. Earlier forms still
/// mention the old digit; Normalise replaces it by the new ones.
class Digits {
 public:
  /// A form that counts 0, ..., extent - 1: a new digit, or 0 if the extent is 1.
  LinearIndex Count(int64_t extent);
  int64_t extent(int digit) const { return digits_[static_cast<size_t>(digit)].extent; }

  /// Splits a digit; `low_extent` divides its extent.
  void Split(int digit, int64_t low_extent);
  /// Grows with each split: earlier results are then outdated.
  int splits() const { return splits_; }

  void Normalise(LinearIndex& form) const;
  LinearIndex Normalised(LinearIndex form) const {
    Normalise(form);
    return form;
  }
  /// The digits that a digit was split into, the outermost first; the digit itself if it was not
  /// split.
  std::vector<int> Leaves(int digit) const;

  /// The least and the greatest value, for digits within `known`; nullopt if they are too large for
  /// further computation.
  std::optional<Bounds> BoundsOf(const LinearIndex& form, const DigitBounds& known = {}) const;

  /// `form += other * scale`; false if numbers become too large.
  bool Accumulate(LinearIndex& form, const LinearIndex& other, int64_t scale) const;

  /// Floor division of a form by a positive constant, and the remainder. Splits digits where that
  /// makes the division exact. Nullopt if unknown.
  struct Division {
    LinearIndex quotient;
    LinearIndex rest;
  };
  std::optional<Division> Divide(LinearIndex form, int64_t divisor, const DigitBounds& known);

  /// For each digit of `written`, the value that makes `written` equal to `read`, if there is
  /// exactly one for all values of the digits of `read`. Splits digits as needed; the result has
  /// the leaves of `written`. Nullopt if unknown.
  std::optional<absl::flat_hash_map<int, LinearIndex>> Solve(const LinearIndex& written,
                                                             const LinearIndex& read,
                                                             const DigitBounds& known);

  /// True if different digit values are proven to give different values of the form.
  bool IsInjective(const LinearIndex& form) const;
  /// True if the forms are proven to have no common value. Each form's digits vary independently.
  bool AreDisjoint(const LinearIndex& a, const LinearIndex& b) const;
  /// True if two equal values of the forms are proven to have the same values of `digits`. Each
  /// form's other digits vary independently.
  bool EqualOnlyAtSame(const LinearIndex& a, const LinearIndex& b,
                       const std::vector<int>& digits) const;

 private:
  struct Digit {
    int64_t extent = 1;
    int low = -1;
    int high = -1;
    int parent = -1;
  };

  std::optional<Bounds> BoundsOfDigit(int digit, const DigitBounds& known) const;
  std::optional<absl::flat_hash_map<int, LinearIndex>> TrySolve(const LinearIndex& written,
                                                                LinearIndex rest,
                                                                const DigitBounds& known);
  /// True if a digit of `form` was split to separate multiples of `stride` from the rest.
  bool SplitAt(const LinearIndex& form, int64_t stride);

  std::vector<Digit> digits_;
  int splits_ = 0;
};

/// Converts index expressions to forms.
class FormBuilder {
 public:
  explicit FormBuilder(Digits& digits) : digits_(digits) {}

  void Define(const Var* var, LinearIndex form) { variables_[var] = std::move(form); }
  void Forget(const Var* var) { variables_.erase(var); }

  /// The value of lane `lane` (a form, for vectors) of an integer expression over the defined
  /// variables. Nullopt if unknown: it may wrap, or is not linear.
  std::optional<LinearIndex> Evaluate(const Expr* expr, const LinearIndex& lane,
                                      const DigitBounds& known);

  /// Divisibility that a condition ensures: `form` is a multiple of `divisor`.
  struct Multiple {
    LinearIndex form;
    int64_t divisor = 1;
  };
  std::vector<Multiple> multiples;

 private:
  std::optional<LinearIndex> TryEvaluate(const Expr* expr, int depth);
  std::optional<LinearIndex> EvaluateCall(const Call* call, int depth);
  std::optional<LinearIndex> Quotient(const Expr* a, const Expr* b, bool rest, bool floor,
                                      int depth);

  Digits& digits_;
  absl::flat_hash_map<const Var*, LinearIndex> variables_;
  const LinearIndex* lane_ = nullptr;
  const DigitBounds* known_ = nullptr;
};

}  // namespace tenon

#endif  // TENON_ANALYSIS_DIGITS_H_
