#ifndef TENON_PASSES_PIPELINE_DEFAULT_PIPELINES_H_
#define TENON_PASSES_PIPELINE_DEFAULT_PIPELINES_H_

#include <cstdint>

#include "passes/fusion/fold_constants.h"
#include "passes/pipeline/pipeline.h"
#include "passes/streaming/stream_operators.h"
#include "schedule/machine.h"

// The pipelines of compilers.

namespace tenon {

/// From any TIR to the form that the C code generator prints node by node: scalars, one-dimensional
/// buffers without strides or offsets, plain calls (floor division and the builtins stay: C has
/// functions for them). float16 and bfloat16 remain as storage and in conversions from and to
/// float32; float8 does not remain. Runs before or after memory planning; the last passes put
/// arrays of a few lanes on the stack. With `gnu_vectors`, vectors with a GNU C type stay.
Pipeline LowerForC(bool gnu_vectors = false);

/// From any TIR to the form for LLVM code: vectors stay, small floats become their bits.
Pipeline LowerForLlvm();

/// The common first part, before memory is planned. It removes blocks and multi-dimensional
/// buffers, so that every allocation and its size are visible.
Pipeline LowerForPlanning();

/// The steps of FusionPipeline.
struct FusionChoice {
  bool fuse = false;
  bool narrow = false;
  /// True to compute sums in lanes, for C compilers; LoopPipeline must not follow.
  bool lanes = false;
  /// True for `keep-moves` of forward-producers, where a smaller workspace follows.
  bool keeps_moves = false;
  /// True for `keep-pads` of forward-producers, which choose-blocks needs.
  bool keeps_pads = false;
  /// True for `keep-sums` of fuse-nests, which leaves more to choose-blocks.
  bool keeps_sums = false;
  /// True for stream-operators, with these options.
  bool streams = false;
  StreamOperatorsOptions streaming = {};
  /// `max-operations` of fold-constants.
  int64_t fold_operations = FoldConstantsOptions().max_operations;
  /// Bytes of constants may be replaced later: `replaceable` of the passes that have it.
  bool replaceable = false;
};

/// Makes the workspace smaller. The operators of the entry become one list of nests, copies and
/// casts become loads in their readers, and a consumer's loops are fused into its producer's.
/// Values are stored in fewer bytes. The result has operators again, with small buffers outside of
/// pools. Runs on flat buffers and serial loops. Empty if nothing is chosen.
Pipeline FusionPipeline(FusionChoice choice);

/// The facts about a target that LoopPipeline needs.
struct LoopTarget {
  Machine machine;
  /// Loops with enough work become parallel.
  bool threads = false;
  /// Small code is more important than fast code.
  bool is_small = false;
  /// `max-operations` of fold-constants.
  int64_t fold_operations = FoldConstantsOptions().max_operations;
  /// Bytes of constants may be replaced later.
  bool replaceable = false;
};

/// Makes loops faster: sums in registers, vectors, blocks that share their loads. Runs on flat
/// buffers and serial loops, before memory is planned.
Pipeline LoopPipeline(const LoopTarget& target);

}  // namespace tenon

#endif  // TENON_PASSES_PIPELINE_DEFAULT_PIPELINES_H_
