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

/// Replaces calls of operators in the entry by the operators' bodies. The next passes then see
/// producers next to their readers.
///
///   before:
///     def scale(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
///         for i in range(8):
///             y[i] = x[i] * 3
///
///     def relu(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
///         for i in range(8):
///             y[i] = T.max(x[i], 0)
///
///     def main(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
///         sid = T.allocate([32], "int8", "global")
///         T.call_extern("int32", "scale", x.data, sid)
///         T.call_extern("int32", "relu", sid, y.data)
///   after:
///     def main(...):
///         sid = T.allocate([8], "int32", "global")
///         for i in T.serial(8, annotations={"tenon.origins": ["scale"]}):
///             y_1 = T.Buffer((8,), "int32", data=sid)
///             y_1[i] = x[i] * 3
///         for i in T.serial(8, annotations={"tenon.origins": ["relu"]}):
///             x_1 = T.Buffer((8,), "int32", data=sid)
///             y[i] = T.max(x_1[i], 0)
///
/// The entry then begins with all allocations of constant size, followed by the loop nests. The
/// outermost loops of an operator name the call in `tenon.origins`: `f` for the first call of `f`,
/// then `f@2` and so on. If all accesses of an allocation use the same element type, the allocation
/// gets this type. Functions without remaining calls are removed.
///
/// These calls are not inlined:
///
/// - calls of functions that are recursive, may return early, are planned, or have blocks
/// - calls of functions with `Compiler`, `tenon.external`, `link_params`, or a shape that depends
///   on the caller
/// - calls in expressions, in parallel loops and in regions (`tenon.region`)
/// - calls of functions that may fail, if nothing checks the status
/// - calls that would make the entry larger than `max-nodes`
/// - calls with arguments that do not fit
///
/// Idempotent. Counters: `inline-callees.calls`, `inline-callees.functions` (removed).
absl::StatusOr<IRModule> InlineCallees(const IRModule& module, const InlineCalleesOptions& options,
                                       PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_INLINE_CALLEES_H_
