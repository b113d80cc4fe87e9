#ifndef TENON_PASSES_MEMORY_CONVERT_POOL_ALLOCATIONS_TO_OFFSETS_H_
#define TENON_PASSES_MEMORY_CONVERT_POOL_ALLOCATIONS_TO_OFFSETS_H_

#include "passes/pass.h"

namespace tenon {

struct ConvertPoolAllocationsToOffsetsOptions {
  bool keep_plan = false;

  static constexpr auto List() {
    using O = ConvertPoolAllocationsToOffsetsOptions;
    return std::make_tuple(
        PassOption{"keep-plan", &O::keep_plan, "keep the module attribute tenon.memory_plan"});
  }
};

/// Converts planned allocations to addresses in pools, which functions take as parameters.
///
///   before `assign-pool-info,plan-memory,convert-pool-allocations-to-offsets`:
///     def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
///         t = T.allocate([4], "int8", "global")
///         t_1 = T.Buffer((4,), "int8", data=t)
///         for i in range(4):
///             t_1[i] = x[i] + T.int8(1)
///         for i in range(4):
///             y[i] = t_1[3 - i]
///   after:
///     def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"),
///              global_workspace_0_var: T.handle("uint8", "global")):
///         T.func_attr({"pool_args": [I.AllocatedPoolInfo(
///             pool_info=metadata["ir.WorkspacePoolInfo"][0], allocated_size=4)]})
///         global_workspace_0_buffer_var = T.match_buffer(global_workspace_0_var, (4,), "uint8",
///             strides=(1,), align=16)
///         t_let: T.handle("int8", "global") = T.address_of(global_workspace_0_buffer_var[0])
///         t_1 = T.Buffer((4,), "int8", data=t_let)
///         ...
///
/// Every function that the entry reaches takes all used pools as parameters, in the order of their
/// names, after its other parameters and before a resource handle. Calls pass the pools on. The
/// attribute `pool_args` lists pools with their sizes, and constant pools with their data. For
/// loaded constants, `pool_args` contains the stored form, and the entry's attribute
/// `tenon.loaded_constants` lists the destinations (ir/loaded_constants.h). The entry's attribute
/// `tenon.mapped_tensors` lists the pools and offsets of inputs and outputs from
/// create-io-allocates (ir/mapped_tensors.h). (TVM:
/// tir.usmp.transform.ConvertPoolAllocationsToOffsets, whose names and order this pass keeps.)
absl::StatusOr<IRModule> ConvertPoolAllocationsToOffsets(
    const IRModule& module, const ConvertPoolAllocationsToOffsetsOptions& options,
    PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_CONVERT_POOL_ALLOCATIONS_TO_OFFSETS_H_
