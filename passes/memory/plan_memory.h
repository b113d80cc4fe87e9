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
                   "optimal, first_fit, best_fit, or TVM's: greedy_by_size, greedy_by_conflicts, "
                   "hill_climb (docs/guide/planning.md#algorithms)"},
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

/// Places every pooled allocation that the entry reaches at an offset in one of its candidate
/// pools, and records the placement in the annotation `tenon.placement`. The module's attribute
/// `tenon.memory_plan` lists for each pool its size, the alignment of its storage, its lower bound,
/// and whether it is proven that no plan of least cost makes the pool smaller. If buffers are not
/// in their best pool, `spill` contains their bytes and the bound of these bytes.
///
///   before `assign-pool-info,plan-memory`:
///     def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
///         t = T.allocate([4], "int8", "global")
///         t_1 = T.Buffer((4,), "int8", data=t)
///         for i in range(4):
///             t_1[i] = x[i] + T.int8(1)
///         for i in range(4):
///             y[i] = t_1[3 - i]
///   after:
///     def main(...):
///         t = T.allocate([4], "int8", "global",
///             annotations={"candidate_memory_pools": [metadata["ir.WorkspacePoolInfo"][0]],
///                          "tenon.placement": ["global_workspace", T.int64(0)]})
///         ...
///
/// - Pools are identified by name. Two different pools with the same name are an error.
/// - An allocation is not placed if it is in a parallel loop, has no constant size, or has no
///   candidates.
/// - A constant that several allocations use is placed once, together with its slices. TVM's
///   algorithms place a copy for each use.
/// - An allocation that is already placed in a pool of another file keeps its placement (`header`,
///   docs/guide/constants.md#across-models).
/// - A constant with `load` is placed in the read-write pool, and is always live. Its stored form,
///   compressed or not, is placed in one of its candidates (the annotation
///   `tenon.stored_placement`).
/// - An output of an external function may overwrite an input, if its code generator allows that
///   and the call is the input's last use (docs/guide/byoc.md). TVM's algorithms do not use this.
///
/// The pass verifies every plan with the checker. If a pool is too small, the error says by how
/// much, and lists the buffers that are live at the peak.
///
/// The planner estimates how many bytes of each buffer one run reads and writes
/// (`ir/analysis/access_counts.h`). It multiplies the bytes of an access by the iterations of the
/// loops around it and by the calls of its function. A loop of unknown extent counts as one
/// iteration. Of two branches, the one with more accesses counts. An external function is assumed
/// to access each argument once.
///
/// docs/guide/planning.md#when-a-buffer-is-live says when a buffer is live. TVM's algorithms use
/// TVM's liveness, plus the conflicts that are necessary for correct plans.
///
/// **Overlaps.** An input of a call dies in the call if nothing reads it later. An output begins in
/// the call if it held no value before. The two may share bytes if the call reads no byte of the
/// input after the output has overwritten it. `analysis/safe_distances.h` finds the allowed
/// distances, offset(output) - offset(input), in a closed form. For each store and each later load,
/// it takes the least and the greatest distance over the loops around them.
///
/// - The callee must be defined in the module, with serial loops only.
/// - An index that is not affine may take any value of its range.
/// - The two buffers must not overlap if a pointer to one of them escapes, or if one of them is
///   accessed in a parallel loop or a `while`.
/// - Passes that change the order of accesses must run before plan-memory. `lower-vectors` may run
///   later, because it reads all lanes of a pair before it writes one.
///
/// A plan with overlaps lists the pairs under `overlaps` in `tenon.memory_plan`: the functions, the
/// allocations, the allowed distances and the chosen one. For each pair, it also records the store,
/// the load and the loop that limit the distance.
///
/// If parameters of a function with `tir.noalias` share bytes, the function lists them in
/// `tenon.overlaps`. These parameters lose `restrict` in C and `noalias` in LLVM; other parameters
/// keep it. With or without `overlap`, a function's own memory in a pool may also share bytes with
/// an argument. Then the list contains the pool, and later the parameter of the pool. To avoid
/// this, Tenon's algorithms plan a second time with such memory kept apart, and use the second plan
/// if no pool is larger.
///
/// (TVM: tir.usmp.transform.UnifiedStaticMemoryPlanner.)
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
