#ifndef TENON_PASSES_MEMORY_DYING_PAIRS_H_
#define TENON_PASSES_MEMORY_DYING_PAIRS_H_

#include <utility>
#include <vector>

#include "analysis/function_buffer.h"
#include "ir/analysis/liveness.h"
#include "ir/module.h"

// Inputs that die in a call, and outputs that begin in it.

namespace tenon {

/// Two allocations: one dies in a call of a function of the module, while the other begins.
struct DyingPair {
  /// The call, as an index into Liveness::calls.
  size_t call = 0;
  /// The allocations, as indices into Liveness::allocations, and their argument numbers.
  size_t dying = 0;
  size_t begun = 0;
  size_t dying_param = 0;
  size_t begun_param = 0;
};

/// All such pairs, in the order of the calls. The two lifetimes overlap only in the call, nothing
/// reads the dying allocation after it, and the begun one has no value before it. Each is one
/// argument of the call, from its first byte on. Constants, and functions of external code
/// generators, are left out.
std::vector<DyingPair> FindDyingPairs(const IRModule& module, const Liveness& liveness);

/// The function's buffers of a pair: dying, begun.
std::pair<FunctionBuffer, FunctionBuffer> BuffersOf(const PrimFunc& callee, const DyingPair& pair,
                                                    const Liveness& liveness);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_DYING_PAIRS_H_
