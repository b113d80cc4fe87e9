#ifndef TENON_IR_EXTENTS_H_
#define TENON_IR_EXTENTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/buffer.h"
#include "ir/expr.h"

namespace tenon {

/// The values of constant extents, which may be negative; nullopt if an extent is not constant.
std::optional<std::vector<int64_t>> StaticShape(Span<const Expr*> extents);

/// The product of `extents`, 1 if there are none; nullopt if an extent is not constant or is
/// negative, or if an extent or the product is kSizeLimit or more.
std::optional<int64_t> StaticCount(Span<const Expr*> extents);

/// The bytes of StaticCount(extents) values of `dtype`, lanes included; 0 if an extent is zero.
/// Nullopt if the count is not known, if `dtype` has no constant size (void, scalable vectors), or
/// if the result is kSizeLimit or more.
std::optional<int64_t> StaticBytes(DataType dtype, Span<const Expr*> extents);

/// The shape of a buffer whose elements are contiguous and begin at its data pointer; nullopt for
/// other buffers, and if StaticCount(buffer.shape) is not known.
std::optional<std::vector<int64_t>> CompactShape(const Buffer& buffer);

}  // namespace tenon

#endif  // TENON_IR_EXTENTS_H_
