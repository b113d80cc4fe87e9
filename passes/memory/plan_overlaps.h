#ifndef TENON_PASSES_MEMORY_PLAN_OVERLAPS_H_
#define TENON_PASSES_MEMORY_PLAN_OVERLAPS_H_

#include <vector>

#include "passes/memory/overlap_record.h"
#include "passes/memory/overlap_relations.h"
#include "passes/memory/plan_memory.h"

// Internal to plan-memory and reverse-loops: overlaps of dying inputs with beginning outputs.

namespace tenon {

/// A dying pair that the plan places.
struct OverlapCandidate {
  DyingPair pair;
  /// The called function, and its buffers.
  Symbol callee;
  FunctionBuffer dying;
  FunctionBuffer begun;
  /// The buffers of the problem.
  int32_t dying_buffer = 0;
  int32_t begun_buffer = 0;
  /// Every difference of the two offsets is a multiple of this many bytes.
  int64_t alignment = 1;
};

/// All such pairs, in the order of the calls. The same two buffers may be in several pairs.
std::vector<OverlapCandidate> FindOverlapCandidates(const IRModule& module,
                                                    const MemoryProblem& made);

/// Adds a relation for each pair that may overlap.
void AddOverlapRelations(const IRModule& module, OverlapMode mode, MemoryProblem& made);

/// The plan's records of these pairs: one for each pair that shares bytes.
std::vector<OverlapRecord> OverlapRecordsOf(const IRModule& module, const MemoryProblem& made,
                                            const planner::Plan& plan);

/// For functions with `tir.noalias`: relations that keep each argument apart from other memory of
/// the function. Empty unless the plan puts some such pair at the same bytes.
std::vector<planner::Relation> ApartRelations(const IRModule& module, const MemoryProblem& made,
                                              const planner::Plan& plan);

/// Records at each function with `tir.noalias` which of its parameters share bytes in some call,
/// with each other or with the function's own memory in a pool: `tenon.overlaps`.
void NoteOverlaps(const MemoryProblem& made, const planner::Plan& plan, IRModule& module);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_PLAN_OVERLAPS_H_
