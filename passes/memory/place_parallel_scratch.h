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

/// Prepares parallel loops for memory planning. Each iteration has its own copy of an allocation in
/// the loop. Small scratch may be on the stack of its thread and stays. For larger scratch, the
/// pass allocates several copies before the loop, each a multiple of 64 bytes, and the loop becomes
/// a loop over as many tasks.
///
///   before:  for i in T.parallel(8):
///                x = T.allocate([2048], "int8")
///                ...
///   after:   x_all = T.allocate([4 * 2048], "int8")
///            for task in T.parallel(4):
///                for i in T.serial(task * 2, task * 2 + 2):
///                    x = T.address_of(x_all[task * 2048])
///                    ...
///
/// A loop becomes serial if that is impossible. Its number of iterations or the size of large
/// scratch is not constant. It calls a function of the module with large scratch. It returns from
/// the function, or has one iteration. The outermost possible loop is the parallel one; loops
/// inside it are not changed. Idempotent. Counters: place-parallel-scratch.copied (allocations),
/// .serial (loops).
absl::StatusOr<IRModule> PlaceParallelScratch(const IRModule& module,
                                              const PlaceParallelScratchOptions& options,
                                              PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_PLACE_PARALLEL_SCRATCH_H_
