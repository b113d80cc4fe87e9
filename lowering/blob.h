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

// Constant bytes of generated code, independent of how they get into the program: as C text,
// through an assembler, in an object, or as a separate file.

namespace tenon {

/// The ways in which a module's constants get into a program.
enum class ConstantStorage : uint8_t {
  kAuto,    ///< kCArray up to a limit, otherwise what AutoStorage says
  kCArray,  ///< initialised arrays in the C source
  kIncbin,  ///< an assembler source that includes a file of bytes
  kObject,  ///< a relocatable ELF object
  kEmbed,   ///< a C source that includes a file of bytes by `#embed`
  kFile,    ///< a safetensors file that the program opens, or passes to the code, at run time
};

/// The meaning of kAuto.
struct AutoStorage {
  /// Constants up to this many bytes in total are C arrays.
  int64_t c_array_limit = 0;
  /// The storage of more bytes.
  ConstantStorage large = ConstantStorage::kObject;
};

/// A C compiler compiles arrays up to this size without noticeable delay (docs/guide/constants.md),
/// and an object for the machine takes none.
inline constexpr AutoStorage kStorageForMachine = {64 << 10, ConstantStorage::kObject};
/// Nobody has said for which machine the program is, so it gets no object. Arrays beyond this size
/// take compilers minutes: gcc 12 takes 213 s for 50 MB (docs/guide/constants.md).
inline constexpr AutoStorage kStorageForAnyMachine = {16 << 20, ConstantStorage::kFile};

/// `wanted`, or the choice of kAuto for `total` bytes of constants.
ConstantStorage ChooseStorage(ConstantStorage wanted, const AutoStorage& choice, int64_t total);
/// A sentence about a choice of kAuto that the user may not expect: `total` bytes in a file. Empty
/// for other choices.
std::string StorageNote(ConstantStorage wanted, ConstantStorage chosen, int64_t total);

/// `auto`, `c-array`, `incbin`, `object`, `embed`, `file`, in the order of the enum.
std::span<const std::string_view> ConstantStorageNames();
std::optional<ConstantStorage> ParseConstantStorage(std::string_view name);

/// A part of a blob: bytes, or one repeated element.
struct BlobPart {
  int64_t offset = 0;  ///< in the blob
  int64_t size_bytes = 0;
  DataType dtype = DataType::UInt(8);  ///< of its elements
  std::vector<int64_t> shape;          ///< in elements, for files that name tensors
  std::string name;                    ///< the name in files; not unique
  std::span<const uint8_t> bytes;      ///< `size_bytes` bytes; empty for a splat
  std::shared_ptr<const void> owner;   ///< owns `bytes`
  bool is_mapped = false;              ///< `bytes` are in a mapped file: see PagedBytes
  uint64_t element = 0;                ///< of a splat: the element's bits, low bytes first

  bool is_splat() const { return bytes.empty() && size_bytes > 0; }
};

/// A block of constant memory that has a C name in generated code.
struct Blob {
  std::string name;                    ///< a C identifier that is unique in the program
  DataType dtype = DataType::UInt(8);  ///< of the elements of the C array
  std::string c_type = "uint8_t";      ///< the C name of `dtype`
  int64_t size_bytes = 0;
  int64_t alignment = 1;   ///< a power of two
  std::string section;     ///< not empty
  std::string comment;     ///< a comment in the source; may be empty
  bool is_copied = false;  ///< only read by the copy to RAM before the first run
  /// In the order of their offsets, without overlaps. Bytes between parts are zero.
  std::vector<BlobPart> parts;
};

/// The bytes of all blobs.
int64_t TotalBytes(std::span<const Blob> blobs);

/// A constant as a part at `offset`. The part keeps the bytes alive, independently of the constant.
/// An error if the constant has no bytes.
absl::StatusOr<BlobPart> PartOf(const Constant& constant, int64_t offset);

/// Other bytes as a part; `owner` keeps them alive.
BlobPart PartOf(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner, int64_t offset);

/// The constants of a pool as parts, at their offsets. An error if one has no data, or does not fit
/// the pool.
absl::StatusOr<std::vector<BlobPart>> PartsOf(const PoolArg& arg);

/// `size_bytes` bytes of a part from its byte `begin` on, at their offset in the blob.
BlobPart SubPart(const BlobPart& part, int64_t begin, int64_t size_bytes);

/// Sorts the parts of a blob and removes overlaps. An error if parts disagree on bytes that they
/// share, or lie outside the blob.
absl::Status Settle(Blob& blob);

/// Passes the bytes of a blob to `sink` piece by piece, without a copy of all of them.
absl::Status StreamBlob(const Blob& blob, const ByteSink& sink);
/// As StreamBlob, for one part.
absl::Status StreamPart(const BlobPart& part, const ByteSink& sink);
/// Passes `count` zeros to `sink`.
absl::Status StreamZeros(int64_t count, const ByteSink& sink);

/// The symbol of a part in objects and assembly: `tvmgen_kws_flash.weight`, without the `_let` that
/// planning adds to the names of constants.
std::string PartSymbol(std::string_view blob, std::string_view part);

/// All bytes of a blob; for small ones.
std::vector<uint8_t> BlobBytes(const Blob& blob);

}  // namespace tenon

#endif  // TENON_LOWERING_BLOB_H_
