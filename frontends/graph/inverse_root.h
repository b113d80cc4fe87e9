#ifndef TENON_FRONTENDS_GRAPH_INVERSE_ROOT_H_
#define TENON_FRONTENDS_GRAPH_INVERSE_ROOT_H_

#include <cstdint>

#include "frontends/graph/fixed_point.h"

namespace tenon::graph {

/// The inverse of the square root of a positive integer, in the fixed-point arithmetic of the
/// reference kernels of TensorFlow Lite: five steps of Newton and Raphson.
FixedPoint InverseRoot(int32_t x);

/// The same at run time, for a variable that is not negative; 0 has the result of 1.
struct RootValue {
  Value multiplier;  ///< a variable
  Value right;       ///< a variable: the bits that the product is divided by
};
RootValue InverseRoot(Code& code, Value x);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_INVERSE_ROOT_H_
