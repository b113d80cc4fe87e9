#ifndef TENON_IR_LIBRARY_FUNCTIONS_H_
#define TENON_IR_LIBRARY_FUNCTIONS_H_

#include <string_view>

#include "ir/builtins.h"

// Functions of the C library that have no effect on the machine: they compute, or access the memory
// that their arguments point to.

namespace tenon {

/// The builtin of a libm function (`expf`) or LLVM intrinsic (`llvm.exp.f32`); kUnknown if there is
/// none.
OpKind MathOpOfName(std::string_view name);

/// Whether <string.h> declares `name`, and it only accesses the memory that its arguments point to:
/// memcpy, memmove, memset.
bool IsMemoryFunction(std::string_view name);

}  // namespace tenon

#endif  // TENON_IR_LIBRARY_FUNCTIONS_H_
