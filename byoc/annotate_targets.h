#ifndef TENON_BYOC_ANNOTATE_TARGETS_H_
#define TENON_BYOC_ANNOTATE_TARGETS_H_

#include <string>

#include "passes/pass.h"

namespace tenon {

struct AnnotateTargetsOptions {
  std::string targets = {};
  bool trust = false;
  std::string only = {};
  std::string skip = {};
  std::string floats = "reassociate";
  std::string inexact = {};
  std::string host = {};
  std::string on_error = "error";

  static constexpr auto List() {
    using O = AnnotateTargetsOptions;
    return std::make_tuple(
        PassOption{"targets", &O::targets,
                   "targets to ask, preferred first; npu:0 and npu:1 are two targets of the "
                   "generator npu"},
        PassOption{"trust", &O::trust, "believe claims that the loops do not prove"},
        PassOption{"only", &O::only, "names of the operators to ask about; empty: all"},
        PassOption{"skip", &O::skip, "names of operators to leave out"},
        PassOption{"floats", &O::floats,
                   "sums of floats may be in another order (reassociate), or not (bitwise)"},
        PassOption{"inexact", &O::inexact, "kinds of operators whose integers may differ"},
        PassOption{"host", &O::host,
                   "how the host's own code is compiled, such as "
                   "llvm,vector:64,optimised,contract,cpu:znver4; tenon compile sets it"},
        PassOption{
            "on-error", &O::on_error,
            "if a generator fails: error, or refuse: a warning, and its targets get no operator"});
  }
};

/// Queries code generators for the operators that they can compute, and records their answers.
///
///   before `annotate-targets{targets=reference,blas}`:
///     def scale(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
///         T.func_attr({"tenon.op": {"kind": "elementwise"}, "tir.noalias": T.bool(True)})
///         for i in range(4):
///             y[i] = x[i] * 3
///   after:
///     def scale(...):
///         T.func_attr({"tenon.op": {"kind": "elementwise", ...}, "tenon.targets": ["reference"],
///             "tenon.why_not": {"blas": "BLAS has no elementwise"}, "tir.noalias": T.bool(True)})
///         ...
///
/// An operator is a function with a claim (`tenon.op`), or a function without a body that the
/// module declares in `tenon.externs` and `tenon.ops`; the module's `tenon.targets` then lists its
/// targets. `tenon.why_not` lists the targets that do not compute the operator, with their reasons.
/// Existing targets are kept, and precede new ones. A function with `Compiler` already has its
/// target.
///
/// `tenon.offload` of a function names the only target that may compute it, even if `targets` does
/// not list that target. With `host`, no target may compute it. Without `trust`, it is an error if
/// the function's loops contradict its claim.
///
/// Each generator is queried once about all operators of a target.
///
/// Idempotent. Errors: unknown-target; generator-failed; unsupported-operator, if `tenon.offload`
/// names a target that does not compute it; wrong-operator; planned-module. Counters:
/// annotate-targets.operators, annotate-targets.annotated.
absl::StatusOr<IRModule> AnnotateTargets(const IRModule& module,
                                         const AnnotateTargetsOptions& options,
                                         PassContext& context);

}  // namespace tenon

#endif  // TENON_BYOC_ANNOTATE_TARGETS_H_
