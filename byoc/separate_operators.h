#ifndef TENON_BYOC_SEPARATE_OPERATORS_H_
#define TENON_BYOC_SEPARATE_OPERATORS_H_

#include <functional>

#include "ir/module.h"

namespace tenon {

/// Gives external functions copies of operators that the host also calls. Planning changes the
/// parameters of the host's operators, while the bodies of external functions stay as they are. A
/// second run changes nothing. `is_external` says which functions leave the host.
IRModule SeparateOperators(const IRModule& module,
                           const std::function<bool(const Function&)>& is_external);

}  // namespace tenon

#endif  // TENON_BYOC_SEPARATE_OPERATORS_H_
