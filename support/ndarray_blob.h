#ifndef TENON_SUPPORT_NDARRAY_BLOB_H_
#define TENON_SUPPORT_NDARRAY_BLOB_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tenon {

/// An array in TVM's binary format, which the JSON of a printed module's metadata contains as
/// base64. All fields are little endian: magic u64 (0xdd5e40f096b4a13f), reserved u64, device type
/// i32, device id i32, number of extents i32, type code u8, bits u8, lanes u16, the extents i64
/// each, size of the data i64, the data in C order.
struct NdArrayBlob {
  uint64_t reserved = 0;
  int32_t device_type = 1;  // 1 is the CPU; nothing else is accepted
  int32_t device_id = 0;
  uint8_t type_code =
      0;  // DLPack's: 0 int, 1 uint, 2 float, 4 bfloat; float8 e4m3 and e5m2: 6, 7, or 10, 12
  uint8_t bits = 0;
  uint16_t lanes = 1;
  std::vector<int64_t> shape;
  std::string_view data;  // borrowed

  /// The element type in TVMScript, such as `int8`, `bool` (uint1) or `e4m3_float8`; empty if the
  /// code is not one of the above.
  std::string dtype() const;
};

/// Reads a blob that occupies all of `bytes`; its data points into `bytes`. Errors: truncation, a
/// size that does not match the shape, lanes other than 1, a device other than the CPU, an unknown
/// type, trailing bytes.
absl::StatusOr<NdArrayBlob> DecodeNdArrayBlob(std::string_view bytes);

/// The inverse of DecodeNdArrayBlob, byte for byte. An error if the data's size does not match the
/// shape.
absl::StatusOr<std::string> EncodeNdArrayBlob(const NdArrayBlob& blob);

}  // namespace tenon

#endif  // TENON_SUPPORT_NDARRAY_BLOB_H_
