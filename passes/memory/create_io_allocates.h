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

/// Turns the entry function's inputs and outputs into allocations, which the planner places in
/// pools like all others.
///
///   before:
///     def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
///         for i in range(4):
///             y[i] = x[i] + T.int8(1)
///   after:
///     def main():
///         x = T.allocate([4], "int8", "global",
///             annotations={"input_tensor": "x", "tenon.entry_tensor": ["input", 0]})
///         y = T.allocate([4], "int8", "global",
///             annotations={"output_tensor": "y", "tenon.entry_tensor": ["output", 1]})
///         for i in range(4):
///             y_1 = T.Buffer((4,), "int8", data=y)
///             x_1 = T.Buffer((4,), "int8", data=x)
///             y_1[i] = x_1[i] + T.int8(1)
///
/// Outputs are the tensors that the function or a callee writes, or that its attribute
/// `tenon.outputs` lists (ir/analysis/effects.h). All other tensors are inputs. After planning, the
/// entry's attribute `tenon.mapped_tensors` lists the pool and offset of each tensor.
///
/// - input: live from the beginning, because the caller fills all inputs before each run, to its
///   last read
/// - kept input: live from the beginning to the end; gets both annotations
/// - output: live from its first write to the end
/// - output that may be read before it is written, or that a successful run may leave partly
///   unwritten: live from the beginning to the end; gets both annotations
///
/// Scalars, pools and a last handle remain parameters. Tensors must have a constant shape, no
/// strides and no offset. Run this pass after flatten-buffers and before assign-pool-info. (TVM:
/// `tir.usmp.transform.CreateAllocatesForIO`, which refuses outputs that are read and inputs that
/// are never read.)
absl::StatusOr<IRModule> CreateIoAllocates(const IRModule& module,
                                           const CreateIoAllocatesOptions& options,
                                           PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_CREATE_IO_ALLOCATES_H_
