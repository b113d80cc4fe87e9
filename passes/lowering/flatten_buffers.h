#ifndef TENON_PASSES_LOWERING_FLATTEN_BUFFERS_H_
#define TENON_PASSES_LOWERING_FLATTEN_BUFFERS_H_

#include "passes/pass.h"

namespace tenon {

struct FlattenBuffersOptions {
  bool keep_prefetches = false;

  static constexpr auto List() {
    return std::make_tuple(PassOption<FlattenBuffersOptions, bool>{
        "keep-prefetches", &FlattenBuffersOptions::keep_prefetches,
        "prefetches of flat buffers stay"});
  }
};

/// Makes every access one-dimensional.
///
///   before:
///     def f(A: T.Buffer((4, 8), "float32"), b: T.handle):
///         B = T.match_buffer(b, (4, 8), strides=(16, 2), elem_offset=1)
///         for i, j in T.grid(4, 8):
///             B[i, j] = A[i, j]
///   after:
///     def f(...):
///         B = T.match_buffer(b, (4, 8), strides=(16, 2), elem_offset=1)
///         for i, j in T.grid(4, 8):
///             B_1 = T.Buffer((64,), data=B.data)
///             A_1 = T.Buffer((32,), data=A.data)
///             B_1[i * 16 + j * 2 + 1] = A_1[i * 8 + j]
///
/// - Strides, elem_offset and axis_separators become part of the index. The flat buffer has none of
///   these attributes, and ends after the last element that the old buffer could address.
/// - Parameters keep their buffers; accesses use one-dimensional aliases of the same data.
/// - If an int32 cannot count the elements, the index is computed in int64.
/// - A bool buffer becomes an int8 buffer: loads and stores get casts.
/// - Extents of allocations become their product. DeclBuffer and Prefetch are removed.
/// - With `keep-prefetches`, prefetches of flat buffers are kept. Only back ends use this, because
///   passes that remove a buffer look only for loads of it.
///
/// A realize or a producer is an error. Idempotent. (TVM: FlattenBuffer, which keeps an elem_offset
/// without meaning on the flat buffer.)
absl::StatusOr<IRModule> FlattenBuffers(const IRModule& module,
                                        const FlattenBuffersOptions& options, PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_FLATTEN_BUFFERS_H_
