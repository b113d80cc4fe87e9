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

/// Gives every pooled allocation that the entry reaches an offset in one of its candidate pools:
/// the annotation `tenon.placement`. The module's attribute `tenon.memory_plan` has for each pool
/// its size, the alignment of its storage, its lower bound, and whether it is proven that no plan
/// of least cost makes the pool smaller. If buffers are not in their best pool, `spill` has their
/// bytes and the bound of these bytes.
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
/// - Pools are identified by name. Two pools of one name that differ in anything else are an error.
/// - An allocation stays if it is in a parallel loop, has no constant size, or has no candidates.
/// - A constant that several allocations use has one place, together with its slices. TVM's
///   algorithms give each use its own place.
/// - An allocation with a place in a pool that is defined elsewhere keeps it (`header`,
///   docs/guide/constants.md#across-models).
/// - A constant with `load` is in the read-write pool, always live. Its stored form, compressed or
///   not, is in its candidates: the annotation `tenon.stored_placement`.
/// - An output of an external function may reuse an input's place, if its code generator allows
///   that and the call is the input's last use (docs/guide/byoc.md). TVM's algorithms make no use
///   of that.
///
/// Every plan has passed the checker. An error says by how much a pool is too small, and what is
/// live at the peak.
///
/// The planner knows how often one run reads and writes each buffer
/// (`ir/analysis/access_counts.h`). Every access counts its bytes, times the loops around it, times
/// the calls of its function. A loop of unknown extent counts once. Of two branches, the one with
/// more accesses counts. An extern accesses each argument once.
///
/// docs/guide/planning.md#when-a-buffer-is-live says when a buffer is live. TVM's algorithms see
/// TVM's liveness and the conflicts that soundness needs.
///
/// **Overlaps.** An input of a call dies if nothing reads it later, and an output begins if it held
/// nothing before. Both may share bytes if the call reads no byte of the input after the output has
/// overwritten it. `analysis/safe_distances.h` finds the allowed distances, offset(output) -
/// offset(input), in a closed form. For each store and each later load, it takes the least and the
/// greatest distance over the loops around them.
///
/// - The function must be a function of the module with serial loops.
/// - An index that is not affine counts as its whole range.
/// - A pointer that escapes, a parallel loop and a `while` keep the two buffers apart.
/// - Passes that change the order of accesses must run before plan-memory. `lower-vectors` reads
///   all lanes of a pair before it writes one.
///
/// A plan with overlaps lists the pairs under `overlaps` in `tenon.memory_plan`. Each pair has the
/// functions, the allocations, the allowed distances and the chosen one. It also has the store, the
/// load and the loop that end the range.
///
/// A function with `tir.noalias` whose parameters share bytes lists them in `tenon.overlaps`. These
/// parameters lose `restrict` in C and `noalias` in LLVM; other parameters keep it. With and
/// without `overlap`, a function's own memory in a pool may also lie where an argument was. Then
/// the list names the pool, and later the parameter of the pool. Tenon's algorithms plan a second
/// time to keep such memory apart, and take the second plan if no pool is larger.
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
