#ifndef TENON_IR_ANALYSIS_INDEX_FORM_H_
#define TENON_IR_ANALYSIS_INDEX_FORM_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/stmt.h"

namespace tenon {

/// The bytes `first`, ..., `end - 1` behind a pointer.
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
/// 0, 1, ..., extent - 1; where indices divide it (loops that were fused: `f // 8`, `f % 8`) it is
/// split in two, in mixed radix. Forms that are handed out stay right only if they are given to
/// Keep(), which follows splits. All answers are nullopt when in doubt: a number that may wrap, a
/// variable that is no counter, an expression that is too deep.
class IndexForms {
 public:
  struct Digit {
    int64_t extent = 1;
    /// Of the loops around all of what is looked at.
    bool outer = false;
    /// As given to Enter; of lanes, 0.
    int group = 0;
    /// How many iterations of its loop one step of the digit takes: 1 for the lowest digit.
    int64_t weight = 1;
  };

  /// Adds the counter of a loop; false when its bounds are not constants, or it may be empty.
  /// What a digit is split into is of its group.
  bool Enter(const For* loop, bool outer, int group = 0);
  /// Adds a variable that stands for a number of the counters so far, such as one of a T.LetStmt;
  /// false when in doubt.
  bool Define(const Var* var, const Expr* value);
  /// Forgets the counter, but not the digits, which forms may mention.
  void Leave(const For* loop) { Forget(loop->loop_var); }
  /// Forgets a counter or a variable that Define added.
  void Forget(const Var* var) { counters_.erase(var); }

  /// The address of the first byte of an access, relative to the buffer's data pointer; a vector of
  /// consecutive or strided elements has its lanes as one more digit.
  std::optional<IndexForm> AddressOf(const Buffer* buffer, Span<const Expr*> indices);

  /// Forms that are to follow splits, in the order in which they were given.
  size_t Keep(IndexForm form) {
    kept_.push_back(std::move(form));
    return kept_.size() - 1;
  }
  const IndexForm& Kept(size_t i) const { return kept_[i]; }
  const std::vector<Digit>& digits() const { return digits_; }

  /// The bytes that accesses of `width` bytes reach, when they leave none out in between. With
  /// `inner_only`, only inner digits move, and outer ones are 0.
  std::optional<ByteRange> Covered(const IndexForm& form, int64_t width, bool inner_only) const;
  /// The least range that holds all bytes of the accesses; the same for outer digits.
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

/// What an integer may be.
struct IndexRange {
  int64_t min = 0;
  int64_t max = 0;
};
using IndexRanges = absl::flat_hash_map<const Var*, IndexRange>;

/// The bytes that an access may reach, relative to the buffer's data pointer, given what variables
/// may be; nullopt when they are not known.
std::optional<ByteRange> BytesReached(const Buffer* buffer, Span<const Expr*> indices,
                                      const IndexRanges& ranges);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_INDEX_FORM_H_
