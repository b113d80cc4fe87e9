#ifndef TENON_LOWERING_MODULE_CONSTANTS_H_
#define TENON_LOWERING_MODULE_CONSTANTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "ir/analysis/constant_layout.h"
#include "ir/module.h"
#include "lowering/blob.h"

namespace tenon {

/// Maps the constants that functions allocate to arrays of generated code. Constants that share
/// bytes share an array.
class ModuleConstants {
 public:
  ModuleConstants() = default;
  /// Lays out the constants of `functions`, in their order; skips elided constants. Each constant
  /// is aligned to at least `least_alignment` bytes.
  ModuleConstants(const std::vector<const Function*>& functions, int64_t least_alignment);

  bool Contains(const AllocateConst* allocate) const { return index_.contains(allocate); }
  /// One per array.
  const std::vector<ConstantBlock>& blocks() const { return layout_.blocks; }
  /// The array of a constant, and the offset in it.
  ConstantLayout::Place PlaceOf(const AllocateConst& allocate) const {
    return layout_.places[index_.at(&allocate)];
  }
  /// The type of an array's elements.
  DataType TypeOf(size_t block) const;
  /// The bytes of an array as one part. Its name is that of a constant in the array, and neither
  /// unique nor an identifier. An error if the bytes are not available.
  absl::StatusOr<Blob> BlobOf(size_t block) const;
  /// The constants in an array, as one part each with its own type.
  absl::StatusOr<std::vector<BlobPart>> PartsIn(size_t block) const;

 private:
  /// The constant that gives an array its type and name.
  struct Lender {
    const AllocateConst* allocate = nullptr;
    const Constant* data = nullptr;
    bool is_all = false;  ///< `data` covers the whole array
  };
  Lender LenderOf(size_t block) const;

  absl::flat_hash_map<const AllocateConst*, size_t> index_;
  std::vector<const AllocateConst*> allocations_;
  ConstantLayout layout_;
};

}  // namespace tenon

#endif  // TENON_LOWERING_MODULE_CONSTANTS_H_
