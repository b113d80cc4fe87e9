#ifndef TENON_PASSES_PIPELINE_DEFAULT_PIPELINES_H_
#define TENON_PASSES_PIPELINE_DEFAULT_PIPELINES_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

// Pipelines that drivers run, as text for ParsePipeline.

namespace tenon {

/// From any TIR to what a C code generator prints node by node: scalars, one-dimensional buffers
/// without strides or offsets, plain calls (floor division and the builtins stay: C has functions
/// for them). float16 and bfloat16 remain as
/// storage and in conversions from and to float32; float8 does not remain. Runs before or after
/// memory planning; the last passes leave arrays of a few lanes on the stack.
inline constexpr std::string_view kLowerForC =
    "lower-blocks,flatten-buffers,lower-packed-calls,lower-vectors,"
    "legalize-small-floats{storage=bits8}";

/// The same, with the vectors left that GNU C has types for.
inline constexpr std::string_view kLowerForGnuC =
    "lower-blocks,flatten-buffers,lower-packed-calls,lower-vectors{keep=gnu},"
    "legalize-small-floats{storage=bits8}";

/// What LLVM code is made of: vectors stay, small floats are their bits.
inline constexpr std::string_view kLowerForLlvm =
    "lower-blocks,flatten-buffers,lower-packed-calls,legalize-small-floats{storage=bits}";

/// The part of it that memory planning wants to have run: blocks and multi-dimensional buffers are
/// gone, so every allocation and its size are visible.
inline constexpr std::string_view kLowerForPlanning = "lower-blocks,flatten-buffers";

/// What makes loops faster: sums in registers, vectors, blocks that share what they load. Runs on
/// flat buffers and serial loops, before memory is planned. `vector_bytes` are those of all vector
/// registers of the target together; 0: it has none.
inline std::string LoopPipeline(int64_t vector_bytes) {
  const std::string first = "inline-lets,simplify,localize-buffers,";
  if (vector_bytes <= 0) return first + "promote-accumulators";
  // Each of 32 lanes takes 4 bytes, and 8 such sums fill half of 32 registers of 64 bytes.
  const int64_t lanes = std::clamp<int64_t>(vector_bytes / 32, 4, 64);
  return first + "vectorize-loops{max-lanes=" + std::to_string(lanes) +
         "},promote-accumulators,jam-loops{register-bytes=" + std::to_string(vector_bytes) +
         "},simplify";
}

}  // namespace tenon

#endif  // TENON_PASSES_PIPELINE_DEFAULT_PIPELINES_H_
