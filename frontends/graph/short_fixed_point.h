#ifndef TENON_FRONTENDS_GRAPH_SHORT_FIXED_POINT_H_
#define TENON_FRONTENDS_GRAPH_SHORT_FIXED_POINT_H_

#include "frontends/graph/code.h"

// Functions of fixed-point numbers of 16 bits, in the arithmetic of gemmlowp
// (https://github.com/google/gemmlowp, fixedpoint/fixedpoint.h), bit for bit.

namespace tenon::graph {

/// 1 / (1 + exp(-x)) with 15 bits after the point. `x` is an int32 within the range of int16 that
/// has `integer_bits` bits before the point, 0 to 6. It is used more than once.
Value ShortLogistic(Value x, int integer_bits);

/// The hyperbolic tangent, in the same form.
Value ShortTanh(Value x, int integer_bits);

/// `x / 2^bits`, rounded to the nearest, with ties away from zero, for 1 <= bits <= 30. The int32
/// `x` is used more than once.
Value RoundedQuotient(Value x, int bits);

/// `x` clamped to the range of int16.
Value ClampToShort(Value x);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_SHORT_FIXED_POINT_H_
