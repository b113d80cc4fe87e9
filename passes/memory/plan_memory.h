#ifndef TENON_PASSES_MEMORY_PLAN_MEMORY_H_
#define TENON_PASSES_MEMORY_PLAN_MEMORY_H_

#include "analysis/safe_distances.h"
#include "ir/analysis/liveness.h"
#include "ir/storage_defaults.h"
#include "passes/memory/dying_pairs.h"
#include "passes/pass.h"
#include "planner/planner.h"

namespace tenon {

struct PlanMemoryOptions {
  std::string algorithm = std::string(planner::kDefaultAlgorithm);
  int64_t workspace_alignment = kDefaultAlignment;
  int64_t constant_alignment = kDefaultAlignment;
  std::string constants = "packed";
  std::string overlap = "off";

  static constexpr auto List() {
    using O = PlanMemoryOptions;
    return std::make_tuple(
        PassOption{"algorithm", &O::algorithm,
                   "optimal, first_fit, or TVM's: greedy_by_size, greedy_by_conflicts, hill_climb"},
        PassOption{"workspace-alignment", &O::workspace_alignment,
                   "alignment in bytes of workspace buffers"},
        PassOption{"constant-alignment", &O::constant_alignment, "alignment in bytes of constants"},
        PassOption{"constants", &O::constants,
                   "order of constants in pools of their own: packed, first_use, or tvm (TVM's "
                   "greedy_by_size, separate bytes for each use)"},
        PassOption{"overlap", &O::overlap,
                   "outputs of a call may reuse bytes of inputs that die in it: off, in-place "
                   "(from the first byte on), on"});
  }
};

/// Gives every pooled allocation that the entry function reaches an offset in one of its candidate
/// pools. Records it in the annotation `tenon.placement` of the allocation. The module's
/// `tenon.memory_plan` has the size and lower bound of each pool, and whether they are equal.
///
///   before:  t = T.allocate([64], "int8", "global.workspace",
///                           annotations={"candidate_memory_pools": [...]})
///   after:   t = T.allocate([64], "int8", "global.workspace",
///                           annotations={"candidate_memory_pools": [...],
///                                        "tenon.placement": ["global_workspace", 128]})
///
/// A constant with `load` is in the read-write pool, always live. Its stored form, compressed or
/// not, is in its candidates: the annotation `tenon.stored_placement`.
///
/// Lifetimes come from ir/analysis/liveness.h. TVM's algorithms also use TVM's conflicts, so that
/// they give TVM's sizes wherever those are sound. Allocations stay if they are in parallel loops
/// (run convert-for-loops-to-serial first), have no constant size, or have no candidates. Constants
/// with the same candidates share bytes as in ir/analysis/constant_layout.h: a constant of several
/// functions, and slices with the constant that they are cut from. TVM's algorithms place each use.
/// With `overlap=in-place` or `on`, the output of a call may reuse bytes of an input that dies in
/// it, at the distances that analysis/safe_distances.h allows for the callee's loops. The plan then
/// lists such pairs in `tenon.memory_plan`, and the function in `tenon.overlaps`. No later pass may
/// change the order of the function's accesses. TVM's algorithms do not use overlaps. Every plan
/// has passed the checker. An error states how many bytes a pool lacks and what is live at the
/// peak. (TVM: tir.usmp.transform.UnifiedStaticMemoryPlanner.)
absl::StatusOr<IRModule> PlanMemory(const IRModule& module, const PlanMemoryOptions& options,
                                    PassContext& context);

/// The planning problem of a module whose allocations have candidates. `buffers[i]` of the problem
/// is allocation `allocation_of[i]` of the liveness, or a block of constants that share bytes, with
/// that allocation as the largest.
struct MemoryProblem {
  Liveness liveness;
  planner::Problem problem;
  std::vector<size_t> allocation_of;
  /// The bytes of an allocation: those of a buffer of the problem, from an offset on.
  struct Place {
    size_t allocation = 0;
    size_t buffer = 0;
    int64_t offset = 0;
    /// The buffer for the stored bytes of a loaded constant, if they are in a pool.
    std::optional<size_t> stored;
  };
  /// The places of all placed allocations, in the order of the allocations.
  std::vector<Place> places;
  /// A pair that may overlap, by relation number `relation` of the problem.
  struct Overlap {
    DyingPair pair;
    SafeDistances distances;
    size_t relation = 0;
  };
  std::vector<Overlap> overlaps;
  /// The objects of the problem's pools.
  std::vector<const Attr*> pool_attrs;
};
absl::StatusOr<MemoryProblem> MakeMemoryProblem(const IRModule& module,
                                                const PlanMemoryOptions& options,
                                                Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_PLAN_MEMORY_H_
