#ifndef TENON_PASSES_LOWERING_ALLOCATION_PLACES_H_
#define TENON_PASSES_LOWERING_ALLOCATION_PLACES_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/function.h"

// Internal to passes/: the places at which the alloc_buffers of blocks are allocated.

namespace tenon {

struct AllocationPlaces {
  /// Buffers to allocate around a statement, outermost first.
  absl::flat_hash_map<const Stmt*, std::vector<const Buffer*>> around;
  /// Buffers to allocate around the body (and init) of their own block.
  absl::flat_hash_map<const Block*, std::vector<const Buffer*>> in_block;
};

/// Finds for each alloc_buffer of a function the smallest statement that contains all uses of its
/// storage. The statement is not inside a loop that its block is outside of. Unused buffers have no
/// place.
AllocationPlaces FindAllocationPlaces(const PrimFunc& function);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_ALLOCATION_PLACES_H_
