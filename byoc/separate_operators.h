#ifndef TENON_BYOC_SEPARATE_OPERATORS_H_
#define TENON_BYOC_SEPARATE_OPERATORS_H_

#include <functional>

#include "ir/module.h"

namespace tenon {

/// Copies operators that both the host and external functions call, because planning changes the
/// parameters of the host's operators, but not the bodies of external functions. A second run
/// changes nothing. `is_external` says which functions leave the host.
IRModule SeparateOperators(const IRModule& module,
                           const std::function<bool(const Function&)>& is_external);

}  // namespace tenon

#endif  // TENON_BYOC_SEPARATE_OPERATORS_H_
