#ifndef TENON_IR_FUNCTION_INTERFACE_H_
#define TENON_IR_FUNCTION_INTERFACE_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "ir/function.h"

// The interface of a function for other functions and other programs.

namespace tenon {

/// The name that others know a function by: its global symbol, or else its name in the module.
std::string_view SymbolOf(const Function& function);

/// The index at which a pass inserts new parameters: after all others, but before a device's
/// handle. Such a handle is the last parameter, has no buffer, and its type is not a pointer.
size_t NewParamIndex(const PrimFunc& function);

/// Inserts parameters before parameter `index` of a function under construction: variables, and for
/// each its buffer or null.
void AddParams(Arena& arena, PrimFunc& function, size_t index, Span<const Var*> params,
               Span<const Buffer*> buffers);

/// The T.allocate_const statements of a function in the order of the text: claims refer to them by
/// position.
std::vector<const AllocateConst*> ConstantsOf(const PrimFunc& function);

}  // namespace tenon

#endif  // TENON_IR_FUNCTION_INTERFACE_H_
