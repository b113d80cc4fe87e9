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

/// The constants that functions allocate, and the arrays of generated code that they become:
/// constants that share bytes share an array.
class ModuleConstants {
 public:
  ModuleConstants() = default;
  /// Those of `functions`, in their order, as far as they have bytes. Each begins at a multiple of
  /// `least_alignment` bytes, at least.
  ModuleConstants(const std::vector<const Function*>& functions, int64_t least_alignment);

  bool Contains(const AllocateConst* allocate) const { return index_.contains(allocate); }
  /// One an array.
  const std::vector<ConstantBlock>& blocks() const { return layout_.blocks; }
  /// The array that it lies in, and where there.
  ConstantLayout::Place PlaceOf(const AllocateConst& allocate) const {
    return layout_.places[index_.at(&allocate)];
  }
  /// The type of an array's elements.
  DataType TypeOf(size_t block) const;
  /// An array's bytes, of one part. Its name is that of a constant in it, and neither unique nor an
  /// identifier. An error if the bytes cannot be had.
  absl::StatusOr<Blob> BlobOf(size_t block) const;
  /// All that lies in an array, a part each, in its own type.
  absl::StatusOr<std::vector<BlobPart>> PartsIn(size_t block) const;

 private:
  /// What lends an array its type and name.
  struct Lender {
    const AllocateConst* allocate = nullptr;
    const Constant* data = nullptr;
    bool is_all = false;  ///< of the array
  };
  Lender LenderOf(size_t block) const;

  absl::flat_hash_map<const AllocateConst*, size_t> index_;
  std::vector<const AllocateConst*> allocations_;
  ConstantLayout layout_;
};

}  // namespace tenon

#endif  // TENON_LOWERING_MODULE_CONSTANTS_H_
