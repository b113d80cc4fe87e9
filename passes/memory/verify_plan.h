#ifndef TENON_PASSES_MEMORY_VERIFY_PLAN_H_
#define TENON_PASSES_MEMORY_VERIFY_PLAN_H_

#include "passes/pass.h"

namespace tenon {

struct VerifyPlanOptions {
  int64_t max_steps = 400'000'000;

  static constexpr auto List() {
    using O = VerifyPlanOptions;
    return std::make_tuple(PassOption{"max-steps", &O::max_steps,
                                      "most iterations and accesses of one function to check; "
                                      "beyond that its overlaps stay on trust"});
  }
};

/// Refuses a plan whose allocations overlap where they must not. The module stays as it is.
///
/// Two allocations whose lifetimes and bytes overlap have to be a pair of which one dies in a call
/// while the other begins. The pass walks through the accesses of the function called
/// (analysis/access_trace.h) and asks whether the distance is safe. The pass also asks this of
/// every end of the ranges that the plan's record of the pair, in `tenon.memory_plan`, says are
/// allowed. The function's two parameters must not claim `tir.noalias`: `tenon.overlaps` lists
/// them. The pass does not use what plan-memory computed. A function with too many steps gives a
/// warning.
absl::StatusOr<IRModule> VerifyPlan(const IRModule& module, const VerifyPlanOptions& options,
                                    PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_VERIFY_PLAN_H_
