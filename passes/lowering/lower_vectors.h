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

/// Rewrites everything with lanes as loops over scalars: no vector value, buffer or pointer
/// remains.
///
///   before:  B[i * 4:i * 4 + 4] = A[0:4] * T.Broadcast(x[i], 4)
///   after:   v: T.float32 = x[i]
///            for lane in range(4):
///                B[i * 4 + lane] = A[lane] * v
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
/// - With `keep=gnu`, stores to buffers of scalars stay if IsGnuVectorStore
///   (ir/analysis/gnu_vectors.h) is true for them, and so do stores that fill the arrays of
///   variables.
///
/// - With `min-bytes`, only functions that contain a vector of at least that many bytes change.
///   Before planning, this keeps temporaries that are too large for the stack from the back ends,
///   because it ends with limit-stack.
///
/// Scalable vectors and calls with effects on vectors are errors. Idempotent. (TVM: VectorizeLoop
/// falls back to such loops; its code generators do the rest.)
absl::StatusOr<IRModule> LowerVectors(const IRModule& module, const LowerVectorsOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_LOWER_VECTORS_H_
