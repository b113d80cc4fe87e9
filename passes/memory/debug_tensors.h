#ifndef TENON_PASSES_MEMORY_DEBUG_TENSORS_H_
#define TENON_PASSES_MEMORY_DEBUG_TENSORS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "passes/pass.h"

namespace tenon {

/// Shows the tensors between operators. After each operator, the entry calls the external function
/// `debug_tensor` with each tensor that the operator wrote and a later one reads, and with
/// outputs of the model. At the start it does so with the inputs. The arguments are the name, the
/// number of the operator (0 for inputs), the address, and the size in bytes.
///
///   before:
///     def f(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         for i in range(4):
///             y[i] = x[i] + T.int8(1)
///     def main(a: T.Buffer((4,), "int8"), b: T.Buffer((4,), "int8")):
///         T.call_extern("int32", "f", a.data, b.data)
///   after:
///     ...
///     def main(...):
///         T.func_attr({"tenon.externs": {"debug_tensor": ["", "", "r", ""]}})
///         T.call_extern("int32", "debug_tensor", "a", 0, a.data, 4)
///         T.call_extern("int32", "f", a.data, b.data)
///         T.call_extern("int32", "debug_tensor", "b", 1, b.data, 4)
///
/// Run the pass on a module that is fused, and not planned yet: then the tensors are those of the
/// code.
absl::StatusOr<IRModule> DebugTensors(const IRModule& module, const NoOptions& options,
                                      PassContext& context);

/// The module with one more output for each of these tensors but inputs, to which the entry copies
/// it instead of calling a function. DebugOutputName has their names.
IRModule WithDebugOutputs(const IRModule& module);

/// `debug_<number>_<name>`: the output that shows the tensor `name` of an operator.
std::string DebugOutputName(int64_t number, std::string_view name);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_DEBUG_TENSORS_H_
