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

// Constants have the low byte of an element first. For a target that has the high one first, bytes
// that elements of several widths share may have no order that is right for all of them.

namespace tenon {

/// The bytes of a blob as a big-endian machine has the elements of its parts, which may overlap.
/// An error where two parts share bytes that have another order in each.
absl::StatusOr<std::vector<uint8_t>> BigEndianBytes(const Blob& blob);

/// C that refuses to be compiled for a big-endian machine; after tenon_runtime.h.
inline constexpr std::string_view kLittleEndianOnly =
    "#if defined(TENON_BIG_ENDIAN)\n"
    "#error \"bytes of constants are those of little-endian machines\"\n"
    "#endif\n\n";

/// The bytes of a blob, in the order of little-endian machines, are other numbers on a big-endian
/// one. True of large blobs that have elements of several bytes.
bool DependsOnByteOrder(const Blob& blob);

/// Big-endian machines have the elements of these parts byte for byte as others do.
bool IsSameInBigEndian(std::span<const BlobPart> parts);

/// The parts, which may overlap, of a blob of `size_bytes` bytes: an error as above.
absl::Status CheckSharedBytes(std::span<const BlobPart> parts, int64_t size_bytes);

/// Looks at all constants that functions of the module use, before they are in pools, for bytes
/// that they share: slices, which merge-constants makes, too. An error as above.
absl::Status CheckBigEndian(const IRModule& module);

}  // namespace tenon

#endif  // TENON_LOWERING_BIG_ENDIAN_H_
