#ifndef TENON_PASSES_LOWERING_LOWER_VECTORS_H_
#define TENON_PASSES_LOWERING_LOWER_VECTORS_H_

#include <cstdint>
#include <string>

#include "passes/pass.h"
#include "passes/pipeline/form.h"

namespace tenon {

struct LowerVectorsOptions {
  /// "none", or "gnu": vector stores that C can express with GNU vector types stay.
  std::string keep = "none";
  /// Calls of dp4a stay that read rows of memory.
  bool dots = false;
  /// Functions whose vectors all have fewer bytes stay unchanged.
  int64_t min_bytes = 0;

  static constexpr auto List() {
    using O = LowerVectorsOptions;
    return std::make_tuple(
        PassOption<O, std::string>{"keep", &O::keep, "vectors to keep: none or gnu"},
        PassOption<O, bool>{"dots", &O::dots, "keep calls of dp4a that read rows of memory"},
        PassOption<O, int64_t>{"min-bytes", &O::min_bytes,
                               "leave functions alone whose vectors all have fewer bytes"});
  }
  FormSet NotGiven() const {
    return keep == "none" && !dots && min_bytes == 0 ? FormSet() : ModuleForm::kScalar;
  }
};

/// Rewrites all vector operations as loops over scalars: no vector value, buffer or pointer
/// remains.
///
///   before:
///     def f(A: T.Buffer((16,), "float32"), x: T.Buffer((4,), "float32")):
///         for i in range(4):
///             A[i * 4:i * 4 + 4] = A[i * 4:i * 4 + 4] * T.Broadcast(x[i], 4)
///         A[1:5] = A[0:4]
///   after:
///     def f(...):
///         for i in range(4):
///             v: T.float32 = x[i]
///             for lane in range(4):
///                 A[i * 4 + lane] = A[i * 4 + lane] * v
///         values = T.allocate([4], "float32", "global")
///         values_1 = T.Buffer((4,), data=values)
///         for lane in range(4):
///             values_1[lane] = A[lane]
///         for lane in range(4):
///             A[1 + lane] = values_1[lane]
///
/// - A vector store reads everything before it writes. If a lane may read what another lane writes,
///   all lanes are first computed into a temporary. Buffers of different storage are assumed not to
///   overlap, except two parameters of a function without `tir.noalias`.
/// - Broadcast scalars other than variables and constants are computed once, before the loop.
/// - A variable bound to a vector becomes a small array.
/// - A buffer of vectors becomes a buffer of scalars with more elements; so do allocations and
///   parameters.
/// - Statements with Shuffle, vectorlow, vectorhigh or vectorcombine are unrolled by lane.
/// - Vectorized loops become serial loops.
/// - With `keep=gnu`, stores to buffers of scalars are kept if IsGnuVectorStore
///   (ir/analysis/gnu_vectors.h) is true for them, and so are stores that fill the arrays of
///   variables.
/// - With `dots`, calls of `T.dp4a` are kept if they read rows of memory, because the runtime
///   header of C defines a function for them. Other calls become products of lanes.
/// - With `min-bytes`, only functions that contain a vector of at least that many bytes change, and
///   limit-stack follows. `tenon compile` runs the pass with 1,024 before planning, because the
///   temporary of such a vector is too large for the stack and must be planned into a pool. In a
///   module that is already planned, the back end refuses such a temporary.
///
/// Scalable vectors and calls with effects on vectors are errors. Idempotent. (TVM: VectorizeLoop
/// falls back to such loops; its code generators handle vectors themselves.)
absl::StatusOr<IRModule> LowerVectors(const IRModule& module, const LowerVectorsOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_LOWER_VECTORS_H_
