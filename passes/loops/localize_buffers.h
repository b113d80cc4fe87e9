#ifndef TENON_PASSES_LOOPS_LOCALIZE_BUFFERS_H_
#define TENON_PASSES_LOOPS_LOCALIZE_BUFFERS_H_

#include "ir/stmt.h"
#include "passes/pass.h"

namespace tenon {

struct LocalizeBuffersOptions {
  int64_t max_bytes = 256;
  int64_t max_stack = 512;

  static constexpr auto List() {
    using O = LocalizeBuffersOptions;
    return std::make_tuple(
        PassOption<O, int64_t>{"max-bytes", &O::max_bytes, "the largest buffer that becomes local"},
        PassOption<O, int64_t>{"max-stack", &O::max_stack,
                               "the most bytes of local arrays that a function "
                               "has at a time"});
  }
};

/// Takes small allocations out of memory planning, and around as few statements as possible: they
/// become registers, or arrays on the stack, which nothing else can point to. In a pool a sum of a
/// convolution lies next to its inputs, and is written back to memory at every step.
///
///   before:  sum = T.allocate([1], "int32")       after:  for i in range(4):
///            sum_1 = T.Buffer((1,), "int32",                  sum = T.allocate([1], "int32",
///                             data=sum)                           annotations={
///            for i in range(4):                                   "candidate_memory_pools": []})
///                sum_1[0] = 0                                 sum_1[0] = 0
///                ...                                          ...
///
/// An allocation goes into a loop only when it is one element, and each iteration writes it before
/// anything else. Allocations that name their pools already stay, and so do allocations that are
/// passed to a function. If arrays that are live at a time would take more than `max_stack` bytes,
/// the outer ones stay. Idempotent.
absl::StatusOr<IRModule> LocalizeBuffers(const IRModule& module,
                                         const LocalizeBuffersOptions& options,
                                         PassContext& context);
}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_LOCALIZE_BUFFERS_H_
