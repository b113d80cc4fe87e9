#include "frontends/graph/plain/functions.h"

#include "ir/builtins.h"

namespace tenon::graph::plain {

namespace {

Value NumberLike(Value x, double number) { return x.code->Number(x.dtype(), number); }

}  // namespace

Value SigmoidOf(Value x) {
  const Value one = NumberLike(x, 1);
  return Div(one, one + CallOf(OpKind::kExp, x * -1));
}

Value SoftplusOf(Value x) {
  const Value rest = CallOf(OpKind::kExp, CallOf(OpKind::kFabs, x) * -1);
  return AtLeast(0, x) + CallOf(OpKind::kLog1p, rest);
}

Value HardSigmoidOf(Value x, Value alpha, Value beta) {
  return AtMost(1, AtLeast(0, alpha * x + beta));
}

Value SoftsignOf(Value x) { return Div(x, CallOf(OpKind::kFabs, x) + 1); }

// NaN is not positive, and the exponential keeps it.
Value EluOf(Value x, Value alpha) {
  return Select(NumberLike(x, 0) < x, x, alpha * (CallOf(OpKind::kExp, x) - 1));
}

Value LeakyReluOf(Value x, Value alpha) { return Select(x < 0, alpha * x, x); }

Value ThresholdedReluOf(Value x, Value alpha) { return Select(alpha < x, x, NumberLike(x, 0)); }

}  // namespace tenon::graph::plain
