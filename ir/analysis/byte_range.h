#ifndef TENON_IR_ANALYSIS_BYTE_RANGE_H_
#define TENON_IR_ANALYSIS_BYTE_RANGE_H_

#include <cstdint>
#include <optional>

#include "ir/analysis/digits.h"
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

/// The bytes of accesses of `width` bytes at all values of `address`, if they leave no gaps;
/// nullopt when in doubt.
std::optional<ByteRange> BytesCovered(const Digits& digits, const LinearIndex& address,
                                      int64_t width);

/// The bytes that an access may reach, relative to the buffer's data pointer, given the ranges of
/// variables; nullopt if they are not known.
std::optional<ByteRange> BytesReached(const Buffer* buffer, Span<const Expr*> indices,
                                      const IndexRanges& ranges);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_BYTE_RANGE_H_
