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

/// A tensor of a file that text can refer to: what it has been read as.
struct FileTensor {
  std::string path;  ///< as it was opened: from the working directory
  DataType dtype;
  std::vector<int64_t> shape;
};

/// Where a constant's bytes come from.
struct ConstantSource {
  enum class Kind : uint8_t {
    kBytes,  ///< `bytes`, kept alive by `owner` (owned memory, or a mapped file)
    kSplat,  ///< every element has the bits `element`
    kSlice,  ///< bytes offset.. of `base`
    kHash,   ///< elided: only `hash` is known; the bytes cannot be had
  };
  Kind kind = Kind::kBytes;
  std::span<const uint8_t> bytes;
  std::shared_ptr<const void> owner;
  /// kBytes: they lie in a mapped file, so that their pages may be dropped (PagedBytes).
  bool is_mapped = false;
  uint64_t element = 0;  ///< the element's bits, low bytes first
  double splat_value = 0;
  const Constant* base = nullptr;
  int64_t offset = 0;
  /// kHash: of the bytes that are not there. kBytes, if `hash_claimed`: what the side file says the
  /// bytes have; taken for the hash, and checked when the bytes are first asked for.
  ContentHash hash;
  bool hash_claimed = false;
  /// For text: `I.file(file, key)`, the side file the bytes were read from. Empty when inline.
  std::string file;
  std::string file_key;
  /// The bytes are all of this tensor's; null when they are no such tensor, or not known to be.
  std::shared_ptr<const FileTensor> tensor;
};

/// How a constant is to be placed; all optional.
struct ConstantPlacement {
  int64_t alignment = 0;  ///< bytes, a power of two; 0: not said
  std::string section;
  std::vector<std::string> pools;    ///< candidates, in order
  bool address_significant = false;  ///< never merged with another
  /// The read-write pool into which the bytes are copied, or decompressed, once before the first
  /// run, and from which they are read; empty: they are used where they are stored.
  std::string load;
  /// How the bytes are stored until then: empty (as they are), "lz4" or "zstd". Not without `load`.
  std::string codec;
  bool operator==(const ConstantPlacement&) const = default;
};

/// What is wrong with `load` and `codec` together; empty when nothing is.
std::string LoadMistake(const ConstantPlacement& placement);

/// Constant data: elements of `dtype` (with its lanes) in `shape`, C order, little endian, each
/// element in whole bytes (a bool or int4 takes one). Owned by the Context, immutable, shared by
/// functions and modules. Thread safe.
class Constant {
 public:
  Constant(Symbol name, DataType dtype, std::vector<int64_t> shape, ConstantSource source,
           ConstantPlacement placement, SourceRange range);

  /// The name it is declared under in the module's table; empty for data written in place.
  Symbol name() const { return name_; }
  DataType dtype() const { return dtype_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  const ConstantSource& source() const { return source_; }
  const ConstantPlacement& placement() const { return placement_; }
  SourceRange range() const { return range_; }

  int64_t element_count() const { return element_count_; }
  int64_t size_bytes() const { return element_count_ * dtype_.bytes(); }

  /// True unless the bytes were elided, or are not those that the side file says they are.
  bool has_bytes() const;
  /// The bytes: borrowed where they are stored, expanded on first call for a splat. An error
  /// exactly when has_bytes() is false.
  absl::StatusOr<std::span<const uint8_t>> Bytes() const;
  /// Whether Bytes() lie in a mapped file: PagedBytes::is_mapped of them and of their parts.
  bool is_mapped() const;
  /// Bytes() for reading once, from front to back, with the helpers of support/file_pages.h.
  absl::StatusOr<PagedBytes> Paged() const;
  /// Calls `f` for the bytes in order, in pieces of at most kPieceBytes, until it fails; for
  /// contents of any size: pages of mapped files are dropped, splats are never expanded as a whole.
  absl::Status ForEachPiece(const std::function<absl::Status(std::string_view)>& f) const;
  /// The bytes as they are stored: those of Bytes(), or what the codec makes of them, on first
  /// call. The same bytes everywhere. An error also when the codec fails.
  absl::StatusOr<std::span<const uint8_t>> StoredBytes() const;
  /// XXH3-128 of the bytes, computed on first call (or the one that stands for elided bytes).
  absl::StatusOr<ContentHash> Hash() const;

 private:
  /// What a slice is cut from, through all slices, and where; a constant of its own is its root.
  struct Root {
    const Constant* constant;
    int64_t offset;
  };
  Root root() const;
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
