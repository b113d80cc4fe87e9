#ifndef TENON_IR_ANALYSIS_PARAM_NAMES_H_
#define TENON_IR_ANALYSIS_PARAM_NAMES_H_

#include <string_view>

#include "ir/function.h"

namespace tenon {

/// The name that a person knows parameter `index` by: that of the text. For `x: T.Buffer(...)` the
/// parameter proper is a handle called `x_handle`, which nobody wrote.
std::string_view ParamName(const PrimFunc& function, size_t index);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_PARAM_NAMES_H_
