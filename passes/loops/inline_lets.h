#ifndef TENON_PASSES_LOOPS_INLINE_LETS_H_
#define TENON_PASSES_LOOPS_INLINE_LETS_H_

#include "passes/pass.h"

namespace tenon {

/// Replaces integer variables by their values, if a value is index arithmetic of at most about 64
/// operators that reads no memory. Passes that analyse indices then see whole expressions. Code
/// generators compute repeated values only once.
///
///   before:
///     def f(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
///         for i, j in T.grid(8, 8):
///             k: T.int32 = i * 8
///             A[k + j] = B[k + j]
///   after:
///     def f(...):
///         for i, j in T.grid(8, 8):
///             A[i * 8 + j] = B[i * 8 + j]
///
/// Idempotent.
absl::StatusOr<IRModule> InlineLets(const IRModule& module, const NoOptions& options,
                                    PassContext& context);

/// Replaces integer variables by their values, as InlineLets does, and also pointers such as
/// `p = T.address_of(a[4])`, unless `p` is a buffer's data. Passes that analyse a function's calls
/// then see the memory that each argument points to.
Function InlineIndexAndPointerLets(Context& context, const Function& function);

/// Replaces pointers that are other names of a pointer to the same dtype, as in `p = q.data`.
/// Buffers over `p` are then buffers over `q`.
Function InlinePointerNames(Context& context, const Function& function);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_INLINE_LETS_H_
