#ifndef TENON_PASSES_CONSTANTS_PROMOTE_CONSTANTS_H_
#define TENON_PASSES_CONSTANTS_PROMOTE_CONSTANTS_H_

#include "passes/pass.h"

namespace tenon {

struct PromoteConstantsOptions {
  std::string pool = {};
  int64_t budget = -1;

  static constexpr auto List() {
    using O = PromoteConstantsOptions;
    return std::make_tuple(
        PassOption{"pool", &O::pool, "name of the read-write pool; empty: the module's first"},
        PassOption{"budget", &O::budget,
                   "bytes of the pool that constants may take; -1: all that are free"});
  }
};

/// Copies the constants that a run reads most to RAM before the first run.
///
///   before `assign-pool-info,promote-constants`:
///     def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
///         w = T.allocate_const([1, 2, 3, 4], "int8", [4])
///         w_1 = T.Buffer((4,), "int8", data=w)
///         for i in range(4):
///             y[i] = x[i] * w_1[i]
///   after:
///     I.module_attrs({"tenon.constants": [I.constant("w", [1, 2, 3, 4], "int8", [4],
///         load="global_workspace")]})
///     ...
///
/// Chooses the constants of which one run reads the most bytes in total
/// (ir/analysis/access_counts.h) while they fit the budget. This knapsack problem is solved
/// exactly, or the counter promote-constants.limited is set: it takes at most 2·10^7 steps. The
/// default budget is the pool's size minus its planned bytes, so pools must be assigned first; run
/// assign-pool-info (again) afterwards. A constant that shares bytes with another is then stored
/// separately. Constants that attributes refer to, that slices are cut from, or that are already
/// loaded stay unchanged. Counters: promote-constants.promoted, .bytes, .bytes_read, .limited.
/// docs/guide/constants.md#ram-promotion-and-compression shows the C side.
absl::StatusOr<IRModule> PromoteConstants(const IRModule& module,
                                          const PromoteConstantsOptions& options,
                                          PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_PROMOTE_CONSTANTS_H_
