#ifndef TENON_PASSES_MEMORY_CREATE_IO_ALLOCATES_H_
#define TENON_PASSES_MEMORY_CREATE_IO_ALLOCATES_H_

#include "passes/pass.h"

namespace tenon {

struct CreateIoAllocatesOptions {
  bool inputs = true;
  bool outputs = true;
  bool keep_inputs = false;

  static constexpr auto List() {
    using O = CreateIoAllocatesOptions;
    return std::make_tuple(PassOption{"inputs", &O::inputs, "move inputs"},
                           PassOption{"outputs", &O::outputs, "move outputs"},
                           PassOption{"keep-inputs", &O::keep_inputs,
                                      "keep inputs unchanged by a run; otherwise other buffers may "
                                      "reuse their bytes after the last read"});
  }
};

/// Makes the entry function's inputs and outputs allocations, so that they are planned like all
/// others. The workspace then contains them, and the caller receives their places.
///
///   before:  def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")): ...
///   after:   def main():
///                y = T.allocate([4], "int8", "global", annotations={"output_tensor": "y",
///                                                          "tenon.entry_tensor": ["output", 1]})
///                x = T.allocate([4], "int8", "global", annotations={"input_tensor": "x",
///                                                           "tenon.entry_tensor": ["input", 0]})
///                ...
///
/// Outputs are the tensors that the function or a callee writes to (ir/analysis/effects.h); all
/// other tensors are inputs, even if nothing reads them. The caller fills inputs before each run,
/// so all are live when the function begins, until their last read, or with keep-inputs to the end.
/// Outputs live to the end. Some outputs are also live from the beginning, and have both
/// annotations: a byte may be read before it is written, or a successful run may leave a byte
/// unwritten. A kept input also has both annotations. Scalars, pools and a final handle stay
/// parameters.
///
/// Tensors must have a constant shape, no strides and no offset. Run before assign-pool-info. (TVM:
/// tir.usmp.transform.CreateAllocatesForIO, which refuses outputs that are read and unused inputs.)
absl::StatusOr<IRModule> CreateIoAllocates(const IRModule& module,
                                           const CreateIoAllocatesOptions& options,
                                           PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_CREATE_IO_ALLOCATES_H_
