#ifndef TENON_PASSES_FUSION_INLINE_CALLEES_H_
#define TENON_PASSES_FUSION_INLINE_CALLEES_H_

#include <cstdint>

#include "passes/pass.h"

namespace tenon {

struct InlineCalleesOptions {
  int64_t max_nodes = 1'000'000;

  static constexpr auto List() {
    return std::make_tuple(PassOption<InlineCalleesOptions, int64_t>{
        "max-nodes", &InlineCalleesOptions::max_nodes,
        "most nodes that inlined calls add to the entry"});
  }
};

/// Puts the bodies of operators in the place of their calls in the entry. The entry then begins
/// with all allocations, and a list of nests follows.
///
///   before:  def relu(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
///                for i in range(8):
///                    y[i] = T.max(x[i], 0)
///            def main(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
///                T.call_extern("int32", "relu", x.data, y.data)
///   after:   def main(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
///                for i in T.serial(8, annotations={"tenon.origins": ["relu"]}):
///                    y[i] = T.max(x[i], 0)
///
/// The outermost loops of an operator note its name. A function that nothing calls any more is
/// removed. An allocation takes the element type of its accesses. Calls of some functions stay:
/// recursive and planned ones, and functions that may return early or have blocks, `Compiler` or
/// `tenon.external`. Calls in expressions, parallel loops and regions (`tenon.region`) stay. So do
/// calls with arguments that do not fit, and calls that would make the entry larger than
/// `max-nodes`. Idempotent. Counters: inline-callees.calls, inline-callees.functions (removed).
absl::StatusOr<IRModule> InlineCallees(const IRModule& module, const InlineCalleesOptions& options,
                                       PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_INLINE_CALLEES_H_
