#ifndef TENON_IR_ANALYSIS_FREE_VARS_H_
#define TENON_IR_ANALYSIS_FREE_VARS_H_

#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "ir/function.h"

namespace tenon {

/// A bit of Var::flags, next to Var::kSizeVar: nothing in the function defines the variable, as in
/// `N = T.int32()` in TVM's tests of analyses. A function with free variables is valid, but no
/// engine runs it.
inline constexpr uint8_t kFreeVar = 2;

inline bool IsFreeVar(const Var* var) { return (var->flags & kFreeVar) != 0; }

/// Whether the definitions include the variables that `T.decl_buffer` introduces: those in the
/// buffer's shape, strides and offset that nothing else defines.
enum class Declarations : uint8_t { kLeftOut, kIncluded };

/// The variables that parameters, loops, lets, iterators and buffers of `func` define.
absl::flat_hash_set<const Var*> DefinedVars(const PrimFunc& func, Declarations declarations);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_FREE_VARS_H_
