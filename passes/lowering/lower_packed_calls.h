#ifndef TENON_PASSES_LOWERING_LOWER_PACKED_CALLS_H_
#define TENON_PASSES_LOWERING_LOWER_PACKED_CALLS_H_

#include "passes/pass.h"

namespace tenon {

/// Lowers T.call_packed and T.call_cpacked.
///
///   before:
///     def f(A: T.Buffer((4,), "float32")):
///         T.call_cpacked("f", A.data, T.reinterpret("handle", T.uint64(0)))
///   after:
///     def f(...):
///         T.tvm_check_return(0, -1, T.call_extern("int32", "f", A.data))
///
/// The pass only changes calls of functions of the module. A call passes the arguments for which
/// the function has parameters, with tensors unpacked to their data. The resource handle is removed
/// unless there is a parameter for it. A failing callee still makes the caller return -1.
/// Idempotent. (TVM: LegalizePackedCalls.)
absl::StatusOr<IRModule> LowerPackedCalls(const IRModule& module, const NoOptions& options,
                                          PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_LOWER_PACKED_CALLS_H_
