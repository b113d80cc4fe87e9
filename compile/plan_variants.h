#ifndef TENON_COMPILE_PLAN_VARIANTS_H_
#define TENON_COMPILE_PLAN_VARIANTS_H_

#include <vector>

#include "compile/plan.h"
#include "report/report.h"
#include "report/why.h"

// The memory of a module planned again with other options, for reports: how the workspace is
// counted, and which options make it smaller.

namespace tenon {

/// A module, and how its report was made.
struct PlanBase {
  /// What PlanModule was given.
  const IRModule& module;
  const CompileOptions& options;
  const PlanTarget& target;
  /// The module came planned: its memory cannot be planned again.
  bool as_given = false;
};

/// The workspace of `report` with all inputs and outputs outside of the pools, and with all of them
/// in the pools. The way that the report itself counts is taken from it. The other one is planned
/// with the same options, without verify-plan.
ReportAccountings AccountingsOf(const PlanBase& base, const MemoryReport& report);

/// What each option that changes the workspace saves or would save. Each figure is that of a plan
/// made for it, without verify-plan. Options in use come first, then those that save most.
///
/// All values that do more than the ones in use are tried, each alone. The strongest values of all
/// options are tried together, and listed if they save more than each alone. An option in use is
/// compared with its value that does nothing. Empty for a module that came planned.
std::vector<OptionEffect> TryPlanOptions(const PlanBase& base, const MemoryReport& report);

}  // namespace tenon

#endif  // TENON_COMPILE_PLAN_VARIANTS_H_
