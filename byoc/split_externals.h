#ifndef TENON_BYOC_SPLIT_EXTERNALS_H_
#define TENON_BYOC_SPLIT_EXTERNALS_H_

#include <vector>

#include "ir/module.h"

namespace tenon {

/// A module without the functions that have their code elsewhere, and those functions.
struct SplitModule {
  /// Declares them in `tenon.externs` and `tenon.external`: what planning and back ends take.
  IRModule host;
  /// With their bodies, and the functions that only they call; in the order of the module.
  std::vector<Function> externals;

  explicit SplitModule(IRModule host) : host(std::move(host)) {}
};

/// Takes functions with `tenon.external` out of a module. A function among `tir` takes the place of
/// one with its symbol. The module itself where there are none.
SplitModule SplitExternals(const IRModule& module, const std::vector<Function>& tir = {});

/// The opposite: the module with the functions that it only declares. A function in TIR stays in
/// the place of what it replaces.
IRModule JoinExternals(const IRModule& host, const std::vector<Function>& externals);

}  // namespace tenon

#endif  // TENON_BYOC_SPLIT_EXTERNALS_H_
