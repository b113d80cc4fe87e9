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

/// Has the constants that a run reads most copied to RAM before the first run.
///
///   before:  I.constant("w", [1, 2, 3], "int8", [3])
///   after:   I.constant("w", [1, 2, 3], "int8", [3], load="sram")
///
/// Chosen are those of which one run reads the most bytes in sum (ir/analysis/access_counts.h) as
/// far as they fit the budget, which is a knapsack problem, solved exactly unless the counter
/// promote-constants.limited says otherwise. Without a budget it is the pool's size less what is
/// planned in it, so pools have to be assigned before; run assign-pool-info (again) afterwards.
/// What shares bytes with another constant is then stored on its own. What attributes refer to,
/// what slices are cut from and what is loaded already stays as it is. Counters:
/// promote-constants.promoted, .bytes, .bytes_read.
absl::StatusOr<IRModule> PromoteConstants(const IRModule& module,
                                          const PromoteConstantsOptions& options,
                                          PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_PROMOTE_CONSTANTS_H_
