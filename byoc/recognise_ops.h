#ifndef TENON_BYOC_RECOGNISE_OPS_H_
#define TENON_BYOC_RECOGNISE_OPS_H_

#include "passes/pass.h"

namespace tenon {

struct RecogniseOpsOptions {
  bool keep = false;
  bool kinds_only = false;

  static constexpr auto List() {
    return std::make_tuple(
        PassOption{"keep", &RecogniseOpsOptions::keep, "keep existing claims"},
        PassOption{"kinds-only", &RecogniseOpsOptions::kinds_only,
                   "write only the proven kind of each operator, not the whole claim"});
  }
};

/// Writes what each operator computes into the attribute `tenon.op`, as far as its loops prove it.
/// An operator is a function that calls no other function; the entry counts only if it is the only
/// function. The bodies stay as they are. Names of functions and buffers do not count. Without a
/// proof, the claim is `{"kind": "unknown", "because": "..."}`. docs/reference/claims.md lists the
/// kinds, the form of a claim, and the proofs.
///
///   before:
///     def f(a: T.Buffer((2, 8), "float32"), w: T.Buffer((8, 4), "float32"), c: T.Buffer((2, 4),
///         "float32")):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         for i, j in T.grid(2, 4):
///             c[i, j] = T.float32(0)
///             for k in range(8):
///                 c[i, j] = c[i, j] + a[i, k] * w[k, j]
///   after:
///     def f(...):
///         T.func_attr({"tenon.op": {"kind": "matmul", "acc": "float32", "accesses": [[0, [0,
///             [["m", 8], ["k", 1]]]], [1, [0, [["n", 1], ["k", 4]]]], [2, [0, [["m", 4], ["n",
///             1]]]]], "contraction": 4, "elements": 8, "exact": "reassociates", "input": 0,
///             "loops": [["m", 2], ["n", 4], ["k", 8]], "macs": 64, "operands": [["param", 0,
///             "float32", 16], ["param", 1, "float32", 32], ["param", 2, "float32", 8]],
///             "steps": [["const", "float32", T.float32(0)], ["read", 0], ["read", 1], ["mul", 1,
///             2], ["reduce", "add", ["k"], 0, 3]], "stores": [[2, 4, ["m", "n"]]], "weights": 1},
///             "tir.noalias": T.bool(True)})
///         for i, j in T.grid(2, 4):
///             c[i, j] = T.float32(0)
///             for k in range(8):
///                 c[i, j] = c[i, j] + a[i, k] * w[k, j]
///
/// With `keep=true`, existing claims stay. With `kinds-only=true`, a claim has only its kind:
/// `{"kind": "matmul"}`; `annotate-targets` derives the rest again. Counters:
/// `recognise-ops.<kind>`.
absl::StatusOr<IRModule> RecogniseOps(const IRModule& module, const RecogniseOpsOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_BYOC_RECOGNISE_OPS_H_
