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

/// Runs loops of operators backwards if outputs can then overlap more bytes of dying inputs.
/// `plan-memory{overlap=on}` lets an output begin some bytes before a dying input, because loops
/// count upwards. Loops that count downwards let the output begin after the input. A chain of
/// forward layers drifts to lower addresses by the distance of each layer. If every other layer
/// runs backwards, the chain stays in place (docs/guide/below_the_bound.md#loops-in-reverse-order).
///
///   before `assign-pool-info,reverse-loops`:
///     def shift(x: T.Buffer((64,), "int8"), y: T.Buffer((64,), "int8")):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         for i in range(64):
///             y[i] = x[i] + T.if_then_else(0 < i, x[i - 1], T.int8(0))
///     def main(x: T.Buffer((64,), "int8"), y: T.Buffer((64,), "int8")):
///         a = T.allocate([64], "int8", "global")
///         b = T.allocate([64], "int8", "global")
///         T.call_extern("int32", "shift", x.data, a)
///         T.call_extern("int32", "shift", a, b)
///         T.call_extern("int32", "shift", b, y.data)
///   after:
///     def shift(...):
///         ...
///         for i in range(64):
///             y[63 - i] = x[63 - i] + T.if_then_else(0 < 63 - i, x[63 - i - 1], T.int8(0))
///     def main(...):
///         ...
///
/// A loop can be reversed if it is serial, has constant bounds, and has independent iterations
/// (`analysis/loop_independence.h`). Of perfectly nested loops, the pass reverses up to four, from
/// the outside. Sums keep their order. Results are the same bit for bit.
///
/// The pass chooses orders together with the plan:
///
/// 1. It makes the problem of plan-memory, allows each pair the distances of both orders, and plans
///    this problem.
/// 2. If that plan is smaller than the plan of forward loops, it reverses the functions whose pairs
///    lie at backward distances.
/// 3. A function with several such pairs has one order for all of them, and is tried alone.
/// 4. Functions whose reversal gains nothing become forward again.
///
/// Modules with more than 256 pairs stay as they are, and so do modules planned by TVM's
/// algorithms. Run this pass directly before `plan-memory`, which derives its relations from the
/// loops as they are then. `tenon compile`, `run` and `report` run it with `--overlap=on`. Counter:
/// `reverse-loops.functions`.
///
/// A second run may reverse more, and never makes the workspace larger.
absl::StatusOr<IRModule> ReverseLoops(const IRModule& module, const ReverseLoopsOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_REVERSE_LOOPS_H_
