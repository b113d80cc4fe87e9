#ifndef TENON_PASSES_MEMORY_IN_PLACE_RELATIONS_H_
#define TENON_PASSES_MEMORY_IN_PLACE_RELATIONS_H_

#include "ir/module.h"
#include "passes/memory/plan_memory.h"

namespace tenon {

/// Lets an output of an external function lie where one of its inputs was, for pairs that its code
/// generator names (`in_place` of `tenon.external`): where the input is last used by the call, the
/// output is first used by it, and no other argument is one of the two.
void AddInPlaceRelations(const IRModule& module, MemoryProblem& made);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_IN_PLACE_RELATIONS_H_
