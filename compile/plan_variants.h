#ifndef TENON_COMPILE_PLAN_VARIANTS_H_
#define TENON_COMPILE_PLAN_VARIANTS_H_

#include <vector>

#include "compile/plan.h"
#include "report/report.h"
#include "report/why.h"
#include "support/diagnostics.h"

// Plans the memory of a module again with other options, for reports: the workspace under both
// accounting rules, and the options that make it smaller.

namespace tenon {

/// A module, and the inputs of its report.
struct PlanBase {
  /// The module that PlanModule received.
  const IRModule& module;
  const CompileOptions& options;
  const PlanTarget& target;
  /// True if the module was already planned: its memory cannot be planned again.
  bool as_given = false;
};

/// The workspace of `report` with all inputs and outputs outside of the pools, and with all of them
/// in the pools. The rule that the report uses is taken from it. For the other one, the module is
/// planned with the same options, without verify-plan.
ReportAccountings AccountingsOf(const PlanBase& base, const MemoryReport& report);

/// The bytes that each option which changes the workspace saves or would save. Each figure comes
/// from a plan for it, without verify-plan. Options in use come first, then those with the largest
/// saving.
///
/// Every value that does more than the one in use is tried alone. The strongest values of all
/// options are also tried together, and listed if they save more than each alone. An option in use
/// is compared with its neutral value. Empty for a module that was already planned.
std::vector<OptionEffect> TryPlanOptions(const PlanBase& base, const MemoryReport& report);

/// After planning `base` failed because its pools are too small: adds a note to that error with the
/// options that make the module fit, if any. Plans again for each option.
void SuggestPlanOptions(const PlanBase& base, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_COMPILE_PLAN_VARIANTS_H_
