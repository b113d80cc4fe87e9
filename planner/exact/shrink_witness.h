#ifndef TENON_PLANNER_EXACT_SHRINK_WITNESS_H_
#define TENON_PLANNER_EXACT_SHRINK_WITNESS_H_

// Internal: small witnesses for bounds that a search has found.

#include "planner/exact/search_budget.h"
#include "planner/planner.h"
#include "planner/problem/pair_rules.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// Removes buffers from the witness of `bound`, a bound by search for `pool`, as long as a short
/// search refutes `bound.bytes - 1` bytes for the remaining ones. A simple search can check a few
/// buffers (planner/check/search_checker.h). Chunks are tried in order of their lives and then
/// halved (delta debugging: Zeller and Hildebrandt, "Simplifying and isolating failure-inducing
/// input", 2002). The work is limited independently of `options`; at the limit the current witness
/// is returned.
LowerBound ShrinkWitness(const Problem& problem, const PairRules& rules, int32_t pool,
                         const PlanOptions& options, LowerBound bound);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXACT_SHRINK_WITNESS_H_
