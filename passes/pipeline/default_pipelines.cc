// The order of passes is knowledge of its own, so it stands in one place, with the reasons. Widths
// and registers of a target become options here: passes do not know targets.

#include "passes/pipeline/default_pipelines.h"

#include <algorithm>

#include "passes/cleanup/remove_no_op.h"
#include "passes/cleanup/simplify.h"
#include "passes/fusion/fold_constants.h"
#include "passes/fusion/forward_producers.h"
#include "passes/fusion/fuse_nests.h"
#include "passes/fusion/inline_callees.h"
#include "passes/fusion/narrow_storage.h"
#include "passes/fusion/outline_operators.h"
#include "passes/loops/choose_blocks.h"
#include "passes/loops/inline_lets.h"
#include "passes/loops/jam_loops.h"
#include "passes/loops/localize_buffers.h"
#include "passes/loops/narrow_lanes.h"
#include "passes/loops/parallelize_loops.h"
#include "passes/loops/promote_accumulators.h"
#include "passes/loops/requantize_words.h"
#include "passes/loops/sums_in_lanes.h"
#include "passes/loops/transpose_tiles.h"
#include "passes/loops/vectorize_loops.h"
#include "passes/loops/vectorize_sums.h"
#include "passes/lowering/expand_math.h"
#include "passes/lowering/flatten_buffers.h"
#include "passes/lowering/legalize_small_floats.h"
#include "passes/lowering/lower_blocks.h"
#include "passes/lowering/lower_packed_calls.h"
#include "passes/lowering/lower_vectors.h"
#include "passes/lowering/unsigned_sums.h"

namespace tenon {

namespace {

/// Processors with as few vector registers are microcontrollers, which have little flash.
constexpr int64_t kFewRegisters = 8;

Pipeline Lowered(const FlattenBuffersOptions& options) {
  return Pipeline().Add<&LowerBlocks>().Add<&FlattenBuffers>(options);
}

}  // namespace

Pipeline LowerForPlanning() { return Lowered({}); }

Pipeline LowerForC(bool gnu_vectors) {
  return LowerForPlanning()
      .Add<&LowerPackedCalls>()
      .Add<&LowerVectors>({.keep = gnu_vectors ? "gnu" : "none", .dots = true})
      .Add<&LegalizeSmallFloats>({.storage = "bits8"})
      .Add<&UnsignedSums>();
}

Pipeline LowerForLlvm() {
  return Lowered({.keep_prefetches = true})
      .Add<&LowerPackedCalls>()
      .Add<&LegalizeSmallFloats>({.storage = "bits"});
}

Pipeline FusionPipeline(FusionChoice choice) {
  Pipeline pipeline;
  if (!choice.fuse && !choice.narrow) return pipeline;
  const ForwardProducersOptions forwarding = {.keep_moves = choice.keeps_moves,
                                              .keep_pads = choice.keeps_pads,
                                              .replaceable = choice.replaceable};
  // Indices are compared as expressions of loop variables.
  pipeline.Add<&InlineCallees>().Add<&InlineLets>().Add<&Simplify>().Add<&RemoveNoOp>();
  if (choice.fuse)
    pipeline.Add<&FoldConstants>({.max_operations = choice.fold_operations})
        .Add<&ForwardProducers>(forwarding);
  if (choice.narrow) pipeline.Add<&NarrowStorage>({.replaceable = choice.replaceable});
  // Narrowing leaves copies where it cut a chain.
  if (choice.fuse && choice.narrow) pipeline.Add<&ForwardProducers>(forwarding);
  if (choice.fuse)
    pipeline.Add<&FuseNests>({.keep_blocks = !choice.lanes, .keep_sums = choice.keeps_sums});
  pipeline.Add<&OutlineOperators>();
  if (choice.streams) pipeline.Add<&StreamOperators>(choice.streaming);
  if (choice.fuse && choice.lanes) pipeline.Add<&SumsInLanes>();
  return pipeline.Add<&LocalizeBuffers>();
}

Pipeline LoopPipeline(const LoopTarget& target) {
  const Machine& machine = target.machine;
  const int64_t vector_bytes = machine.vector_bytes;
  const bool has_pairs = machine.instructions.Has(Combine::kPairs);
  const bool has_quads = machine.instructions.Has(Combine::kQuads);
  const bool has_halves = machine.instructions.Has(Instruction::kPmaddwdQuads);
  const bool has_few_registers = machine.register_bytes > 0 && machine.registers <= kFewRegisters;
  Pipeline pipeline;
  if (vector_bytes > 0) pipeline.Add<&RequantizeWords>({.replaceable = target.replaceable});
  // Where the width is not known, or too small, the loops of the text are as good as others.
  if (machine.register_bytes >= ChooseBlocksOptions::kLeastRegister)
    pipeline.Add<&ChooseBlocks>({.registers = machine.registers,
                                 .register_bytes = machine.register_bytes,
                                 .pairs = has_pairs,
                                 .quads = has_quads && !has_halves,
                                 .small = target.is_small || has_few_registers,
                                 .replaceable = target.replaceable});
  pipeline.Add<&InlineLets>().Add<&Simplify>().Add<&LocalizeBuffers>();
  if (vector_bytes <= 0) {
    // Four sums and their operands fit in the 13 registers of a Cortex-M.
    pipeline.Add<&PromoteAccumulators>()
        .Add<&JamLoops>({.register_bytes = 16, .max_copies = 4, .scalars = true})
        .Add<&Simplify>();
    if (target.threads) pipeline.Add<&ParallelizeLoops>();
    return pipeline;
  }
  // Each of 32 lanes takes 4 bytes, and 8 such sums fill half of 32 registers of 64 bytes.
  int64_t lanes = std::clamp<int64_t>(vector_bytes / 32, 4, 64);
  int64_t sums = vector_bytes;
  int64_t scalars = JamLoopsOptions().scalar_bytes;
  // With eight registers of 16 bytes, 16 such sums fill half of the registers, and a vector of
  // bytes one. More sums would leave none to their operands.
  if (has_few_registers) {
    lanes = std::clamp<int64_t>(machine.register_bytes, 4, 64);
    sums = vector_bytes / 2;
    scalars = 16;
  }
  // Sums that leave no registers to their operands wait for memory at every step.
  const int64_t vectors = std::min(vector_bytes, machine.all_register_bytes() / 4 * 3);
  // choose-blocks may have stored constants in another order.
  pipeline.Add<&FoldConstants>({.max_operations = target.fold_operations})
      .Add<&TransposeTiles>(
          {.register_bytes = machine.register_bytes > 0 ? machine.register_bytes : 16,
           .strips = !has_few_registers})
      .Add<&VectorizeLoops>({.max_lanes = lanes})
      .Add<&VectorizeSums>(
          {.max_lanes = std::max(lanes, kFewestSumLanes), .pairs = has_pairs, .quads = has_quads})
      .Add<&NarrowLanes>()
      .Add<&JamLoops>({.register_bytes = sums,
                       .vector_bytes = vectors,
                       .least_bytes = machine.register_bytes,
                       .scalar_bytes = scalars})
      .Add<&Simplify>();
  if (target.threads) pipeline.Add<&ParallelizeLoops>();
  return pipeline.Add<&ExpandMath>();
}

}  // namespace tenon
