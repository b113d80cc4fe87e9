#ifndef TENON_PASSES_MEMORY_PLAN_OVERLAPS_H_
#define TENON_PASSES_MEMORY_PLAN_OVERLAPS_H_

#include <vector>

#include "passes/memory/overlap_record.h"
#include "passes/memory/overlap_relations.h"
#include "passes/memory/plan_memory.h"

// Internal to plan-memory and reverse-loops: overlaps of inputs that die with outputs that begin.

namespace tenon {

/// A dying pair, both of which the plan places.
struct OverlapCandidate {
  DyingPair pair;
  /// The function called, and its buffers.
  Symbol callee;
  FunctionBuffer dying;
  FunctionBuffer begun;
  /// The buffers of the problem.
  int32_t dying_buffer = 0;
  int32_t begun_buffer = 0;
  /// Every difference of the two offsets is a multiple of this many bytes.
  int64_t alignment = 1;
};

/// All such pairs, in the order of the calls. Two buffers may be more than one pair.
std::vector<OverlapCandidate> FindOverlapCandidates(const IRModule& module,
                                                    const MemoryProblem& made);

/// Adds a relation for each pair that may overlap.
void AddOverlapRelations(const IRModule& module, OverlapMode mode, MemoryProblem& made);

/// The records that the plan keeps of these pairs: one for each pair that shares bytes.
std::vector<OverlapRecord> OverlapRecordsOf(const IRModule& module, const MemoryProblem& made,
                                            const planner::Plan& plan);

/// Relations that keep apart what functions with `tir.noalias` use beside their arguments, where
/// the plan has some of it at the same bytes; else none.
std::vector<planner::Relation> ApartRelations(const IRModule& module, const MemoryProblem& made,
                                              const planner::Plan& plan);

/// Notes at each function with `tir.noalias` which of its parameters share bytes in some call, with
/// each other or with memory that the function itself has in a pool: `tenon.overlaps`.
void NoteOverlaps(const MemoryProblem& made, const planner::Plan& plan, IRModule& module);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_PLAN_OVERLAPS_H_
