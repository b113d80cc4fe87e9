#ifndef TENON_ANALYSIS_FUNCTION_BUFFER_H_
#define TENON_ANALYSIS_FUNCTION_BUFFER_H_

#include <cstdint>

#include "ir/expr.h"

namespace tenon {

/// A pointer of a function: the data variable of a parameter, or the variable of an allocation.
struct FunctionBuffer {
  const Var* data = nullptr;
  int64_t size_bytes = 0;
};

}  // namespace tenon

#endif  // TENON_ANALYSIS_FUNCTION_BUFFER_H_
