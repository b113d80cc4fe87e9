#ifndef TENON_IR_TYPES_H_
#define TENON_IR_TYPES_H_

#include "ir/dtype.h"
#include "support/interner.h"

namespace tenon {

/// The type of a variable or of a function's result. Owned by the Context and unique: equal types
/// have equal pointers.
struct Type {
  enum class Kind : uint8_t {
    kPrim,     ///< a value of `dtype`
    kPointer,  ///< a pointer to `dtype` elements in storage `scope`; an empty scope differs from
               ///< "global"
    kVoid,     ///< no value (TIR's empty tuple)
  };
  Kind kind = Kind::kVoid;
  DataType dtype;
  Symbol scope;

  bool is_pointer() const { return kind == Kind::kPointer; }
  /// The dtype of an expression of this type.
  DataType value_dtype() const {
    return kind == Kind::kPrim      ? dtype
           : kind == Kind::kPointer ? DataType::Handle()
                                    : DataType::Void();
  }
};

}  // namespace tenon

#endif  // TENON_IR_TYPES_H_
