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
/// others: the workspace holds them, and the caller is told where.
///
///   before:  def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")): ...
///   after:   def main():
///                y = T.allocate([4], "int8", "global", annotations={"output_tensor": "y",
///                                                          "tenon.entry_tensor": ["output", 1]})
///                x = T.allocate([4], "int8", "global", annotations={"input_tensor": "x",
///                                                           "tenon.entry_tensor": ["input", 0]})
///                ...
///
/// Outputs are what the function, or something it calls, writes to (ir/analysis/effects.h); other
/// tensors are inputs, also those that nothing reads. Inputs are there when the function begins,
/// all at once, and until their last read (the caller fills them before each run), or with
/// keep-inputs to the end; outputs live to the end. An output of which some byte may be read, or
/// left by a run that does not fail, before it is written is there from the beginning too, and has
/// both annotations; an input that is kept has both as well. Numbers, pools and a last handle stay
/// parameters.
///
/// Tensors must have a constant shape, no strides and no offset. Run before assign-pool-info.
/// (TVM: tir.usmp.transform.CreateAllocatesForIO, which refuses outputs
/// that are read and inputs that nothing reads.)
absl::StatusOr<IRModule> CreateIoAllocates(const IRModule& module,
                                           const CreateIoAllocatesOptions& options,
                                           PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_CREATE_IO_ALLOCATES_H_
