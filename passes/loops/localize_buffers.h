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

/// Excludes small allocations (up to `max-bytes`, 256) from memory planning, and moves them so that
/// they enclose as few statements as possible. They become registers, or arrays on the stack. A sum
/// in a pool is written back at every step, because any pointer might point to it.
///
///   before:
///     def f(x: T.Buffer((12,), "int32"), y: T.Buffer((4,), "int32")):
///         sum = T.allocate([1], "int32", "global")
///         sum_1 = T.Buffer((1,), "int32", data=sum)
///         for i in range(4):
///             sum_1[0] = 0
///             for k in range(3):
///                 sum_1[0] = sum_1[0] + x[i * 3 + k]
///             y[i] = sum_1[0]
///   after:
///     def f(...):
///         for i in range(4):
///             sum = T.allocate([1], "int32", "global", annotations={"candidate_memory_pools": []})
///             sum_1 = T.Buffer((1,), "int32", data=sum)
///             sum_1[0] = 0
///             ...
///
/// - An allocation of one element moves into a loop if every iteration writes it before reading it.
/// - An allocation is left unchanged if it is passed to a function, or if its candidate pools are
///   already set.
/// - `max-bytes` is below 1,024, because back ends refuse larger arrays on the stack.
/// - In a function, at most `max-stack` bytes (512) of local arrays are live together. If there are
///   more, outer arrays remain in pools. Allocations of one element do not count.
///
/// Idempotent.
absl::StatusOr<IRModule> LocalizeBuffers(const IRModule& module,
                                         const LocalizeBuffersOptions& options,
                                         PassContext& context);
}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_LOCALIZE_BUFFERS_H_
