#include "ir/extents.h"

#include "support/checked.h"

namespace tenon {

std::optional<std::vector<int64_t>> StaticShape(Span<const Expr*> extents) {
  std::vector<int64_t> shape;
  shape.reserve(extents.size());
  for (const Expr* extent : extents) {
    const int64_t* value = AsIntImm(extent);
    if (value == nullptr) return std::nullopt;
    shape.push_back(*value);
  }
  return shape;
}

std::optional<int64_t> StaticCount(Span<const Expr*> extents) {
  const auto shape = StaticShape(extents);
  return shape ? ProductOf(*shape) : std::nullopt;
}

std::optional<int64_t> StaticBytes(DataType dtype, Span<const Expr*> extents) {
  const auto shape = StaticShape(extents);
  return shape && dtype.bytes() > 0 ? BytesOf(*shape, dtype.bytes()) : std::nullopt;
}

std::optional<std::vector<int64_t>> CompactShape(const Buffer& buffer) {
  std::optional<std::vector<int64_t>> shape = StaticShape(buffer.shape);
  if (!shape || !ProductOf(*shape) || !IsConstInt(buffer.elem_offset, 0)) return std::nullopt;
  int64_t expected = 1;
  for (size_t i = buffer.strides.size(); i-- > 0;) {
    const int64_t* stride = AsIntImm(buffer.strides[i]);
    // The stride of an extent of one does not matter.
    if (stride == nullptr || (*stride != expected && (*shape)[i] != 1)) return std::nullopt;
    const std::optional<int64_t> next = CheckedMul(expected, (*shape)[i]);
    if (!next) return std::nullopt;
    expected = *next;
  }
  return shape;
}

}  // namespace tenon
