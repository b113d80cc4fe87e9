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

/// Describes the computation of each operator in the attribute `tenon.op` (byoc/op_info.h). An
/// operator is a function without calls of functions; the entry is an operator only if it is the
/// only function. The loops prove each claim: names of functions and buffers do not count.
///
///   def f(a: T.Buffer((2, 8)), w: T.Buffer((8, 4)), c: T.Buffer((2, 4))):
///       T.func_attr({"tir.noalias": True})
///       for i, j in T.grid(2, 4):
///           c[i, j] = T.float32(0)
///           for k in range(8):
///               c[i, j] = c[i, j] + a[i, k] * w[k, j]
///
/// gets `{"kind": "matmul", "macs": 64, ...}`. Without a proof, the claim is
/// `{"kind": "unknown", "because": "..."}`. The bodies stay as they are. A second run changes
/// nothing more.
///
/// Counters: recognise-ops.<kind>, the operators of each kind.
absl::StatusOr<IRModule> RecogniseOps(const IRModule& module, const RecogniseOpsOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_BYOC_RECOGNISE_OPS_H_
