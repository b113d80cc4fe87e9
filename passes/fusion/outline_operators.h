#ifndef TENON_PASSES_FUSION_OUTLINE_OPERATORS_H_
#define TENON_PASSES_FUSION_OUTLINE_OPERATORS_H_

#include "passes/pass.h"

namespace tenon {

/// Makes functions of the entry's nests again, after `inline-callees` and the passes that fuse.
///
///   before:  def main(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
///                for i in T.serial(8, annotations={"tenon.origins": ["scale", "relu"]}):
///                    y[i] = T.max(x[i] * 3, 0)
///   after:   def main(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
///                T.call_extern("int32", "scale_relu", x.data, y.data)
///            def scale_relu(p0: T.Buffer((8,), "int32"), output: T.Buffer((8,), "int32")):
///                T.func_attr({"tenon.origins": ["scale", "relu"], "tir.noalias": T.bool(True)})
///                for i in range(8):
///                    output[i] = T.max(p0[i] * 3, 0)
///
/// Neighbours that come from one call become one function. A function has the constants that it
/// uses, and the allocations that only it uses; the rest are parameters. Functions with equal
/// bodies are one. `tir.noalias` is there where no two arguments can overlap. Statements without
/// `tenon.origins` stay; so do those that may end the entry or have blocks. Conditions and serial
/// loops of the entry stay, and the operators in them become calls. Idempotent. Counters:
/// outline-operators.calls, outline-operators.functions.
absl::StatusOr<IRModule> OutlineOperators(const IRModule& module, const NoOptions& options,
                                          PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_OUTLINE_OPERATORS_H_
