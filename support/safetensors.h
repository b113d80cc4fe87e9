#ifndef TENON_SUPPORT_SAFETENSORS_H_
#define TENON_SUPPORT_SAFETENSORS_H_

// The safetensors format: 8 bytes of header length (little endian), a JSON header, the tensors
// without holes. https://github.com/huggingface/safetensors#format

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
  std::string dtype;  // as TVMScript writes it: `bool`, `int8`, `bfloat16`, `e4m3_float8`, ...
  std::vector<int64_t> shape;  // empty for a scalar
  int64_t offset = 0;          // of its bytes, from the start of the file
  int64_t size = 0;            // in bytes; that of dtype and shape
};

/// A file whose header has been checked in full. Tensors are not copied: their bytes are the
/// file's.
class SafetensorsFile {
 public:
  /// All tensors in the order of their bytes in the file, those that only pad included.
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
  std::vector<uint32_t> metadata_by_key_;  // likewise
};

/// Checks the header of `file`: its length (at most 100 MB), JSON without duplicate keys, and for
/// each tensor a known type, a shape, and offsets that are in range, in order, of the size that
/// type and shape have; that tensors neither overlap nor leave holes, and that the last ends with
/// the file. The error starts with the file's path and names the tensor.
absl::StatusOr<SafetensorsFile> ParseSafetensors(std::shared_ptr<const FileBytes> file);

/// ParseSafetensors of the file `path`.
absl::StatusOr<SafetensorsFile> ReadSafetensors(std::string_view path);

/// One tensor to be written. Its bytes are borrowed: they go to the file without another copy.
struct SafetensorsTensor {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  std::string_view bytes;
  int64_t alignment = 1;  // of its place in the file: a power of two, at most kSafetensorsAlignment
  bool is_mapped = false;  // `bytes` lie in a mapped file: see PagedBytes
  // Instead of `bytes`: gives the data of dtype and shape.
  ByteSource append = nullptr;
};

/// The data of files that are written starts at a multiple of this, so that a mapped tensor is
/// aligned in memory as it is in the file. No more could be had from a mapping.
inline constexpr int64_t kSafetensorsAlignment = 4096;

/// Writes a file, whole or not at all. Tensors with larger alignments come first, each as soon as
/// the offset suits it, otherwise in the order given; where the offset suits none, a uint8 tensor
/// `__pad_<n>` fills the gap, since the format forbids holes. An error if a name is used twice or
/// is not UTF-8, a type has no safetensors form, or bytes are not those of type and shape.
absl::Status WriteSafetensors(std::string_view path, std::span<const SafetensorsTensor> tensors,
                              const SafetensorsMetadata& metadata = {});

/// Gives the bytes of that file to `sink`.
absl::Status StreamSafetensors(const ByteSink& sink, std::span<const SafetensorsTensor> tensors,
                               const SafetensorsMetadata& metadata = {});

/// What a file begins with whose tensors lie in the order given, without gaps: the length and the
/// header, a multiple of kSafetensorsAlignment. For those who write the data themselves; errors are
/// those of WriteSafetensors.
absl::StatusOr<std::string> SafetensorsHeader(std::span<const SafetensorsTensor> tensors,
                                              const SafetensorsMetadata& metadata = {});

/// True for the names that WriteSafetensors gives to tensors that only pad.
bool IsSafetensorsPad(std::string_view name);

/// Bytes of an element of `dtype` (TVMScript's name) if safetensors has that type, else 0.
int64_t SafetensorsElementBytes(std::string_view dtype);

}  // namespace tenon

#endif  // TENON_SUPPORT_SAFETENSORS_H_
