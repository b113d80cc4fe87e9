#ifndef TENON_FRONTENDS_GRAPH_INVERSE_ROOT_H_
#define TENON_FRONTENDS_GRAPH_INVERSE_ROOT_H_

#include <cstdint>

#include "frontends/graph/fixed_point.h"

namespace tenon::graph {

/// The inverse of the square root of a positive integer, in the fixed-point arithmetic of the
/// reference kernels of TensorFlow Lite: five steps of Newton and Raphson.
FixedPoint InverseRoot(int32_t x);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_INVERSE_ROOT_H_
