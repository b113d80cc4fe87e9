#ifndef TENON_IR_BUILTINS_H_
#define TENON_IR_BUILTINS_H_

#include "ir/op.h"

// The builtins that sources name. Other sources include ir/op.h: a new builtin compiles everything
// that includes this header.

namespace tenon {

enum class OpKind : uint16_t {
  kUnknown,     ///< a name that is not a builtin, kept as it is
  kGlobalCall,  ///< `Module.f(...)`: Call::callee names the function
#define TENON_OP(Enumerator, text, place, rule, min_args, max_args, effect) Enumerator,
#include "ir/builtins.def"
};

/// True for the section "Mathematics" of ir/builtins.def: floating-point functions.
constexpr bool IsMathematics(OpKind kind) { return kind >= OpKind::kExp && kind <= OpKind::kFma; }

/// True for the builtins from shift_left to clz of the section "Bits and integers".
constexpr bool IsBitOperation(OpKind kind) {
  return kind >= OpKind::kShiftLeft && kind <= OpKind::kClz;
}

}  // namespace tenon

#endif  // TENON_IR_BUILTINS_H_
