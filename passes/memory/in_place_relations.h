#ifndef TENON_PASSES_MEMORY_IN_PLACE_RELATIONS_H_
#define TENON_PASSES_MEMORY_IN_PLACE_RELATIONS_H_

#include <cstddef>
#include <set>
#include <utility>

#include "ir/analysis/liveness.h"
#include "ir/module.h"
#include "passes/memory/plan_memory.h"

namespace tenon {

/// Two allocations by their numbers in a Liveness, the smaller one first.
using InPlacePair = std::pair<size_t, size_t>;

/// The pairs of an input and an output of external functions that may share a place, according to
/// their code generators (`in_place` of `tenon.external`). The call is the last use of the input
/// and the first use of the output, and no other argument is one of the two.
std::set<InPlacePair> FindInPlacePairs(const IRModule& module, const Liveness& liveness);

/// Allows these pairs to begin at the same byte.
void AddInPlaceRelations(const IRModule& module, MemoryProblem& made);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_IN_PLACE_RELATIONS_H_
