#ifndef TENON_LOWERING_BLOB_H_
#define TENON_LOWERING_BLOB_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/constant.h"
#include "ir/memory_pools.h"
#include "support/byte_sink.h"
#include "support/file.h"

// Constant bytes of generated code, before it is said how they get into the program: as C text, by
// an assembler, in an object, or as a file beside it.

namespace tenon {

/// How the constants of a module get into a program.
enum class ConstantStorage : uint8_t {
  kAuto,    ///< kCArray up to a limit, else kObject
  kCArray,  ///< initialised arrays in the C source
  kIncbin,  ///< an assembler source that includes a file of bytes
  kObject,  ///< a relocatable ELF object
  kEmbed,   ///< a C source that has a file of bytes by `#embed`
  kFile,    ///< a safetensors file, opened or handed over at run time
};

/// kAuto: bytes of constants that a C compiler takes without noticeable delay; see
/// docs/constants.md.
inline constexpr int64_t kDefaultCArrayLimit = 64 << 10;

/// `auto`, `c-array`, `incbin`, `object`, `embed`, `file`, in the order of the enum.
std::span<const std::string_view> ConstantStorageNames();
std::optional<ConstantStorage> ParseConstantStorage(std::string_view name);

/// What a part of a blob holds: bytes, or one element over and over.
struct BlobPart {
  int64_t offset = 0;  ///< in the blob
  int64_t size_bytes = 0;
  DataType dtype = DataType::UInt(8);  ///< of its elements
  std::vector<int64_t> shape;          ///< of these, for files that name tensors
  std::string name;                    ///< what files call it; not unique
  std::span<const uint8_t> bytes;      ///< of that size; empty for a splat
  std::shared_ptr<const void> owner;   ///< keeps `bytes`
  bool is_mapped = false;              ///< `bytes` lie in a mapped file: see PagedBytes
  uint64_t element = 0;                ///< of a splat: the element's bits, low bytes first

  bool is_splat() const { return bytes.empty() && size_bytes > 0; }
};

/// One stretch of constant memory that generated code knows by a C name.
struct Blob {
  std::string name;                    ///< a C identifier that is unique in the program
  DataType dtype = DataType::UInt(8);  ///< of the elements of the C array
  std::string c_type = "uint8_t";      ///< what C calls these
  int64_t size_bytes = 0;
  int64_t alignment = 1;   ///< a power of two
  std::string section;     ///< not empty
  std::string comment;     ///< what to say of it in the source, if anything
  bool is_copied = false;  ///< nothing reads it but a copy to RAM, before the first run
  /// In the order of their offsets, without overlaps; what is between them is zero.
  std::vector<BlobPart> parts;
};

/// A constant as a part at `offset`. The bytes live as long as the part does, whatever becomes of
/// the constant. An error if they cannot be had.
absl::StatusOr<BlobPart> PartOf(const Constant& constant, int64_t offset);

/// Bytes that come from elsewhere as a part; `owner` keeps them.
BlobPart PartOf(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner, int64_t offset);

/// The constants of a pool as parts, at their offsets. An error if one has no data, or does not fit
/// the pool.
absl::StatusOr<std::vector<BlobPart>> PartsOf(const PoolArg& arg);

/// `size_bytes` bytes of a part from its byte `begin` on, at the place they have in the blob.
BlobPart SubPart(const BlobPart& part, int64_t begin, int64_t size_bytes);

/// Sorts the parts of a blob, and takes out what several say of the same bytes. An error if they
/// say different things, or lie outside of the blob.
absl::Status Settle(Blob& blob);

/// Gives the bytes of a blob to `sink`, piece by piece and without a copy of the whole.
absl::Status StreamBlob(const Blob& blob, const ByteSink& sink);
/// The same of one part.
absl::Status StreamPart(const BlobPart& part, const ByteSink& sink);
/// So many zeros.
absl::Status StreamZeros(int64_t count, const ByteSink& sink);

/// All bytes of a blob; for small ones.
std::vector<uint8_t> BlobBytes(const Blob& blob);

}  // namespace tenon

#endif  // TENON_LOWERING_BLOB_H_
