#ifndef TENON_FRONTENDS_GRAPH_FLOAT_STEPS_H_
#define TENON_FRONTENDS_GRAPH_FLOAT_STEPS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

// Integer products that equal float32 arithmetic at each step of its result. onnxruntime makes
// integers of float32 numbers, to the nearest with ties to even; these products do it without
// floats.

namespace tenon::graph {

/// The digits of a float32.
inline constexpr int kFloatBits = 24;

/// The nearest integer, with ties to even; at most 2^30 in magnitude, and 0 for NaN.
int64_t NearestEven(float number);

/// How float32 arithmetic makes an integer of an exact sum. Each step rounds to float32, in the
/// order of the members; the result goes to the nearest integer, with ties to even.
struct FloatRule {
  float factor = 1;   ///< times this
  float divisor = 1;  ///< over this
  float addend = 0;   ///< plus this
  float scale = 1;    ///< over this, the scale of the output
  int64_t zero_point = 0;
  /// The zero point is added before the number goes to an integer, not after it.
  bool is_zero_inside = false;
  /// A number that is added after that, such as -128 where a signed integer is computed as an
  /// unsigned one.
  int64_t after = 0;

  /// The number that is added after a number has gone to an integer.
  int64_t Outside() const { return (is_zero_inside ? 0 : zero_point) + after; }
  /// The result without a clamp to a dtype.
  int64_t operator()(int64_t sum) const;
  /// The result's change for a sum that is greater by 1, and the result of the sum 0, both without
  /// any rounding.
  double Slope() const;
  double Start() const;
};

/// The sums that a rule must be right for.
struct SumRange {
  int64_t least = 0;
  int64_t most = 0;
};

/// Integers of the form `t >> shift` for `t = sum * multiplier + addend`.
struct StepProducts {
  int shift = 0;
  /// Without it, the shift alone makes the result q. With it, q goes to the even neighbour if q is
  /// odd and t is near the border of the two. Near is `TieZone(q, *tie_bits)` or less.
  std::optional<int> tie_bits;
  /// Sums go to the nearest float32 before the product (NearestFloat).
  bool rounds_sums = false;
  /// One number for each rule.
  std::vector<int64_t> multipliers;
  std::vector<int64_t> addends;
  /// Empty, or one number for each rule, which t gets if `t >> shift` is odd, before it is shifted.
  /// So even results begin a little earlier, as ties do that go to even numbers.
  std::vector<int64_t> evens;
};

/// The distance from a tie at which float32 numbers near an odd `q` round to the tie.
int64_t TieZone(int64_t q, int tie_bits);

/// The float32 nearest to an integer, with ties to even.
int64_t NearestFloat(int64_t sum);

/// Products that equal the rules, each for all of its sums, if the results are clamped to
/// [low, high]. All rules have one zero point and one place for it. Proven at each step of the
/// result. Nullopt if no such products were found.
std::optional<StepProducts> ExactSteps(std::span<const FloatRule> rules,
                                       std::span<const SumRange> sums, int64_t low, int64_t high);

/// Products that give the rules' results without the steps' roundings to float32: in exact
/// arithmetic, to the nearest integer. Few results differ from the rules', by 1. Nullopt if the
/// numbers do not fit in 64 bits.
std::optional<StepProducts> NearSteps(std::span<const FloatRule> rules,
                                      std::span<const SumRange> sums);

/// Integers of the form `t >> shift` for `t = x * of_x + y * of_y + addend`.
struct PairProducts {
  int shift = 0;
  std::optional<int> tie_bits;
  int64_t of_x = 0;
  int64_t of_y = 0;
  int64_t addend = 0;
};

/// A function of two integers of 8 bits that float32 arithmetic computes as about
/// `x * of_x + y * of_y + start`, to the nearest integer.
struct FloatPair {
  std::function<int64_t(int64_t x, int64_t y)> result;
  double of_x = 0;
  double of_y = 0;
  double start = 0;
};

/// Products that equal the function for all x and y from their least number on, 256 each, if the
/// results are clamped to [low, high]. Checked at each pair. Nullopt if none were found.
std::optional<PairProducts> ExactPairs(const FloatPair& pair, int64_t least_x, int64_t least_y,
                                       int64_t low, int64_t high);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_FLOAT_STEPS_H_
