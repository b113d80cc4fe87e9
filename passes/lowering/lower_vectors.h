#ifndef TENON_PASSES_LOWERING_LOWER_VECTORS_H_
#define TENON_PASSES_LOWERING_LOWER_VECTORS_H_

#include <string>

#include "passes/pass.h"
#include "passes/pipeline/form.h"

namespace tenon {

struct LowerVectorsOptions {
  /// "none", or "gnu": stores that C with GNU vector types can express stay stores of vectors.
  std::string keep = "none";

  static constexpr auto List() {
    return std::make_tuple(PassOption<LowerVectorsOptions, std::string>{
        "keep", &LowerVectorsOptions::keep, "vectors to keep: none or gnu"});
  }
  FormSet NotGiven() const { return keep == "none" ? FormSet() : Form::kScalar; }
};

/// Writes everything that has lanes as loops over scalars: no vector value, buffer or pointer is
/// left.
///
///   before:  B[i * 4:i * 4 + 4] = A[0:4] * T.Broadcast(x[i], 4)
///   after:   v: T.float32 = x[i]
///            for lane in range(4):
///                B[i * 4 + lane] = A[lane] * v
///
/// - A vector store reads everything before it writes. Where a lane may read what another one
///   writes, all lanes are computed into a temporary first. Buffers of different storage are
///   taken not to overlap, but for two parameters of a function without `tir.noalias`.
/// - Broadcast scalars that are no variables or constants are computed once, before the loop.
/// - A variable bound to a vector becomes a small array.
/// - A buffer of vectors becomes one of scalars with as many times the elements; so do allocations
///   and parameters.
/// - Statements with Shuffle, vectorlow, vectorhigh or vectorcombine are written out lane by lane.
/// - Vectorized loops become serial ones.
/// - With `keep=gnu`, stores of which IsGnuVectorStore (ir/analysis/gnu_vectors.h) is true on
///   buffers of scalars stay, and so do those that fill the arrays of variables.
///
/// Scalable vectors and calls with effects on vectors are errors. Idempotent. (TVM: VectorizeLoop
/// falls back to such loops; its code generators do the rest.)
absl::StatusOr<IRModule> LowerVectors(const IRModule& module, const LowerVectorsOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_LOWER_VECTORS_H_
