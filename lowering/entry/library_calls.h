#ifndef TENON_LOWERING_ENTRY_LIBRARY_CALLS_H_
#define TENON_LOWERING_ENTRY_LIBRARY_CALLS_H_

#include <string>
#include <string_view>
#include <vector>

#include "ir/builtins.h"
#include "ir/module.h"

// The functions of the C library that generated code calls. LLVM code has calls of them as well,
// where a target has no instruction.

namespace tenon {

/// The C library's name of a builtin, without suffix; empty if it has none.
std::string_view LibraryName(OpKind kind);

/// Whether <math.h> declares the function.
bool IsMathName(std::string_view name);

/// The function of <math.h> that the code of an expression calls; empty if none.
std::string LibraryCall(const Node* node);

/// The functions of <math.h> that the code of these functions calls, sorted. Leaves out `fabs` and
/// `copysign`, for which compilers emit instructions.
std::vector<std::string> MathFunctions(const IRModule& module,
                                       const std::vector<const Function*>& functions);

}  // namespace tenon

#endif  // TENON_LOWERING_ENTRY_LIBRARY_CALLS_H_
