#ifndef TENON_PASSES_LOWERING_FLATTEN_BUFFERS_H_
#define TENON_PASSES_LOWERING_FLATTEN_BUFFERS_H_

#include "passes/pass.h"

namespace tenon {

/// Makes every access one-dimensional.
///
///   before:  A: T.Buffer((4, 8), "float32")     after:  A_1 = T.Buffer((32,), data=A.data)
///            B = T.allocate([2, 8], "float32")          B = T.allocate([16], "float32")
///            B_1 = T.Buffer((2, 8), data=B)             B_1 = T.Buffer((16,), data=B)
///            B_1[i, j] = A[i + 2, j]                    B_1[i * 8 + j] = A_1[(i + 2) * 8 + j]
///
/// - Strides, elem_offset and axis_separators are folded into the index; the flat buffer has none
///   of them and reaches to the last element that the old one could address.
/// - Parameters keep their buffers; accesses go through one-dimensional aliases of the same data.
/// - Where the elements are more than an int32 can count, the index is computed in int64.
/// - A bool buffer becomes one of int8: loads and stores get casts.
/// - Extents of allocations become their product. DeclBuffer and Prefetch are dropped.
///
/// A realize or a producer is an error. Idempotent. (TVM:
/// FlattenBuffer, which keeps elem_offset on the flat buffer without meaning it.)
absl::StatusOr<IRModule> FlattenBuffers(const IRModule& module, const NoOptions& options,
                                        PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_FLATTEN_BUFFERS_H_
