#ifndef TENON_PASSES_LOOPS_VECTORIZE_LOOPS_H_
#define TENON_PASSES_LOOPS_VECTORIZE_LOOPS_H_

#include "passes/pass.h"

namespace tenon {

struct VectorizeLoopsOptions {
  int64_t max_lanes = 64;

  static constexpr auto List() {
    return std::make_tuple(PassOption<VectorizeLoopsOptions, int64_t>{
        "max-lanes", &VectorizeLoopsOptions::max_lanes, "lanes of the widest vectors, 4 to 64"});
  }
};

/// Computes iterations of a loop at once, in vectors, if they are independent of each other
/// (analysis/loop_independence.h) and access elements in a row, or all the same element. Inner
/// loops stay, so a sum over them is made in lanes, each in its old order: results are the same,
/// bit for bit. Inner allocations get a lane for each iteration, at most 1024 bytes, and less than
/// that on the stack.
///
///   before:  for c in range(16):                  after:  sum = T.allocate([1], "int32x16")
///                sum = T.allocate([1], "int32")           sum_1[0] = T.Broadcast(0, 16)
///                sum_1[0] = 0                             for k in range(8):
///                for k in range(8):                           sum_1[0] = sum_1[0] +
///                    sum_1[0] = sum_1[0] +                        T.Broadcast(x[k], 16) *
///                        x[k] * w[k * 16 + c]                     w[k * 16:k * 16 + 16]
///                y[c] = sum_1[0]                          y[0:16] = sum_1[0]
///
/// The lanes of a load may be up to 4 elements apart. The last vector may compute results again. A
/// loop over places and one over few channels, as in `y[w * 3 + c] = x[w * 3 + c] * f[c]`, are
/// computed as one: lanes of `f` are picked from a row.
///
/// The pass takes the innermost such loop of a nest. It has constant bounds and is serial; up to 16
/// iterations are one vector, more of them vectors of the largest power of two, 8 or more, that
/// divides their number. Indices with variables of LetStmts stop it: run inline-lets before.
/// Idempotent.
absl::StatusOr<IRModule> VectorizeLoops(const IRModule& module,
                                        const VectorizeLoopsOptions& options, PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_VECTORIZE_LOOPS_H_
