#ifndef TENON_LOWERING_LLVM_LIBRARY_STACK_H_
#define TENON_LOWERING_LLVM_LIBRARY_STACK_H_

#include <llvm/TargetParser/Triple.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace tenon::llvm_lowering {

/// Bytes of stack to allow for a call of a function of the C library or of the compiler's library,
/// including the functions that it calls. Nullopt for other functions, and for targets without
/// figures: library_stack.def says which libraries and processors have them.
std::optional<int64_t> LibraryStack(const llvm::Triple& target, std::string_view function);

}  // namespace tenon::llvm_lowering

#endif  // TENON_LOWERING_LLVM_LIBRARY_STACK_H_
