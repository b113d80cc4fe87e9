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

/// Turns every region into an external function.
///
///   before:
///     def scale(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
///         T.func_attr({"tenon.op": {"kind": "elementwise"}})
///         for i in range(4):
///             y[i] = x[i] * 3
///     def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
///         a = T.allocate([4], "int32", "global")
///         with T.attr(0, "tenon.region", "npu"):
///             T.call_extern("int32", "scale", x.data, a)
///             T.call_extern("int32", "scale", a, y.data)
///   after:
///     ...
///     def tvmgen_default_npu_main_0(npu_0_i0: T.Buffer((4,), "int32"),
///                                   npu_0_o0: T.Buffer((4,), "int32")):
///         T.func_attr({"Compiler": "npu", "tenon.targets": ["npu"], "tir.noalias": T.bool(True)})
///         a = T.allocate([4], "int32", "global")
///         T.call_extern("int32", "scale", npu_0_i0.data, a)
///         T.call_extern("int32", "scale", a, npu_0_o0.data)
///     def main(...):
///         T.call_extern("int32", "tvmgen_default_npu_main_0", x.data, y.data)
///
/// The symbol is `tvmgen_<name>_<target>_<function>_<number>`, with `_` for characters that symbols
/// cannot contain. Parameters are in this order; a tensor is one parameter, even if it is used
/// several times:
///
/// 1. inputs (`_i0`), tensors that are read and written (`_io0`), and outputs in order of first use
///    (`_o0`)
/// 2. constants (`_c0`)
/// 3. scalars and handles
///
/// Memory is allocated inside the external function if nothing outside needs its values. This also
/// holds if the caller stores other tensors in the same allocation. An operator with targets that
/// is in no region becomes a separate region, for its first target. An operator that several
/// targets call is copied for each of them. `tenon.targets` of an external function lists the
/// targets that can compute all its operators, beginning with its own target.
/// CodeGenerator::Optimize receives the functions of its target.
///
/// Errors: `region-cycle`; `unsupported-operator` if a statement of the region may leave the
/// function; `planned-module`. A second run changes nothing.
///
/// Counters: `partition.functions`, `partition.operators`, `partition.copies`.
absl::StatusOr<IRModule> Partition(const IRModule& module, const PartitionOptions& options,
                                   PassContext& context);

}  // namespace tenon

#endif  // TENON_BYOC_PARTITION_H_
