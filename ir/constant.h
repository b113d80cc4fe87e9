#ifndef TENON_IR_CONSTANT_H_
#define TENON_IR_CONSTANT_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/dtype.h"
#include "support/file_pages.h"
#include "support/interner.h"
#include "support/source.h"

namespace tenon {

class Constant;

/// A 128-bit content hash (XXH3).
struct ContentHash {
  uint64_t high = 0;
  uint64_t low = 0;
  friend bool operator==(const ContentHash&, const ContentHash&) = default;
};

/// A tensor in a file that the text can refer to, as it was read.
struct FileTensor {
  std::string path;  ///< as it was opened, relative to the working directory
  DataType dtype;
  std::vector<int64_t> shape;
};

/// The source of a constant's bytes.
struct ConstantSource {
  enum class Kind : uint8_t {
    kBytes,  ///< `bytes`, kept alive by `owner` (owned memory, or a mapped file)
    kSplat,  ///< every element has the bits `element`
    kSlice,  ///< bytes offset.. of `base`
    kHash,   ///< elided: only `hash` is known, the bytes are not available
  };
  Kind kind = Kind::kBytes;
  std::span<const uint8_t> bytes;
  std::shared_ptr<const void> owner;
  /// kBytes: the bytes are in a mapped file, so their pages may be dropped (PagedBytes).
  bool is_mapped = false;
  uint64_t element = 0;  ///< the element's bits, low bytes first
  double splat_value = 0;
  const Constant* base = nullptr;
  int64_t offset = 0;
  /// kHash: the hash of the elided bytes. kBytes with `hash_claimed`: the hash that the side file
  /// states. It is used as the hash, and checked at the first access to the bytes.
  ContentHash hash;
  bool hash_claimed = false;
  /// For printing `I.file(file, key)`: the side file that the bytes were read from. Empty for
  /// inline data.
  std::string file;
  std::string file_key;
  /// The tensor whose bytes these are, as a whole; null if there is no such tensor or it is not
  /// known.
  std::shared_ptr<const FileTensor> tensor;
};

/// The requested placement of a constant; all members are optional.
struct ConstantPlacement {
  int64_t alignment = 0;  ///< bytes, a power of two; 0: unspecified
  std::string section;
  std::vector<std::string> pools;    ///< candidates, in order
  bool address_significant = false;  ///< never merged with another
  /// The read-write pool into which the bytes are copied or decompressed once before the first run,
  /// and from which they are read. Empty: the bytes are used where they are stored.
  std::string load;
  /// The encoding of the stored bytes: empty (none), "lz4" or "zstd". Requires `load`.
  std::string codec;
  bool operator==(const ConstantPlacement&) const = default;
};

/// An error text if `load` and `codec` do not fit together; else empty.
std::string LoadMistake(const ConstantPlacement& placement);

/// Constant data: elements of `dtype` (with its lanes) in `shape`, C order, little endian, each
/// element in whole bytes (a bool or int4 takes one). Owned by the Context, immutable, shared by
/// functions and modules. Thread safe.
class Constant {
 public:
  Constant(Symbol name, DataType dtype, std::vector<int64_t> shape, ConstantSource source,
           ConstantPlacement placement, SourceRange range);

  /// The name in the module's table of constants; empty for data written in place.
  Symbol name() const { return name_; }
  DataType dtype() const { return dtype_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  const ConstantSource& source() const { return source_; }
  const ConstantPlacement& placement() const { return placement_; }
  SourceRange range() const { return range_; }

  int64_t element_count() const { return element_count_; }
  int64_t size_bytes() const { return element_count_ * dtype_.bytes(); }

  /// True unless the bytes were elided, or differ from the hash that the side file states.
  bool has_bytes() const;
  /// The bytes, without a copy. A splat is expanded on the first call. An error exactly if
  /// has_bytes() is false.
  absl::StatusOr<std::span<const uint8_t>> Bytes() const;
  /// Whether Bytes() are in a mapped file: PagedBytes::is_mapped for them and their parts.
  bool is_mapped() const;
  /// Bytes() for reading once, from front to back, with the helpers of support/file_pages.h.
  absl::StatusOr<PagedBytes> Paged() const;
  /// Calls `f` with the bytes in order, in pieces of at most kPieceBytes, until `f` fails. Suitable
  /// for contents of any size: pages of mapped files are dropped, and splats are never expanded as
  /// a whole.
  absl::Status ForEachPiece(const std::function<absl::Status(std::string_view)>& f) const;
  /// The bytes as they are stored: Bytes(), or the result of the codec, which runs on the first
  /// call. The result is the same on every machine. An error also if the codec fails.
  absl::StatusOr<std::span<const uint8_t>> StoredBytes() const;
  /// XXH3-128 of the bytes, computed on the first call; for elided bytes the known hash.
  absl::StatusOr<ContentHash> Hash() const;

  /// The constant that a slice was cut from, through all slices, and the offset in it in bytes. Any
  /// other constant is its own root.
  struct Root {
    const Constant* constant;
    int64_t offset;
  };
  Root root() const;

 private:
  bool MatchesClaim() const;
  std::span<const uint8_t> Expanded(const Constant& splat, int64_t offset) const;
  /// Writes the bytes of this splat from `offset` on.
  void FillSplat(int64_t offset, std::span<uint8_t> out) const;

  Symbol name_;
  DataType dtype_;
  std::vector<int64_t> shape_;
  ConstantSource source_;
  ConstantPlacement placement_;
  SourceRange range_;
  int64_t element_count_ = 1;
  mutable std::mutex mutex_;
  mutable std::vector<uint8_t> expanded_;
  mutable std::optional<std::vector<uint8_t>> compressed_;
  mutable std::optional<ContentHash> hash_;
  enum class Claim : uint8_t { kUnchecked, kTrue, kFalse };
  mutable std::atomic<Claim> claim_ = Claim::kUnchecked;
};

/// Same dtype, shape and bytes. Elided constants compare by hash.
bool SameContents(const Constant& a, const Constant& b);

}  // namespace tenon

#endif  // TENON_IR_CONSTANT_H_
