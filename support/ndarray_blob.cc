#include "support/ndarray_blob.h"

#include <optional>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "support/checked.h"
#include "support/little_endian.h"
#include "support/status_macros.h"

namespace tenon {
namespace {

constexpr uint64_t kMagic = 0xdd5e40f096b4a13f;
constexpr int32_t kCpu = 1;

/// Reads integers from the front of bytes. Past the end, it returns zeros and ok() is false.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  T Take() {
    if (rest_.size() < sizeof(T)) {
      ok_ = false;
      return T{};
    }
    const T value = LoadLittleEndian<T>(rest_);
    rest_.remove_prefix(sizeof(T));
    return value;
  }
  bool ok() const { return ok_; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

absl::Status Truncated(std::string_view bytes, std::string_view part) {
  return absl::InvalidArgumentError(
      fmt::format("NDArray blob of {} bytes ends within its {}", bytes.size(), part));
}

/// The size of the data in bytes according to the fields.
absl::StatusOr<int64_t> DataBytes(const NdArrayBlob& blob) {
  if (blob.dtype().empty()) {
    return absl::InvalidArgumentError(fmt::format(
        "NDArray blob has the unknown type code {} with {} bits", blob.type_code, blob.bits));
  }
  if (blob.lanes != 1) {
    return absl::InvalidArgumentError(
        fmt::format("NDArray blob has elements of {} lanes, expected 1", blob.lanes));
  }
  if (blob.device_type != kCpu) {
    return absl::InvalidArgumentError(
        fmt::format("NDArray blob is of device type {}, expected 1 (the CPU)", blob.device_type));
  }
  std::optional<int64_t> bytes = BytesOf(blob.shape, (blob.bits + 7) / 8);
  if (!bytes) {
    return absl::InvalidArgumentError(
        fmt::format("NDArray blob has the impossible shape [{}]", fmt::join(blob.shape, ", ")));
  }
  return *bytes;
}

}  // namespace

std::string NdArrayBlob::dtype() const {
  const bool common = bits == 8 || bits == 16 || bits == 32 || bits == 64;
  switch (type_code) {
    case 0:
      return common || bits == 4 ? fmt::format("int{}", bits) : "";
    case 1:
      if (bits == 1) return "bool";
      return common || bits == 4 ? fmt::format("uint{}", bits) : "";
    case 2:
      return common && bits != 8 ? fmt::format("float{}", bits) : "";
    case 4:
      return bits == 16 ? "bfloat16" : "";
    case 6:
      return bits == 8 ? "e4m3_float8" : "";
    case 7:
      return bits == 8 ? "e5m2_float8" : "";
    case 10:
      return bits == 8 ? "float8_e4m3fn" : "";
    case 12:
      return bits == 8 ? "float8_e5m2" : "";
    default:
      return "";
  }
}

absl::StatusOr<NdArrayBlob> DecodeNdArrayBlob(std::string_view bytes) {
  Cursor cursor(bytes);
  const auto magic = cursor.Take<uint64_t>();
  if (cursor.ok() && magic != kMagic) {
    return absl::InvalidArgumentError(
        fmt::format("NDArray blob starts with 0x{:016x}, expected 0x{:016x}", magic, kMagic));
  }
  NdArrayBlob blob;
  blob.reserved = cursor.Take<uint64_t>();
  blob.device_type = cursor.Take<int32_t>();
  blob.device_id = cursor.Take<int32_t>();
  const auto ndim = cursor.Take<int32_t>();
  blob.type_code = cursor.Take<uint8_t>();
  blob.bits = cursor.Take<uint8_t>();
  blob.lanes = cursor.Take<uint16_t>();
  if (!cursor.ok()) return Truncated(bytes, "header");
  if (ndim < 0) {
    return absl::InvalidArgumentError(fmt::format("NDArray blob has {} dimensions", ndim));
  }
  if (static_cast<size_t>(ndim) > cursor.rest().size() / sizeof(int64_t)) {
    return Truncated(bytes, fmt::format("shape of {} extents", ndim));
  }
  blob.shape.reserve(static_cast<size_t>(ndim));
  for (int32_t i = 0; i < ndim; ++i) blob.shape.push_back(cursor.Take<int64_t>());
  const auto size = cursor.Take<int64_t>();
  if (!cursor.ok()) return Truncated(bytes, "data size");

  TENON_ASSIGN_OR(const int64_t expected, DataBytes(blob));
  if (size != expected) {
    return absl::InvalidArgumentError(
        fmt::format("NDArray blob says that {} [{}] takes {} bytes, expected {}", blob.dtype(),
                    fmt::join(blob.shape, ", "), size, expected));
  }
  blob.data = cursor.rest();
  const auto have = static_cast<int64_t>(blob.data.size());
  if (have < size) {
    return absl::InvalidArgumentError(
        fmt::format("NDArray blob has {} of {} bytes of data", have, size));
  }
  if (have > size) {
    return absl::InvalidArgumentError(
        fmt::format("NDArray blob is followed by {} more bytes", have - size));
  }
  return blob;
}

absl::StatusOr<std::string> EncodeNdArrayBlob(const NdArrayBlob& blob) {
  TENON_ASSIGN_OR(const int64_t expected, DataBytes(blob));
  if (static_cast<int64_t>(blob.data.size()) != expected) {
    return absl::InvalidArgumentError(fmt::format("{} bytes of data for {} [{}], expected {}",
                                                  blob.data.size(), blob.dtype(),
                                                  fmt::join(blob.shape, ", "), expected));
  }
  std::string bytes;
  bytes.reserve(40 + 8 * blob.shape.size() + blob.data.size());
  AppendLittleEndian(kMagic, &bytes);
  AppendLittleEndian(blob.reserved, &bytes);
  AppendLittleEndian(blob.device_type, &bytes);
  AppendLittleEndian(blob.device_id, &bytes);
  AppendLittleEndian(static_cast<int32_t>(blob.shape.size()), &bytes);
  AppendLittleEndian(blob.type_code, &bytes);
  AppendLittleEndian(blob.bits, &bytes);
  AppendLittleEndian(blob.lanes, &bytes);
  for (int64_t extent : blob.shape) AppendLittleEndian(extent, &bytes);
  AppendLittleEndian(expected, &bytes);
  bytes.append(blob.data);
  return bytes;
}

}  // namespace tenon
