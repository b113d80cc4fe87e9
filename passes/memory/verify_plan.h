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

/// Refuses a plan with forbidden overlaps of allocations. The module stays unchanged.
///
/// Two allocations whose lifetimes and bytes overlap must be a pair of which one dies in a call
/// while the other begins. The pass walks through the accesses of the called function
/// (analysis/access_trace.h) and checks that the distance is safe. It also checks every end of the
/// allowed ranges in the plan's record of the pair, in `tenon.memory_plan`. The function's two
/// parameters must not claim `tir.noalias`: `tenon.overlaps` lists them. The pass does not use
/// results of plan-memory. A function with too many steps gives a warning.
absl::StatusOr<IRModule> VerifyPlan(const IRModule& module, const VerifyPlanOptions& options,
                                    PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_VERIFY_PLAN_H_
