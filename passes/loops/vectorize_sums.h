#ifndef TENON_PASSES_LOOPS_VECTORIZE_SUMS_H_
#define TENON_PASSES_LOOPS_VECTORIZE_SUMS_H_

#include "passes/pass.h"

namespace tenon {

/// Vectors along a sum have at least so many lanes, and their number divides a loop.
inline constexpr int64_t kFewestSumLanes = 8;

struct VectorizeSumsOptions {
  int64_t max_lanes = 64;
  bool pairs = false;
  bool quads = false;

  static constexpr auto List() {
    using O = VectorizeSumsOptions;
    return std::make_tuple(
        PassOption{"max-lanes", &O::max_lanes, "lanes of the widest vectors, 8 to 64"},
        PassOption{"pairs", &O::pairs, "add up products of 8 and 16 bits in pairs, for PMADDWD"},
        PassOption{"quads", &O::quads,
                   "add up products of uint8 and int8 four at a time, for VPDPBUSD"});
  }
};

/// Computes sums, maxima and minima of integers over several loops in vectors along one of the
/// loops. Each lane has a sum of its own; halves of the vector are added at the end. Sums wrap, so
/// their order does not matter. A maximum of numbers that are cast to a wider type has lanes of the
/// narrower type.
///
///   before:  for l in range(48):                  after:  s[0] = T.Broadcast(0, 8)
///                for k in range(8):                       for l in range(48):
///                    y[0] = y[0] + x[l * 8 + k]               s[0] = s[0] + x[l * 8:l * 8 + 8]
///                                                         t[0] = s[0] lanes 0 to 3 + lanes 4 to 7
///                                                         ... and so on
///                                                         y[0] = y[0] + the last lane
///
/// The elements of neighbouring lanes are neighbours, or the same. Loops that C compilers and LLVM
/// put in vectors by themselves stay: a single loop of at least 512 steps, one of at least 128 that
/// adds products of short integers of the same sign, and one of at least 64 if LLVM adds these up
/// in pairs. One of 64 steps and more, not a multiple of 16, has vectors of 16 lanes, of 8 and of
/// 4, and a rest. So has an innermost loop for which no number of lanes fits.
///
/// With `pairs`, a lane adds up two neighbouring products of integers of at most 16 bits in each
/// step, as `T.Cast("int32x16", x[0:32:2]) * ... + T.Cast("int32x16", x[1:33:2]) * ...`. LLVM code
/// for x86 has one instruction for both (PMADDWD), and one load for the pair. With `quads`, a lane
/// adds up four neighbouring products of uint8 and int8, for VPDPBUSD, USDOT and SDOT.
///
/// Run vectorize-loops before: vectors along other loops need no sum of lanes. Idempotent. Counter:
/// vectorize-sums.sums.
absl::StatusOr<IRModule> VectorizeSums(const IRModule& module, const VectorizeSumsOptions& options,
                                       PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_VECTORIZE_SUMS_H_
