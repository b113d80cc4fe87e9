#ifndef TENON_PASSES_DEFAULT_PIPELINES_H_
#define TENON_PASSES_DEFAULT_PIPELINES_H_

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

}  // namespace tenon

#endif  // TENON_PASSES_DEFAULT_PIPELINES_H_
