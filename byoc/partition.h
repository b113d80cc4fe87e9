#ifndef TENON_BYOC_PARTITION_H_
#define TENON_BYOC_PARTITION_H_

#include <string>

#include "passes/pass.h"

namespace tenon {

struct PartitionOptions {
  std::string name = "default";
  std::string bind_constants = "generator";
  bool keep_reasons = false;

  static constexpr auto List() {
    using O = PartitionOptions;
    return std::make_tuple(
        PassOption{"name", &O::name, "part of the symbols of external functions"},
        PassOption{
            "bind-constants", &O::bind_constants,
            "place of constants: inside, arguments, or generator (as each code generator wants)"},
        PassOption{"keep-reasons", &O::keep_reasons, "keep tenon.why_not and regions of the host"});
  }
};

/// Turns every region into an external function. An operator with `tenon.targets` outside of
/// regions is a separate region, for its first target.
///
///   before:  def main(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
///                a = T.allocate([16], "int8", "global")
///                with T.attr(0, "tenon.region", "npu:0"):
///                    T.call_extern("int32", "conv", x.data, a)
///                    T.call_extern("int32", "relu", a, y.data)
///   after:   def tvmgen_default_npu_0_main_0(npu_0_0_i0: T.Buffer((4,), "float32"),
///                                            npu_0_0_o0: T.Buffer((4,), "float32")):
///                T.func_attr({"Compiler": "npu:0", "global_symbol": ..., "tir.noalias": True})
///                a = T.allocate([16], "int8", "global")
///                T.call_extern("int32", "conv", npu_0_0_i0.data, a)
///                T.call_extern("int32", "relu", a, npu_0_0_o0.data)
///            def main(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
///                T.call_extern("int32", "tvmgen_default_npu_0_main_0", x.data, y.data)
///
/// Symbols are tvmgen_<name>_<target>_<function>_<number>, like TVM's, with `_` for characters that
/// symbols cannot have. Parameters are inputs (_i0, ...), tensors that are read and written (_io0),
/// outputs (_o0) in order of first use, constants (_c0), and then numbers and handles. A tensor is
/// one parameter, however often it is used. If only the region needs the values in some memory, the
/// external function allocates it, even if the caller keeps other tensors in the same allocation.
/// Constants of the caller are passed, or allocated inside (`bind-constants`).
///
/// An operator that external functions of several targets call has a copy for each of them.
/// CodeGenerator::Optimize sees the functions of its target. Operators lose `tenon.targets`; an
/// external function has the targets that all its operators have, its own target first. A second
/// run changes nothing. Errors: region-cycle, planned-module; unsupported-operator, if a region may
/// leave the function. Counters: partition.functions, partition.operators, partition.copies.
absl::StatusOr<IRModule> Partition(const IRModule& module, const PartitionOptions& options,
                                   PassContext& context);

}  // namespace tenon

#endif  // TENON_BYOC_PARTITION_H_
