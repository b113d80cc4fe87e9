// Constants are read byte by byte, so that hosts of both byte orders agree. The interval of a splat
// comes from its element alone, without its bytes, which may be gigabytes.

#include "passes/fusion/constant_elements.h"

#include <utility>
#include <vector>

#include "ir/const_fold.h"
#include "support/check.h"

namespace tenon {

int64_t IntegerAt(std::span<const uint8_t> bytes, size_t at, DataType dtype) {
  uint64_t bits = 0;
  for (size_t i = 0; i < static_cast<size_t>(dtype.element_bytes()); ++i) {
    bits |= static_cast<uint64_t>(bytes[at + i]) << (8 * i);
  }
  return WrapToDType(static_cast<int64_t>(bits), dtype);
}

Interval ElementsOf(const Constant& constant) {
  const DataType dtype = constant.dtype().element();
  const Interval all = Interval::OfDType(dtype);
  if (constant.source().kind == ConstantSource::Kind::kSplat) {
    const int64_t value = WrapToDType(static_cast<int64_t>(constant.source().element), dtype);
    return all.Contains(value) ? Interval::Point(value) : all;
  }
  const absl::StatusOr<std::span<const uint8_t>> bytes = constant.Bytes();
  if (!bytes.ok()) return all;
  Interval values = Interval::Empty();
  const auto size = static_cast<size_t>(dtype.element_bytes());
  for (size_t at = 0; at + size <= bytes->size(); at += size) {
    const int64_t value = IntegerAt(*bytes, at, dtype);
    // A uint64 above the largest int64 is in no bounded interval.
    if (!all.Contains(value)) return all;
    values = Unite(values, Interval::Point(value));
  }
  return values;
}

bool AreFinite(const Constant& constant) {
  if (constant.dtype().element() != DataType::Float(32) || !constant.has_bytes()) return false;
  const absl::StatusOr<std::span<const uint8_t>> bytes = constant.Bytes();
  if (!bytes.ok()) return false;
  constexpr uint8_t kExponent = 0x7f;
  for (size_t at = 0; at + 4 <= bytes->size(); at += 4) {
    const bool has_all_ones = ((*bytes)[at + 3] & kExponent) == kExponent && (*bytes)[at + 2] >> 7;
    if (has_all_ones) return false;
  }
  return true;
}

const Constant* WithElementType(Context& context, const Constant& constant, DataType element) {
  const DataType from = constant.dtype().element();
  const DataType to = element.with_lanes(constant.dtype().lanes());
  TENON_CHECK(from.is_integer() && to.element_bytes() <= from.element_bytes());
  if (constant.source().kind == ConstantSource::Kind::kSplat) {
    ConstantSource source = constant.source();
    source.element &= (uint64_t{1} << (8 * to.element_bytes())) - 1;
    return context.AddConstant(constant.name(), to, constant.shape(), std::move(source),
                               constant.placement(), constant.range());
  }
  const absl::StatusOr<std::span<const uint8_t>> bytes = constant.Bytes();
  TENON_CHECK(bytes.ok());
  const auto wide = static_cast<size_t>(from.element_bytes());
  const auto narrow = static_cast<size_t>(to.element_bytes());
  std::vector<uint8_t> kept;
  kept.reserve(bytes->size() / wide * narrow);
  for (size_t at = 0; at + wide <= bytes->size(); at += wide) {
    kept.insert(kept.end(), bytes->begin() + static_cast<std::ptrdiff_t>(at),
                bytes->begin() + static_cast<std::ptrdiff_t>(at + narrow));
  }
  return context.AddConstant(constant.name(), to, constant.shape(), std::move(kept),
                             constant.placement(), constant.range());
}

}  // namespace tenon
