#ifndef TENON_SUPPORT_CASTING_H_
#define TENON_SUPPORT_CASTING_H_

#include "support/check.h"

// isa/cast/dyn_cast over kind tags, as in LLVM. A class provides `static bool ClassOf(const
// Base*)`.

namespace tenon {

template <class T, class Base>
bool isa(const Base* value) {
  return T::ClassOf(value);
}

/// `value` as a T, which it must be.
template <class T, class Base>
const T* cast(const Base* value) {
  TENON_DCHECK(T::ClassOf(value));
  return static_cast<const T*>(value);
}

/// `value` as a T, or null if it is not one.
template <class T, class Base>
const T* dyn_cast(const Base* value) {
  return T::ClassOf(value) ? static_cast<const T*>(value) : nullptr;
}

/// As dyn_cast, but accepts null and returns null for it.
template <class T, class Base>
const T* dyn_cast_or_null(const Base* value) {
  return value != nullptr ? dyn_cast<T>(value) : nullptr;
}

}  // namespace tenon

#endif  // TENON_SUPPORT_CASTING_H_
