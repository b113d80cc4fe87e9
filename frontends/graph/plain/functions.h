#ifndef TENON_FRONTENDS_GRAPH_PLAIN_FUNCTIONS_H_
#define TENON_FRONTENDS_GRAPH_PLAIN_FUNCTIONS_H_

#include "frontends/graph/code.h"

// Functions of a float that several operators have.

namespace tenon::graph::plain {

/// 1 / (1 + exp(-x)).
Value SigmoidOf(Value x);
/// log(1 + exp(x)), where exp(x) does not overflow.
Value SoftplusOf(Value x);
/// `alpha * x + beta`, between 0 and 1.
Value HardSigmoidOf(Value x, Value alpha, Value beta);
/// x / (1 + |x|).
Value SoftsignOf(Value x);
/// `x` where it is positive, and `alpha * (exp(x) - 1)` elsewhere.
Value EluOf(Value x, Value alpha);
/// `x` where it is not negative, and `alpha * x` elsewhere.
Value LeakyReluOf(Value x, Value alpha);
/// `x` where it is greater than `alpha`, and 0 elsewhere.
Value ThresholdedReluOf(Value x, Value alpha);

}  // namespace tenon::graph::plain

#endif  // TENON_FRONTENDS_GRAPH_PLAIN_FUNCTIONS_H_
