#ifndef TENON_FRONTENDS_GRAPH_PLAIN_FLOAT_SUM_H_
#define TENON_FRONTENDS_GRAPH_PLAIN_FLOAT_SUM_H_

#include <cstdint>

#include "frontends/graph/code.h"
#include "frontends/graph/float_steps.h"
#include "frontends/graph/quantized.h"

namespace tenon::graph::plain {

/// The arithmetic of a FloatRule whose sum is one of float32 numbers, each of them an integer times
/// the factor, in integers alone: each step rounds to 24 bits, as float32 does. Its factor and its
/// scale are greater than 0.
///
/// It takes much more time than one product, so it is for the few sums that are near a tie. There
/// the order of the additions decides.
class FloatSum {
 public:
  explicit FloatSum(const FloatRule& rule);

  /// The sum of no numbers.
  static Value Zero(Code& code) { return code.Integer(kInt64, 0); }
  /// The sum with one more number: `integer` times the factor.
  Value Plus(Value sum, Value integer) const;
  /// The integer for the mean of `count` numbers, in the interval.
  Value Result(Value sum, Value count, Interval interval) const;

  /// How far from a tie the results of this arithmetic may be that exact arithmetic has on the
  /// other side, for `count` integers of at most `most` in magnitude.
  static double Error(const FloatRule& rule, int64_t count, int64_t most);

 private:
  int64_t zero_point_;
  int64_t after_;
  /// The factor and the scale, as integers of 24 bits times powers of two.
  int64_t factor_, scale_;
  int exponent_;
};

}  // namespace tenon::graph::plain

#endif  // TENON_FRONTENDS_GRAPH_PLAIN_FLOAT_SUM_H_
