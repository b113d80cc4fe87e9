#ifndef TENON_PASSES_MEMORY_PLACE_PARALLEL_SCRATCH_H_
#define TENON_PASSES_MEMORY_PLACE_PARALLEL_SCRATCH_H_

#include "ir/storage_defaults.h"
#include "passes/pass.h"

namespace tenon {

struct PlaceParallelScratchOptions {
  int64_t copies = 4;
  int64_t stack = kStackLimit;

  static constexpr auto List() {
    using O = PlaceParallelScratchOptions;
    return std::make_tuple(
        PassOption{"copies", &O::copies,
                   "most iterations of a loop that have large scratch at one time"},
        PassOption{"stack", &O::stack, "least bytes of scratch that are too large for the stack"});
  }
};

/// Prepares the memory of parallel loops for planning. An allocation inside a parallel loop belongs
/// to one iteration.
///
/// - Scratch of fewer than `stack` bytes (1,024) remains in the loop, and may be on the thread's
///   stack. So does scratch in scopes that memory planning ignores; limit-stack moves large scratch
///   of these to the scope `global`.
/// - For larger scratch, the pass allocates `copies` of it (4) in front of the loop, each a
///   multiple of 64 bytes. The loop becomes a loop over that many tasks.
///
///   before:
///     def f(A: T.Buffer((10,), "int8")):
///         for i in T.parallel(10):
///             x = T.allocate([2048], "int8", "global")
///             x_1 = T.Buffer((2048,), "int8", data=x)
///             x_1[i] = A[i]
///             A[i] = x_1[i]
///   after:
///     def f(...):
///         x_all = T.allocate([8192], "int8", "global")
///         for task in T.parallel(4):
///             for i in range(task * 3, task * 3 + T.min(3, 10 - task * 3)):
///                 x_all_1 = T.Buffer((8192,), "int8", data=x_all)
///                 x: T.handle("int8", "global") = T.address_of(x_all_1[task * 2048])
///                 x_1 = T.Buffer((2048,), "int8", data=x)
///                 x_1[i] = A[i]
///                 A[i] = x_1[i]
///
/// A loop becomes serial in these cases:
///
/// - The number of its iterations, or the size of large scratch, is not constant.
/// - It calls a function of the module that has large scratch.
/// - It returns from the function.
/// - It has one iteration.
///
/// The outermost possible loops remain parallel; the pass does not change loops inside them. Run
/// lower-blocks and flatten-buffers first. Idempotent.
///
/// Counters: `place-parallel-scratch.copied` (allocations), `place-parallel-scratch.serial`
/// (loops).
absl::StatusOr<IRModule> PlaceParallelScratch(const IRModule& module,
                                              const PlaceParallelScratchOptions& options,
                                              PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_PLACE_PARALLEL_SCRATCH_H_
