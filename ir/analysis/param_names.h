#ifndef TENON_IR_ANALYSIS_PARAM_NAMES_H_
#define TENON_IR_ANALYSIS_PARAM_NAMES_H_

#include <string_view>

#include "ir/function.h"

namespace tenon {

/// The name of parameter `index` in the text. For `x: T.Buffer(...)` this is `x`, although the
/// parameter itself is a handle called `x_handle`, which the text does not contain.
std::string_view ParamName(const PrimFunc& function, size_t index);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_PARAM_NAMES_H_
