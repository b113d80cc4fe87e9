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
///   before:  def f(...):
///                t = T.allocate([64], "int8", "global.workspace",
///                               annotations={..., "tenon.placement": ["ws", 128]})
///                t_1 = T.Buffer((64,), "int8", data=t)
///   after:   def f(..., ws_0_var: T.handle("uint8", "global")):
///                ws_0_buffer_var = T.match_buffer(ws_0_var, (192,), "uint8", strides=(1,),
///                                                 align=16)
///                t_let: T.handle("int8", "global.workspace") = T.address_of(ws_0_buffer_var[128])
///                t_1 = T.Buffer((64,), "int8", data=t_let)
///
/// Every function that the entry reaches takes every used pool, in the order of their names, after
/// its parameters and before a resource handle; calls pass them on. The attribute `pool_args` lists
/// pools with their sizes, and constant pools with their data. For loaded constants, `pool_args`
/// has the stored form; the entry's attribute `tenon.loaded_constants` has their destinations
/// (ir/loaded_constants.h). The entry's attribute `tenon.mapped_tensors` has the places of inputs
/// and outputs from create-io-allocates (ir/mapped_tensors.h). (TVM:
/// tir.usmp.transform.ConvertPoolAllocationsToOffsets, whose names and order this pass keeps.)
absl::StatusOr<IRModule> ConvertPoolAllocationsToOffsets(
    const IRModule& module, const ConvertPoolAllocationsToOffsetsOptions& options,
    PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_CONVERT_POOL_ALLOCATIONS_TO_OFFSETS_H_
