#ifndef TENON_SCHEDULE_CHECK_FORMS_H_
#define TENON_SCHEDULE_CHECK_FORMS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"

// Linear forms of the validator. It does not use the forms that schedules or emitted loops rely on,
// so that a mistake there cannot be repeated here.

namespace tenon::check {

/// The number of a form in its table. Equal forms have equal numbers.
using FormId = int;

/// constant + sum(stride * digit). Terms are in the order of digits; strides are not 0.
struct LinearSum {
  int64_t constant = 0;
  absl::InlinedVector<std::pair<int, int64_t>, 4> terms;

  bool operator==(const LinearSum&) const = default;
  template <class H>
  friend H AbslHashValue(H hash, const LinearSum& sum) {
    hash = H::combine(std::move(hash), sum.constant, sum.terms.size());
    for (const auto& [digit, stride] : sum.terms) hash = H::combine(std::move(hash), digit, stride);
    return hash;
  }
};

/// All forms of one comparison. A digit counts 0, 1, ..., extent - 1, or is the quotient or the
/// remainder of a form by a number.
class FormTable {
 public:
  /// A new digit, as a form; 0 if the extent is 1.
  FormId Count(int64_t extent, std::string name);
  FormId Constant(int64_t value) { return Intern({value, {}}); }
  FormId Digit(int digit) { return Intern({0, {{digit, 1}}}); }
  /// a + b * scale.
  FormId Add(FormId a, FormId b, int64_t scale = 1);
  FormId Scale(FormId a, int64_t scale) { return Add(Constant(0), a, scale); }
  /// Division by a positive number, toward minus infinity, and its remainder.
  FormId FloorDiv(FormId a, int64_t divisor);
  FormId FloorMod(FormId a, int64_t divisor);
  /// The same toward zero.
  FormId TruncDiv(FormId a, int64_t divisor);
  FormId TruncMod(FormId a, int64_t divisor);
  /// The form with a digit replaced by `value`.
  FormId Replace(FormId form, int digit, FormId value);

  const LinearSum& At(FormId form) const { return forms_[static_cast<size_t>(form)]; }
  bool IsConstant(FormId form) const { return At(form).terms.empty(); }
  /// The digit that the form is; -1 for other forms.
  int AsDigit(FormId form) const;
  bool Is(FormId form, int64_t value) const {
    return IsConstant(form) && At(form).constant == value;
  }
  int64_t extent(int digit) const { return digits_[static_cast<size_t>(digit)].extent; }
  const std::string& name(int digit) const { return digits_[static_cast<size_t>(digit)].name; }
  int64_t StrideOf(FormId form, int digit) const;
  /// True if a form has a quotient or a remainder.
  bool HasDerived(FormId form) const;
  int digit_count() const { return static_cast<int>(digits_.size()); }

  /// Bounds of all values.
  std::pair<int64_t, int64_t> BoundsOf(FormId form) const;
  /// Marks the counting digits that the form depends on.
  void AddDigits(FormId form, std::vector<int>& digits) const;
  /// The value if counting digit i is `at[i]`.
  int64_t ValueAt(FormId form, const std::vector<int64_t>& at) const;

  /// True if a number was too large for this table; forms are then wrong.
  bool overflowed() const { return overflowed_; }

 private:
  enum class Kind : uint8_t { kCount, kQuotient, kRemainder, kTruncQuotient, kTruncRemainder };
  struct DigitInfo {
    Kind kind = Kind::kCount;
    int64_t extent = 1;
    std::string name;
    FormId of = -1;
    int64_t divisor = 1;
  };

  FormId Intern(LinearSum sum);
  FormId Derived(Kind kind, FormId of, int64_t divisor);
  FormId Divide(Kind kind, FormId of, int64_t divisor);
  static int64_t DerivedValue(Kind kind, int64_t of, int64_t divisor);
  int64_t Checked(__int128 value);
  /// The part of a form that is a multiple of `divisor`, divided by it, and the remaining part.
  std::pair<FormId, FormId> Divided(FormId a, int64_t divisor);

  std::vector<LinearSum> forms_;
  std::vector<DigitInfo> digits_;
  absl::flat_hash_map<LinearSum, FormId> ids_;
  absl::flat_hash_map<std::pair<std::pair<int, FormId>, int64_t>, int> derived_;
  bool overflowed_ = false;
};

}  // namespace tenon::check

#endif  // TENON_SCHEDULE_CHECK_FORMS_H_
