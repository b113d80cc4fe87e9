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

/// Refuses a plan in which something is at a wrong place. The module stays as it is.
///
/// The pass takes nothing from `plan-memory`: no lifetimes, no relations, and no code that computes
/// them. It compiles each function to the list of its accesses (`analysis/access_program.h`),
/// follows the calls of the entry, and checks these rules:
///
/// - values: an allocation needs a byte after another one has overwritten it
/// - constants: a constant shares bytes with an allocation, or with a constant whose bytes differ
///   there
/// - places: an allocation begins below 0 or ends beyond the size of its pool
/// - parallel loops: iterations that run at the same time use one place for memory of their own
/// - `tir.noalias`: a function claims it for parameters that share bytes, and `tenon.overlaps` does
///   not list them; so for memory of the function
/// - record: an end of a range of distances that the plan's record allows is not safe
///
/// **Values.** Two allocations that share bytes meet if their times overlap, counted from the first
/// to the last access. For each byte of such a pair, the pass follows one run of the entry and
/// keeps the possible states of both allocations: no value, a value, or a value that the other one
/// has overwritten. A load of an overwritten value is an error, with notes at the store and at the
/// load. Where a condition depends on data, both arms count. Where a loop's length does, the loop
/// runs no times and several times. Calls in one expression, parallel loops and external code have
/// no known order, so there nothing may be stored to a byte that the other allocation uses.
///
/// **The caller.** The caller writes inputs before each run. After the run it needs outputs, and
/// the next run needs kept inputs and states. A `T.ret` in the entry also needs them. The role in
/// `tenon.entry_tensor` decides what a tensor is.
///
/// `tenon compile`, `run` and `report` run the pass after `plan-memory`, unless
/// `--verify-plan=off`.
absl::StatusOr<IRModule> VerifyPlan(const IRModule& module, const VerifyPlanOptions& options,
                                    PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_VERIFY_PLAN_H_
