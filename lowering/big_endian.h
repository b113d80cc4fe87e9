#ifndef TENON_LOWERING_BIG_ENDIAN_H_
#define TENON_LOWERING_BIG_ENDIAN_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/module.h"
#include "lowering/blob.h"

// Constants are stored in little-endian order. On a big-endian target, bytes that elements of
// several widths share may have no order that is correct for all of them.

namespace tenon {

/// The bytes of a blob in big-endian order of the elements of its parts, which may overlap. An
/// error if two parts need shared bytes in different orders.
absl::StatusOr<std::vector<uint8_t>> BigEndianBytes(const Blob& blob);

/// C text that fails to compile for a big-endian machine. Must come after the include of
/// tenon_runtime.h.
inline constexpr std::string_view kLittleEndianOnly =
    "#if defined(TENON_BIG_ENDIAN)\n"
    "#error \"the bytes of constants are for little-endian machines\"\n"
    "#endif\n\n";

/// Whether the little-endian bytes of a blob mean different numbers on a big-endian machine.
/// Conservatively true for large blobs with elements of several bytes.
bool DependsOnByteOrder(const Blob& blob);

/// Whether the elements of these parts have the same bytes on big-endian and little-endian
/// machines.
bool IsSameInBigEndian(std::span<const BlobPart> parts);

/// Checks the parts, which may overlap, of a blob of `size_bytes` bytes. An error as for
/// BigEndianBytes.
absl::Status CheckSharedBytes(std::span<const BlobPart> parts, int64_t size_bytes);

/// Checks the bytes that constants share (slices, including those of merge-constants) for all
/// constants that functions of the module use, before they are in pools. An error as for
/// BigEndianBytes.
absl::Status CheckBigEndian(const IRModule& module);

}  // namespace tenon

#endif  // TENON_LOWERING_BIG_ENDIAN_H_
