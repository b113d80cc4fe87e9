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
        PassOption{"functions", &O::functions,
                   "names or symbols of the external functions, separated by commas"},
        PassOption{"attr", &O::attr, "functions with this attribute, or KEY=VALUE"});
  }
};

/// Replaces calls of external functions by their bodies, so that the host computes them. This
/// undoes `partition`, except that operators lose their targets.
///
///   before:
///     def external(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
///         T.func_attr({"Compiler": "npu"})
///         for i in range(4):
///             y[i] = x[i] * 3
///     def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
///         T.call_extern("int32", "external", x.data, y.data)
///   after:
///     def main(...):
///         for i in range(4):
///             y[i] = x[i] * 3
///
/// `functions` lists the functions (names or symbols, separated by commas or spaces). `attr`
/// chooses functions by an attribute, e.g. `attr=Compiler=npu`. If neither is set, the pass chooses
/// every function with `Compiler`. A function without remaining calls is removed. It is an error if
/// a function does not exist, is the entry, is recursive, may return early, or is called inside of
/// an expression. Idempotent. Counters: inline-region.functions, inline-region.calls.
absl::StatusOr<IRModule> InlineRegion(const IRModule& module, const InlineRegionOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_BYOC_INLINE_REGION_H_
