#ifndef TENON_PASSES_PIPELINE_DEFAULT_PIPELINES_H_
#define TENON_PASSES_PIPELINE_DEFAULT_PIPELINES_H_

#include <cstdint>

#include "passes/pipeline/pipeline.h"

// Pipelines that compilers run.

namespace tenon {

/// From any TIR to what a C code generator prints node by node: scalars, one-dimensional buffers
/// without strides or offsets, plain calls (floor division and the builtins stay: C has functions
/// for them). float16 and bfloat16 remain as storage and in conversions from and to float32; float8
/// does not remain. Runs before or after memory planning; the last passes leave arrays of a few
/// lanes on the stack. With `gnu_vectors`, the vectors stay that GNU C has types for.
Pipeline LowerForC(bool gnu_vectors = false);

/// From any TIR to what LLVM code is made of: vectors stay, small floats become their bits.
Pipeline LowerForLlvm();

/// The part of both that runs before memory is planned. Blocks and multi-dimensional buffers are
/// gone, so every allocation and its size are visible.
Pipeline LowerForPlanning();

/// Which steps FusionPipeline has.
struct FusionChoice {
  bool fuse = false;
  bool narrow = false;
  /// Sums are brought into lanes for compilers of C: LoopPipeline does not follow.
  bool lanes = false;
};

/// Makes the workspace smaller: the operators of the entry become one list of nests, copies and
/// casts become loads of their readers, a consumer's loops go into its producer's, and values are
/// stored in fewer bytes. What remains are operators again, with small buffers outside of pools.
/// Runs on flat buffers and serial loops. Empty if nothing is chosen.
Pipeline FusionPipeline(FusionChoice choice);

/// Makes loops faster: sums in registers, vectors, blocks that share what they load. Runs on
/// flat buffers and serial loops, before memory is planned. `vector_bytes` is the size of all
/// vector registers of the target together; 0 means that it has none.
Pipeline LoopPipeline(int64_t vector_bytes);

}  // namespace tenon

#endif  // TENON_PASSES_PIPELINE_DEFAULT_PIPELINES_H_
