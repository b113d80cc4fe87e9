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

/// Makes it possible to plan the memory of parallel loops. What is allocated in one is each
/// iteration's own. Small scratch may be on the stack of the thread that runs it and stays; for
/// larger scratch, so many copies are allocated in front of the loop, each a multiple of 64 bytes,
/// and the loop becomes one over as many tasks.
///
///   before:  for i in T.parallel(8):          after:  x_all = T.allocate([4 * 2048], "int8")
///                x = T.allocate([2048], "int8")        for task in T.parallel(4):
///                ...                                       for i in T.serial(task * 2, task * 2 +
///                2):
///                                                              x = T.address_of(x_all[task *
///                                                              2048])
///                                                              ...
///
/// A loop becomes serial where that cannot be done: its number of iterations or the size of large
/// scratch is not constant, it calls a function of the module that has large scratch, it returns
/// from the function, or it has one iteration. The outermost loop that can be is the one that is
/// parallel; those within it are left alone.
/// Idempotent. Counters: place-parallel-scratch.copied (allocations), .serial (loops).
absl::StatusOr<IRModule> PlaceParallelScratch(const IRModule& module,
                                              const PlaceParallelScratchOptions& options,
                                              PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_PLACE_PARALLEL_SCRATCH_H_
