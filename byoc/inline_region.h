#ifndef TENON_BYOC_INLINE_REGION_H_
#define TENON_BYOC_INLINE_REGION_H_

#include <string>

#include "passes/pass.h"

namespace tenon {

struct InlineRegionOptions {
  std::string functions = {};
  std::string attr = {};

  static constexpr auto List() {
    using O = InlineRegionOptions;
    return std::make_tuple(
        PassOption{"functions", &O::functions, "names of the external functions"},
        PassOption{"attr", &O::attr, "functions with this attribute, or KEY=VALUE"});
  }
};

/// Replaces calls of external functions by their bodies, so that the host computes them. This
/// undoes `partition`, except that operators have lost their targets.
///
///   before:  def tvmgen_default_npu_main_0(npu_0_i0: T.Buffer(...), npu_0_o0: T.Buffer(...)):
///                T.func_attr({"Compiler": "npu", ...})
///                a = T.allocate([16], "int8", "global")
///                T.call_extern("int32", "conv", npu_0_i0.data, a)
///                T.call_extern("int32", "relu", a, npu_0_o0.data)
///            def main(...):
///                T.call_extern("int32", "tvmgen_default_npu_main_0", x.data, y.data)
///   after:   def main(...):
///                a = T.allocate([16], "int8", "global")
///                T.call_extern("int32", "conv", x.data, a)
///                T.call_extern("int32", "relu", a, y.data)
///
/// `functions` names them (names or symbols, separated by commas or blanks). `attr` chooses
/// functions with the attribute, e.g. `attr=Compiler=npu`. Without both, the pass takes every
/// function with `Compiler`. A function without remaining calls is removed. Errors: a function that
/// does not exist, is the entry, is recursive, may return early, or is called inside of an
/// expression. Idempotent. Counters: inline-region.functions, inline-region.calls.
absl::StatusOr<IRModule> InlineRegion(const IRModule& module, const InlineRegionOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_BYOC_INLINE_REGION_H_
