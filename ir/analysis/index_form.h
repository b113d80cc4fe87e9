#ifndef TENON_IR_ANALYSIS_INDEX_FORM_H_
#define TENON_IR_ANALYSIS_INDEX_FORM_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/stmt.h"

namespace tenon {

/// The bytes `first`, ..., `end - 1`, relative to a pointer.
struct ByteRange {
  int64_t first = 0;
  int64_t end = 0;
  bool empty() const { return first >= end; }
  bool Covers(const ByteRange& other) const { return first <= other.first && other.end <= end; }
  bool operator==(const ByteRange&) const = default;
};

/// A number as `constant + sum(strides[d] * digit d)`. Digits that are not mentioned have stride 0.
struct IndexForm {
  int64_t constant = 0;
  std::vector<int64_t> strides;

  int64_t stride(size_t digit) const { return digit < strides.size() ? strides[digit] : 0; }
};

/// Writes indices of nested loops as linear forms. The counter of a loop is a digit, which counts
/// 0, 1, ..., extent - 1. Where indices divide it (fused loops: `f // 8`, `f % 8`), the digit is
/// split in two, in mixed radix. A split invalidates the forms that were returned before, except
/// those given to Keep(). All answers are nullopt when in doubt: a number that may wrap, a variable
/// that is not a counter, an expression that is too deep.
class IndexForms {
 public:
  struct Digit {
    int64_t extent = 1;
    /// The digit's loop is one of the outer loops, which surround everything that is analyzed.
    bool outer = false;
    /// As given to Enter; 0 for lanes.
    int group = 0;
    /// The number of iterations of the loop in one step of the digit: 1 for the lowest digit.
    int64_t weight = 1;
  };

  /// Adds the counter of a loop; false if its bounds are not constant, or it may be empty. The
  /// parts of a split digit stay in its group.
  bool Enter(const For* loop, bool outer, int group = 0);
  /// Adds a variable whose value is computed from the counters so far, such as one of a T.LetStmt;
  /// false when in doubt.
  bool Define(const Var* var, const Expr* value);
  /// Forgets the counter, but not the digits, since forms may mention them.
  void Leave(const For* loop) { Forget(loop->loop_var); }
  /// Forgets a counter or a variable that Define added.
  void Forget(const Var* var) { counters_.erase(var); }

  /// The address of the first byte of an access, relative to the buffer's data pointer. The lanes
  /// of a vector of consecutive or strided elements are one more digit.
  std::optional<IndexForm> AddressOf(const Buffer* buffer, Span<const Expr*> indices);

  /// Keeps `form` valid across splits. Returns its index for Kept().
  size_t Keep(IndexForm form) {
    kept_.push_back(std::move(form));
    return kept_.size() - 1;
  }
  const IndexForm& Kept(size_t i) const { return kept_[i]; }
  const std::vector<Digit>& digits() const { return digits_; }

  /// The bytes that accesses of `width` bytes reach, if they are contiguous. With `inner_only`,
  /// only inner digits vary, and outer digits are 0.
  std::optional<ByteRange> Covered(const IndexForm& form, int64_t width, bool inner_only) const;
  /// The smallest range that contains all bytes of the accesses; `inner_only` as above.
  std::optional<ByteRange> Reach(const IndexForm& form, int64_t width, bool inner_only) const;

 private:
  /// The value of a counter or a defined variable is `min + sum(weight * digit)`.
  struct Counter {
    int64_t min = 0;
    std::vector<std::pair<size_t, int64_t>> parts;
  };

  std::optional<IndexForm> Evaluate(const Expr* expr, int depth);
  std::optional<IndexForm> EvaluateCall(const Call* call, int depth);
  std::optional<IndexForm> Quotient(const Expr* a, const Expr* b, bool rest, int depth);
  std::optional<IndexForm> QuotientBy(IndexForm form, int64_t divisor, bool rest);
  std::optional<IndexForm> TryAddressOf(const Buffer* buffer, Span<const Expr*> indices);
  std::optional<size_t> NewDigit(int64_t extent, bool outer, int group = 0);
  void Split(size_t digit, int64_t low_extent);
  static bool Accumulate(IndexForm& form, const IndexForm& other, int64_t scale);

  absl::flat_hash_map<const Var*, Counter> counters_;
  std::vector<Digit> digits_;
  std::vector<IndexForm> kept_;
  /// Set when a split has made forms that are being computed stale.
  bool split_ = false;
};

/// The values that an integer may have.
struct IndexRange {
  int64_t min = 0;
  int64_t max = 0;
};
using IndexRanges = absl::flat_hash_map<const Var*, IndexRange>;

/// The bytes that an access may reach, relative to the buffer's data pointer, given the ranges of
/// variables; nullopt if they are not known.
std::optional<ByteRange> BytesReached(const Buffer* buffer, Span<const Expr*> indices,
                                      const IndexRanges& ranges);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_INDEX_FORM_H_
