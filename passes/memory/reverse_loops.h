#ifndef TENON_PASSES_MEMORY_REVERSE_LOOPS_H_
#define TENON_PASSES_MEMORY_REVERSE_LOOPS_H_

#include "ir/storage_defaults.h"
#include "passes/pass.h"
#include "planner/planner.h"

namespace tenon {

struct ReverseLoopsOptions {
  std::string algorithm = std::string(planner::kDefaultAlgorithm);
  int64_t workspace_alignment = kDefaultAlignment;
  int64_t constant_alignment = kDefaultAlignment;

  static constexpr auto List() {
    using O = ReverseLoopsOptions;
    return std::make_tuple(
        PassOption{"algorithm", &O::algorithm,
                   "as for plan-memory; TVM's algorithms plan no overlaps"},
        PassOption{"workspace-alignment", &O::workspace_alignment, "as for plan-memory"},
        PassOption{"constant-alignment", &O::constant_alignment, "as for plan-memory"});
  }
};

/// Runs loops of operators backwards if that makes the workspace smaller.
///
/// With `overlap=on`, plan-memory lets the output of a call trail an input that dies in it. Forward
/// loops let the output begin some bytes before the input, and backward loops after it. A chain of
/// forward loops thus drifts to lower addresses, and backward loops compensate for this.
///
///   before:  for i in range(8):                     after:  for i in range(8):
///                y[i] = x[i] + x[i + 1]                         y[7 - i] = x[7 - i] + x[7 - i + 1]
///
/// Loops are reversed from the outside, as long as they are perfectly nested and their iterations
/// are independent (analysis/loop_independence.h). The pass builds the problem of plan-memory with
/// the distances of both orders, and plans it. Functions with pairs at distances of the backward
/// order are reversed, if the plan is smaller than the plan for forward loops. A function with
/// several such pairs has the same order for all, and is tried alone. Run directly before
/// plan-memory, which derives its relations from the reversed loops.
///
/// A second run may reverse more, and never makes the workspace larger.
absl::StatusOr<IRModule> ReverseLoops(const IRModule& module, const ReverseLoopsOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_REVERSE_LOOPS_H_
