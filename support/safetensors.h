#ifndef TENON_SUPPORT_SAFETENSORS_H_
#define TENON_SUPPORT_SAFETENSORS_H_

// The safetensors format: 8 bytes of header length (little endian), a JSON header, and the tensors
// without gaps. https://github.com/huggingface/safetensors#format

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "support/byte_sink.h"

namespace tenon {

class FileBytes;

/// Names and values of the header's `__metadata__`.
using SafetensorsMetadata = std::vector<std::pair<std::string, std::string>>;

/// One tensor of a file that is being read.
struct SafetensorsEntry {
  std::string name;
  std::string dtype;           // as in TVMScript: `bool`, `int8`, `bfloat16`, `e4m3_float8`, ...
  std::vector<int64_t> shape;  // empty for a scalar
  int64_t offset = 0;          // of its bytes, from the start of the file
  int64_t size = 0;            // in bytes; matches dtype and shape
};

/// A file whose header has been fully checked. Tensors are not copied: their bytes point into the
/// file.
class SafetensorsFile {
 public:
  /// All tensors in the order of their bytes in the file, including padding tensors.
  std::span<const SafetensorsEntry> entries() const { return entries_; }
  const SafetensorsMetadata& metadata() const { return metadata_; }
  /// The tensor `name`, or null.
  const SafetensorsEntry* Find(std::string_view name) const;
  /// The value of the metadata key `key`, or null.
  const std::string* FindMetadata(std::string_view key) const;
  /// The bytes of one of entries(). Valid while file() lives.
  std::string_view BytesOf(const SafetensorsEntry& entry) const;
  const std::shared_ptr<const FileBytes>& file() const { return file_; }

 private:
  friend absl::StatusOr<SafetensorsFile> ParseSafetensors(std::shared_ptr<const FileBytes> file);

  std::shared_ptr<const FileBytes> file_;
  std::vector<SafetensorsEntry> entries_;
  std::vector<uint32_t> by_name_;  // indices of entries_, sorted by their names
  SafetensorsMetadata metadata_;
  std::vector<uint32_t> metadata_by_key_;  // indices of the metadata, sorted by their keys
};

/// Checks the header of `file`: a length of at most 100 MB, JSON without duplicate keys, and for
/// each tensor a known type, a shape, and offsets in range and in order that match type and shape.
/// Tensors must neither overlap nor leave gaps, and the last one must end with the file. The error
/// starts with the file's path and names the tensor.
absl::StatusOr<SafetensorsFile> ParseSafetensors(std::shared_ptr<const FileBytes> file);

/// ParseSafetensors of the file `path`.
absl::StatusOr<SafetensorsFile> ReadSafetensors(std::string_view path);

/// One tensor to be written. Its bytes are borrowed and written without a copy.
struct SafetensorsTensor {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  std::string_view bytes;
  int64_t alignment = 1;   // of its file offset: a power of two, at most kSafetensorsAlignment
  bool is_mapped = false;  // `bytes` are in a mapped file: see PagedBytes
  // Produces the data instead of `bytes`.
  ByteSource append = nullptr;
};

/// The data of written files starts at a multiple of this, so that a mapped tensor has the same
/// alignment in memory as in the file. A mapping guarantees no larger alignment.
inline constexpr int64_t kSafetensorsAlignment = 4096;

/// Writes a file, whole or not at all. Tensors with larger alignments come first, each as soon as
/// the offset is aligned for it; otherwise the order is the given one. If the offset is not aligned
/// for any tensor, a uint8 tensor `__pad_<n>` fills the gap, since the format forbids gaps. An
/// error if a name is used twice or is not UTF-8, if safetensors lacks a type, or if the bytes do
/// not match type and shape.
absl::Status WriteSafetensors(std::string_view path, std::span<const SafetensorsTensor> tensors,
                              const SafetensorsMetadata& metadata = {});

/// Passes the bytes of that file to `sink`.
absl::Status StreamSafetensors(const ByteSink& sink, std::span<const SafetensorsTensor> tensors,
                               const SafetensorsMetadata& metadata = {});

/// The beginning of a file whose tensors are in the given order, without gaps: the length and the
/// header, padded to a multiple of kSafetensorsAlignment. For callers that write the data
/// themselves. Errors as in WriteSafetensors.
absl::StatusOr<std::string> SafetensorsHeader(std::span<const SafetensorsTensor> tensors,
                                              const SafetensorsMetadata& metadata = {});

/// Whether a name is one that WriteSafetensors gives to padding tensors.
bool IsSafetensorsPad(std::string_view name);

/// Bytes of an element of `dtype` (a TVMScript name) if safetensors has that type, else 0.
int64_t SafetensorsElementBytes(std::string_view dtype);

}  // namespace tenon

#endif  // TENON_SUPPORT_SAFETENSORS_H_
