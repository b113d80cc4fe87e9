#ifndef TENON_IR_LINKED_PARAMS_H_
#define TENON_IR_LINKED_PARAMS_H_

#include <string_view>
#include <vector>

#include "ir/module.h"

// Constants that the attribute `link_params` gives to functions: `{"w": I.constant("w")}` for
// `T.lookup_param("w")`, or `{w: I.constant("w")}` for the parameter `w`.

namespace tenon {

/// The constants bound to the function's parameters, one entry per parameter; null for parameters
/// that callers pass.
std::vector<const Constant*> LinkedParams(const PrimFunc& function);

/// The constant that `T.lookup_param(name)` gives within `function`: from the attribute of the
/// function, of the module, or of another function, else from the module's table. Null if there is
/// no such constant.
const Constant* FindLinkedParam(const IRModule& module, const PrimFunc& function,
                                std::string_view name);

}  // namespace tenon

#endif  // TENON_IR_LINKED_PARAMS_H_
