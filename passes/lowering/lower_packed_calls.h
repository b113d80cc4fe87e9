#ifndef TENON_PASSES_LOWERING_LOWER_PACKED_CALLS_H_
#define TENON_PASSES_LOWERING_LOWER_PACKED_CALLS_H_

#include <string>

#include "passes/pass.h"
#include "passes/pipeline/form.h"

namespace tenon {

struct LowerPackedCallsOptions {
  /// "extern": plain calls with unchanged arguments. "stack": TVM's packed convention, with
  /// arguments, their type codes and tensors in arrays on the stack.
  std::string to = "extern";

  static constexpr auto List() {
    return std::make_tuple(PassOption<LowerPackedCallsOptions, std::string>{
        "to", &LowerPackedCallsOptions::to, "the form of calls: extern or stack"});
  }
  FormSet NotGiven() const { return to == "extern" ? FormSet() : ModuleForm::kDirectCalls; }
};

/// Lowers T.call_packed and T.call_cpacked.
///
///   before:
///     def f(A: T.Buffer((4,), "float32")):
///         T.call_cpacked("f", A.data, T.reinterpret("handle", T.uint64(0)))
///   after:
///     def f(...):
///         T.tvm_check_return(0, -1, T.call_extern("int32", "f", A.data))
///
/// With `to=extern`, only calls of functions of the module change. They get the arguments for which
/// the function has parameters, with tensors unpacked to their data; the resource handle is removed
/// unless there is a parameter for it. A failing callee still makes the caller return -1.
///
/// With `to=stack`, all calls change. Arguments are written to `stack_value`, their type codes to
/// `stack_tcode`. A pointer for a parameter with a buffer becomes a DLTensor in `stack_array` with
/// its shape in `stack_shape`, and so does T.tvm_stack_make_array. The call itself becomes
/// T.call_packed_lowered or T.call_cpacked_lowered.
///
/// Idempotent. (TVM: LegalizePackedCalls and LowerTVMBuiltin.)
absl::StatusOr<IRModule> LowerPackedCalls(const IRModule& module,
                                          const LowerPackedCallsOptions& options,
                                          PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_LOWER_PACKED_CALLS_H_
