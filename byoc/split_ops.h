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
                   "facts about the host's code, as annotate-targets has them"});
  }
};

/// Cuts an operator at a value after its sum of products, if a target computes only the first part.
///
///   before:  f(x, y):     y[i] = T.Cast("float32", max(min(requantise(sum), 127), -128)) * scale
///   after:   f_head(x, t):     t[i] = T.Cast("int8", max(min(requantise(sum), 127), -128))
///            f_tail(t, y):     y[i] = T.Cast("float32", T.Cast("int32", t[i])) * scale
///
/// Calls of `f` become two calls, and their caller allocates `t`. An operator stays whole if a
/// target before computes all of it, if no target that wants parts (CodeGenerator::form) computes
/// one, or if a call has another form than a statement of its own. The value at the cut fits int8,
/// so the memory between the parts is small. Both parts have the claims that their loops prove. A
/// second run changes nothing more. Run it after recognise-ops.
///
/// Counters: split-ops.operators, the operators that were cut.
absl::StatusOr<IRModule> SplitOps(const IRModule& module, const SplitOpsOptions& options,
                                  PassContext& context);

}  // namespace tenon

#endif  // TENON_BYOC_SPLIT_OPS_H_
