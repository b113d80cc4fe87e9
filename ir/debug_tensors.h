#ifndef TENON_IR_DEBUG_TENSORS_H_
#define TENON_IR_DEBUG_TENSORS_H_

#include <string_view>

namespace tenon {

/// The function that code with --debug-tensors calls with each tensor
/// (passes/pipeline/debug_tensors.h).
inline constexpr std::string_view kDebugTensorFunction = "debug_tensor";

}  // namespace tenon

#endif  // TENON_IR_DEBUG_TENSORS_H_
