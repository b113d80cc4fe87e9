#ifndef TENON_SUPPORT_CASTING_H_
#define TENON_SUPPORT_CASTING_H_

#include "support/check.h"

// isa/cast/dyn_cast over kind tags, as LLVM's. A class takes part by `static bool ClassOf(const
// Base*)`.

namespace tenon {

template <class T, class Base>
bool isa(const Base* value) {
  return T::ClassOf(value);
}

/// `value` as a T; it must be one.
template <class T, class Base>
const T* cast(const Base* value) {
  TENON_DCHECK(T::ClassOf(value));
  return static_cast<const T*>(value);
}

/// `value` as a T, or null when it is something else.
template <class T, class Base>
const T* dyn_cast(const Base* value) {
  return T::ClassOf(value) ? static_cast<const T*>(value) : nullptr;
}

/// As dyn_cast; null stays null.
template <class T, class Base>
const T* dyn_cast_or_null(const Base* value) {
  return value != nullptr ? dyn_cast<T>(value) : nullptr;
}

}  // namespace tenon

#endif  // TENON_SUPPORT_CASTING_H_
