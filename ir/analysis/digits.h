#ifndef TENON_IR_ANALYSIS_DIGITS_H_
#define TENON_IR_ANALYSIS_DIGITS_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/analysis/linear_index.h"
#include "ir/stmt.h"

// Linear indices over the digits of loops, which can be divided: where an index divides a counter,
// as in `f // 8` and `f % 8`, its digit is split in two.

namespace tenon {

/// The range of an integer, inclusive.
struct Bounds {
  int64_t min = 0;
  int64_t max = 0;
  bool operator==(const Bounds&) const = default;
};

/// The ranges of single digits where a condition holds.
using DigitBounds = absl::flat_hash_map<int, Bounds>;

/// The ranges of integer variables.
using IndexRanges = absl::flat_hash_map<const Var*, Bounds>;

/// Digits that count 0, 1, ..., extent - 1. A digit can be split in two, in mixed radix. Earlier
/// forms still mention the old digit; Normalise replaces it by the new ones.
class Digits {
 public:
  /// A form that counts 0, ..., extent - 1: a new digit, or 0 if the extent is 1. `group` is any
  /// number by which the caller knows the digit and its parts.
  LinearIndex Count(int64_t extent, int group = 0);
  int64_t extent(int digit) const { return digits_[static_cast<size_t>(digit)].extent; }
  int group(int digit) const { return digits_[static_cast<size_t>(digit)].group; }

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

  /// A digit that was not split.
  struct Leaf {
    int digit = 0;
    int64_t extent = 1;
    int group = 0;
    /// The steps of the digit from Count() in one step of this part: 1 for the lowest part.
    int64_t weight = 1;
  };
  /// All digits that were not split, in the order of Count(). The low part of a digit has its
  /// place; high parts are at the end, in the order of the splits.
  std::vector<Leaf> Leaves() const;

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

  /// True if different digit values are proven to give different values of the form, or values
  /// that are at least `width` apart.
  bool IsInjective(const LinearIndex& form, int64_t width = 1) const;
  /// True if `width` numbers from each value of the form on are proven to leave no gaps.
  bool IsContiguous(const LinearIndex& form, int64_t width) const;
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
    int group = 0;
    int64_t weight = 1;
    /// The place among leaves.
    int place = 0;
  };

  /// The strides of a form without their signs, the smallest first, and the extents.
  using Steps = absl::InlinedVector<std::pair<int64_t, int64_t>, 6>;
  Steps StepsOf(const LinearIndex& form) const;
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
  /// For forms whose bounds alone matter: variables that are not defined have any number of their
  /// range, and what is not linear any number between its bounds. `ranges` must outlive the
  /// builder.
  FormBuilder(Digits& digits, const IndexRanges* ranges) : digits_(digits), ranges_(ranges) {}

  void Define(const Var* var, LinearIndex form) { variables_[var] = std::move(form); }
  /// Defines a variable whose value is computed from others; false when in doubt.
  bool Define(const Var* var, const Expr* value);
  void Forget(const Var* var) { variables_.erase(var); }
  /// Defines the counter of a loop, with a digit of `group`; false if its bounds are not constant,
  /// or it may be empty.
  bool Enter(const For* loop, int group = 0);
  /// Forgets the counter, but not the digits, since forms may mention them.
  void Leave(const For* loop) { Forget(loop->loop_var); }
  /// Defines the counters of nested loops with constant bounds as the parts of `count`, which
  /// counts their iterations in order; false when in doubt.
  bool EnterAll(Span<const For*> loops, const LinearIndex& count);

  /// The value of lane `lane` (a form, for vectors) of an integer expression over the defined
  /// variables. Nullopt if unknown: it may wrap, or is not linear.
  std::optional<LinearIndex> Evaluate(const Expr* expr, const LinearIndex& lane,
                                      const DigitBounds& known);

  /// The element of an access, relative to the buffer's data pointer. The lanes of a vector that an
  /// index has are `lane`.
  std::optional<LinearIndex> ElementOf(const Buffer* buffer, Span<const Expr*> indices,
                                       const LinearIndex& lane, const DigitBounds& known);
  /// The first byte of each element of an access, relative to the buffer's data pointer. The lanes
  /// of a vector that an index has are a new digit of group 0.
  std::optional<LinearIndex> AddressOf(const Buffer* buffer, Span<const Expr*> indices);

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

  std::optional<LinearIndex> Variable(const Var* var);
  std::optional<LinearIndex> Product(const LinearIndex& a, const LinearIndex& b);
  /// A form that has all values within bounds.
  LinearIndex Within(const Bounds& bounds);

  Digits& digits_;
  /// Null if forms must be exact.
  const IndexRanges* ranges_ = nullptr;
  absl::flat_hash_map<const Var*, LinearIndex> variables_;
  const LinearIndex* lane_ = nullptr;
  const DigitBounds* known_ = nullptr;
};

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_DIGITS_H_
