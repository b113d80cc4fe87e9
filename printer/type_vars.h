#ifndef TENON_PRINTER_TYPE_VARS_H_
#define TENON_PRINTER_TYPE_VARS_H_

#include <vector>

#include "ir/function.h"

namespace tenon {

/// The int64 variables that the parameters' buffers introduce and that are not parameters, by name.
/// TVM declares them before the module, with `n = TypeVar("n")`.
std::vector<const Var*> TypeVarsOf(const PrimFunc& func);

}  // namespace tenon

#endif  // TENON_PRINTER_TYPE_VARS_H_
