#include "ir/analysis/byte_range.h"

#include "ir/buffer.h"

namespace tenon {

namespace {

std::optional<ByteRange> RangeOf(const Digits& digits, const LinearIndex& address, int64_t width) {
  const std::optional<Bounds> bounds = digits.BoundsOf(address);
  if (!bounds) return std::nullopt;
  return ByteRange{bounds->min, bounds->max + width};
}

}  // namespace

std::optional<ByteRange> BytesCovered(const Digits& digits, const LinearIndex& address,
                                      int64_t width) {
  std::optional<ByteRange> range = RangeOf(digits, address, width);
  if (!range || !digits.IsContiguous(address, width)) return std::nullopt;
  return range;
}

std::optional<ByteRange> BytesReached(const Buffer* buffer, Span<const Expr*> indices,
                                      const IndexRanges& ranges) {
  Digits digits;
  const auto address = FormBuilder(digits, &ranges).AddressOf(buffer, indices);
  return address ? RangeOf(digits, *address, buffer->dtype.bytes()) : std::nullopt;
}

}  // namespace tenon
