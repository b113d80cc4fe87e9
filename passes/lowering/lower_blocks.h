#ifndef TENON_PASSES_LOWERING_LOWER_BLOCKS_H_
#define TENON_PASSES_LOWERING_LOWER_BLOCKS_H_

#include "passes/pass.h"

namespace tenon {

/// Turns schedulable TIR into loops, allocations and plain statements: no block remains.
///
///   before:
///     def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "float32")):
///         for i, k in T.grid(4, 8):
///             with T.block("sum"):
///                 vi, vk = T.axis.remap("SR", [i, k])
///                 T.reads(A[vi, vk])
///                 T.writes(B[vi])
///                 with T.init():
///                     B[vi] = T.float32(0)
///                 B[vi] = B[vi] + A[vi, vk]
///   after:
///     def f(...):
///         for i, k in T.grid(4, 8):
///             if k == 0:
///                 B[i] = T.float32(0)
///             B[i] = B[i] + A[i, k]
///
/// - Iteration variables are replaced by the values that they are bound to; long values are bound
///   by a let.
/// - A predicate becomes an `if`; `init` runs if all reduction variables are at their minimum.
/// - A match_buffer becomes a view of the source's storage, with the source's strides and the
///   region's offset.
/// - alloc_buffers become allocations around the smallest statement that contains all uses and that
///   no loop separates from the block, because an iteration may read what an earlier one wrote.
///   Unused alloc_buffers are removed.
/// - Read and write regions and block annotations are removed, because they are only hints to
///   schedulers.
///
/// Idempotent. (TVM: ConvertBlocksToOpaque, LowerInitBlock, PlanAndUpdateBufferAllocationLocation,
/// LowerMatchBuffer and LowerOpaqueBlock.)
absl::StatusOr<IRModule> LowerBlocks(const IRModule& module, const NoOptions& options,
                                     PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_LOWER_BLOCKS_H_
