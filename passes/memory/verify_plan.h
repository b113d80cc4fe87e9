#ifndef TENON_PASSES_MEMORY_VERIFY_PLAN_H_
#define TENON_PASSES_MEMORY_VERIFY_PLAN_H_

#include "passes/pass.h"

namespace tenon {

struct VerifyPlanOptions {
  int64_t max_steps = 400'000'000;

  static constexpr auto List() {
    using O = VerifyPlanOptions;
    return std::make_tuple(
        PassOption{"max-steps", &O::max_steps,
                   "most iterations and accesses that are followed for all pairs together, or in "
                   "one function; beyond that, a warning says that the overlap stays on trust"});
  }
};

/// Reports an error if a plan places an allocation incorrectly. It does not change the module.
///
/// The pass shares nothing with `plan-memory`: no lifetimes, no relations, and no code that
/// computes them. It compiles each function to the list of its accesses
/// (`analysis/access_program.h`), follows the calls of the entry, and reports these errors:
///
/// - values: the module reads a byte of an allocation after another one has overwritten it
/// - constants: a constant shares bytes with an allocation, or with a constant whose bytes differ
///   there
/// - offsets: an allocation begins below 0 or ends beyond the size of its pool
/// - parallel loops: iterations that run at the same time use the same bytes for their own memory
/// - `tir.noalias`: parameters of the function, or a parameter and its own memory, share bytes, and
///   `tenon.overlaps` does not list them
/// - record: the plan's record allows a distance that is not safe
///
/// **Values.** The pass looks at all pairs of allocations that share bytes and whose times, from
/// the first to the last access, overlap. For each byte of such a pair, it follows one run of the
/// entry and keeps the possible states of both allocations: no value, a value, or a value that the
/// other one has overwritten. A load of an overwritten value is an error, with notes at the store
/// and at the load. If a condition depends on data, the pass follows both arms. If the length of a
/// loop does, it follows no iteration and several iterations. The order of accesses is unknown for
/// calls in one expression, in parallel loops and in external code, so these must not store to a
/// byte that the other allocation uses.
///
/// **The caller.** The caller writes inputs before each run. At the end of the run, and at a
/// `T.ret` in the entry, outputs must hold their values for the caller, and kept inputs and states
/// must hold theirs for the next run. The attribute `tenon.entry_tensor` says which of these a
/// tensor is.
///
/// `tenon compile`, `run` and `report` run this pass after `plan-memory`, unless
/// `--verify-plan=off` is set.
absl::StatusOr<IRModule> VerifyPlan(const IRModule& module, const VerifyPlanOptions& options,
                                    PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_VERIFY_PLAN_H_
