#include "support/checked.h"

namespace tenon {

std::optional<int64_t> CheckedAlignUp(int64_t value, int64_t alignment) {
  if (value < 0 || !IsPowerOfTwo(alignment)) return std::nullopt;
  std::optional<int64_t> bumped = CheckedAdd(value, alignment - 1);
  if (!bumped) return std::nullopt;
  return *bumped & ~(alignment - 1);
}

std::optional<int64_t> ProductOf(std::span<const int64_t> shape) {
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0 || extent >= kSizeLimit) return std::nullopt;
    empty |= extent == 0;
  }
  if (empty) return 0;
  int64_t product = 1;
  for (int64_t extent : shape) {
    std::optional<int64_t> next = CheckedMul(product, extent);
    if (!next || *next >= kSizeLimit) return std::nullopt;
    product = *next;
  }
  return product;
}

std::optional<int64_t> BytesOf(std::span<const int64_t> shape, int64_t element_bytes) {
  std::optional<int64_t> elements = ProductOf(shape);
  if (!elements || element_bytes < 0) return std::nullopt;
  std::optional<int64_t> bytes = CheckedMul(*elements, element_bytes);
  if (!bytes || *bytes >= kSizeLimit) return std::nullopt;
  return bytes;
}

}  // namespace tenon
