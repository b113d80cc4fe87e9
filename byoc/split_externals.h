#ifndef TENON_BYOC_SPLIT_EXTERNALS_H_
#define TENON_BYOC_SPLIT_EXTERNALS_H_

#include <vector>

#include "ir/module.h"

namespace tenon {

/// A module without its external functions, and these functions.
struct SplitModule {
  /// Declares the functions in `tenon.externs` and `tenon.external`: the input of planning and back
  /// ends.
  IRModule host;
  /// The external functions with their bodies, and the functions that only they call, in the order
  /// of the module.
  std::vector<Function> externals;

  explicit SplitModule(IRModule host) : host(std::move(host)) {}
};

/// Takes functions with `tenon.external` out of a module. A function among `tir` replaces the
/// function with its symbol. Without external functions, the module is unchanged.
SplitModule SplitExternals(const IRModule& module, const std::vector<Function>& tir = {});

/// The inverse: the module with the functions that it only declares. A function in TIR is not
/// replaced by the original function.
IRModule JoinExternals(const IRModule& host, const std::vector<Function>& externals);

}  // namespace tenon

#endif  // TENON_BYOC_SPLIT_EXTERNALS_H_
