#ifndef TENON_BYOC_SPLIT_OPS_H_
#define TENON_BYOC_SPLIT_OPS_H_

#include <string>

#include "passes/pass.h"

namespace tenon {

struct SplitOpsOptions {
  std::string targets;
  std::string floats = "reassociate";
  std::string inexact;
  std::string host;

  static constexpr auto List() {
    return std::make_tuple(
        PassOption{"targets", &SplitOpsOptions::targets, "targets in the order of preference"},
        PassOption{
            "floats", &SplitOpsOptions::floats,
            "sums of floats may be added up in another order (reassociate), or not (bitwise)"},
        PassOption{"inexact", &SplitOpsOptions::inexact,
                   "kinds of operators whose integers need not be exact"},
        PassOption{"host", &SplitOpsOptions::host,
                   "how the host's own code is compiled, as for annotate-targets"});
  }
};

/// Cuts an operator after its sum of products, if a target computes only the first part.
///
///   before `recognise-ops,split-ops{targets=cmsis-nn},recognise-ops{kinds-only=true}`:
///     def dense(x: T.Buffer((4,), "int8"), y: T.Buffer((2,), "float32")):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, -8], "int8", [8])
///         w_1 = T.Buffer((8,), "int8", data=w)
///         acc = T.allocate([1], "int32", "global")
///         acc_1 = T.Buffer((1,), "int32", data=acc)
///         for n in range(2):
///             acc_1[0] = 0
///             for k in range(4):
///                 acc_1[0] = acc_1[0] + T.Cast("int32", x[k]) * T.Cast("int32", w_1[n * 4 + k])
///             y[n] = T.Cast("float32", T.max(T.min(T.q_multiply_shift(acc_1[0], 1278221461, 31,
///                 -2), 127), -128)) * T.float32(0.5)
///
///     def main(x: T.Buffer((4,), "int8"), y: T.Buffer((2,), "float32")):
///         T.tvm_check_return(0, -1, T.call_extern("int32", "dense", x.data, y.data))
///   after:
///     @T.prim_func(private=True)
///     def dense_head(p0: T.Buffer((4,), "int8"), p1: T.Buffer((2,), "int8")):
///         T.func_attr({"tenon.op": {"kind": "dense"}, "tir.noalias": T.bool(True)})
///         constant0 = T.allocate_const([1, 2, 3, 4, 5, 6, 7, -8], "int8", [8])
///         for n in range(2):
///             value6 = T.allocate([1], "int32", "global",
///                 annotations={"candidate_memory_pools": []})
///             value6_1 = T.Buffer((1,), "int32", data=value6)
///             value6_1[0] = 0
///             for k in range(4):
///                 constant0_1 = T.Buffer((8,), "int8", data=constant0)
///                 value6_1[0] = value6_1[0] + T.Cast("int32",
///                     constant0_1[n * 4 + k]) * T.Cast("int32", p0[k])
///             p1[n] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(value6_1[0], 1278221461, 31,
///                 -2), 127), -128))
///
///     @T.prim_func(private=True)
///     def dense_tail(p0: T.Buffer((2,), "int8"), p1: T.Buffer((2,), "float32")):
///         T.func_attr({"tenon.op": {"kind": "elementwise"}, "tir.noalias": T.bool(True)})
///         for n in range(2):
///             p1[n] = T.Cast("float32", T.Cast("int32", p0[n])) * T.float32(0.5)
///
///     def main(...):
///         dense_head_out = T.allocate([2], "int8", "global")
///         T.tvm_check_return(0, -1, T.call_extern("int32", "dense_head", x.data, dense_head_out))
///         T.tvm_check_return(0, -1, T.call_extern("int32", "dense_tail", dense_head_out, y.data))
///
/// Calls of the operator become two calls, and their caller allocates the value in between. That
/// value must fit in int8, and all results after the cut must depend on the sum only through it. If
/// several cuts are possible, the pass chooses the last one. It does not cut an operator in these
/// cases:
///
/// - an earlier target computes all of it
/// - no target that accepts parts computes one of its parts (`CodeGenerator::form`; of the built-in
///   targets, only `cmsis-nn` accepts them)
/// - a call is a part of another statement
///
/// Run the pass after `recognise-ops`; both parts get the claims that their loops prove. A second
/// run changes nothing. Errors: `unknown-target`, `planned-module`. Counter: `split-ops.operators`.
absl::StatusOr<IRModule> SplitOps(const IRModule& module, const SplitOpsOptions& options,
                                  PassContext& context);

}  // namespace tenon

#endif  // TENON_BYOC_SPLIT_OPS_H_
