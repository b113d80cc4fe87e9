#ifndef TENON_PASSES_LOWERING_LOWER_BLOCKS_H_
#define TENON_PASSES_LOWERING_LOWER_BLOCKS_H_

#include "passes/pass.h"

namespace tenon {

/// Turns schedulable TIR into loops, allocations and plain statements: no Block or BlockRealize
/// remains.
///
///   before:  for i, k in T.grid(4, 8):                 after:  for i, k in T.grid(4, 8):
///                with T.block("sum"):                              if k == 0:
///                    vi, vk = T.axis.remap("SR", [i, k])               B[i] = 0
///                    with T.init():                                B[i] = B[i] + A[i, k]
///                        B[vi] = 0
///                    B[vi] = B[vi] + A[vi, vk]
///
/// - Iteration variables become the values that they are bound to; long values are bound by a let.
/// - A predicate becomes an `if`; `init` runs where all reduction variables are at their minimum.
/// - A match_buffer becomes a view of the source's storage, with the source's strides and the
///   region's offset.
/// - alloc_buffers become allocations around the smallest statement that contains all uses and has
///   no loop between it and the block, since an iteration may read what an earlier one wrote.
///   Unused ones are removed.
/// - Read and write regions and block annotations are dropped: they are hints to schedulers.
///
/// Idempotent. (TVM: ConvertBlocksToOpaque, LowerInitBlock, PlanAndUpdateBufferAllocationLocation,
/// LowerMatchBuffer and LowerOpaqueBlock.)
absl::StatusOr<IRModule> LowerBlocks(const IRModule& module, const NoOptions& options,
                                     PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_LOWER_BLOCKS_H_
