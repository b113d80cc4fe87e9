#ifndef TENON_FRONTENDS_GRAPH_QUANTIZED_H_
#define TENON_FRONTENDS_GRAPH_QUANTIZED_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/graph/fixed_point.h"
#include "frontends/graph/operator_code.h"

// Quantised results: the integers that an activation allows, and the conversion of sums to the
// output's scale.

namespace tenon::graph {

class Reduction;

/// Integers from `low` to `high`.
struct Interval {
  int64_t low = 0;
  int64_t high = 0;
};

/// All integers of a dtype of at most 32 bits.
Interval RangeOf(DataType dtype);

/// The integers that the operator's fused activation allows for its quantised output.
absl::StatusOr<Interval> ActivationInterval(const OperatorCode& code, const Tensor& output);

/// The operator's fused activation of a float, or of an integer without a scale. NaN stays NaN.
absl::StatusOr<Value> Activate(const OperatorCode& code, Value x);
/// The same, but an activation turns NaN into its least number, as SVDF does in TensorFlow Lite.
absl::StatusOr<Value> ActivateWithoutNan(const OperatorCode& code, Value x);
/// Activate(), or the hyperbolic tangent of a float.
absl::StatusOr<Value> ActivateOrTanh(const OperatorCode& code, Value x);

/// True if the tensor has an integer dtype of 8 or 16 bits and one scale that is finite and
/// greater than 0.
bool HasScale(const Tensor& tensor);
/// The message about a tensor whose quantisation has_blocks.
inline constexpr std::string_view kBlocksOfWeights = "weights with a scale for each block of a row";
/// True if each of the tensor's scales is finite and greater than 0.
bool HasScales(const Tensor& tensor);

/// The integer that a zero in a state's memory stands for. Memory begins as zeros; TensorFlow Lite
/// begins states of int8 with their zero point.
int64_t StateStart(const Tensor& state);
/// The integer of a state whose memory has `kept`, and the other way round.
Value FromState(const Tensor& state, Value kept);
Value ToState(const Tensor& state, Value integer);

/// The integers of the tensor's dtype minus its zero point.
Interval CentredRange(const Tensor& tensor);
/// The greatest distance of an integer of the tensor's dtype from its zero point.
int64_t MostCentred(const Tensor& tensor);

/// Integers that follow from scales and zero points: literals, or elements of a constant of int32
/// if scales may be replaced.
class ScaleIntegers {
 public:
  ScaleIntegers(OperatorCode& code, std::string_view name, std::vector<int64_t> values);
  /// The integer number `index`, an int32.
  Value operator[](size_t index) const;

 private:
  OperatorCode& code_;
  std::vector<int64_t> values_;
  Array array_;
};

/// A scale as a float32: a literal, or an element of a constant if scales may be replaced.
Value ScaleNumber(OperatorCode& code, float scale);

/// RescaleTwice() by one scale, which may be replaced.
class Rescaler {
 public:
  Rescaler(OperatorCode& code, FixedPoint scale, Rescaled facts = {});
  Value operator()(Value x) const;

 private:
  bool is_literal_;
  FixedPoint scale_;
  Rescaled facts_;
  ScaleIntegers numbers_;
};

/// The last step of a quantised output: the zero point and the bounds of the activation. Bounds
/// that are those of the type stay literals.
class OutputStep {
 public:
  OutputStep(OperatorCode& code, int64_t zero_point, Interval interval);
  /// The element of the output for an int32 without its zero point.
  Value operator()(Value x) const { return Clamped(x + numbers_[0]); }
  Value Clamped(Value x) const;
  /// True if each result is at least the zero point, whatever the scale is.
  bool is_rectified() const { return is_rectified_; }

 private:
  DataType dtype_;
  Interval interval_;
  bool moves_low_ = false;
  bool moves_high_ = false;
  bool is_rectified_ = false;
  ScaleIntegers numbers_;
};

/// Writes sums of an input of 8 or 16 bits along axes: `scale` times the sum of the centred
/// numbers, as integers of the output.
absl::Status WriteQuantizedSum(OperatorCode& code, const Reduction& reduction, FixedPoint scale);

/// The rule by which an operator rounds the product of a sum and a real scale.
enum class Rounding : uint8_t {
  kTwice,    ///< RescaleTwice
  kReal,     ///< to the nearest in double precision, ties away from zero
  kReduced,  ///< by a multiplier of 16 bits, once, with ties up; for sums of 64 bits
};

/// The product of Rounding::kReduced.
SingleRounding ReducedMultiplier(double scale);

/// The rule of an operator. `dtype` is the dtype of its input, `sum` the dtype of its sums.
std::optional<Rounding> RoundingOf(std::string_view kind, DataType dtype, DataType sum);

/// Converts sums to integers of the output: multiplies them, adds the zero point and clamps.
class Requantizer {
 public:
  /// `scales` is one number, or one for each channel. No sum of channel c exceeds `most[c]` in
  /// magnitude; `most` has as many numbers as `scales`.
  Requantizer(OperatorCode& code, Rounding rounding, const std::vector<double>& scales,
              const std::vector<int64_t>& most, int64_t zero_point, Interval interval);

  /// The element of the output. `sum` is int32 or int64, and is used more than once.
  Value operator()(Value sum, Value channel) const;

 private:
  /// The forms of MakeTwice() and MakeReal() for scales that may be replaced.
  void MakeReplaceableTwice(const std::vector<double>& scales, const std::vector<int64_t>& most);
  void MakeReplaceableReal(const std::vector<double>& scales, const std::vector<int64_t>& most,
                           Interval result);
  void MakeTwice(const std::vector<double>& scales, const std::vector<int64_t>& most);
  /// Makes an array of factors if they are small; otherwise an array of shifts to the right.
  void MakeQuotients(const std::vector<FixedPoint>& all, const std::vector<int64_t>& most);
  void MakeReal(const std::vector<double>& scales, const std::vector<int64_t>& most,
                Interval result);
  void MakeReduced(const std::vector<double>& scales);
  Array Integers(std::string_view name, const std::vector<int64_t>& values);
  /// An array of multipliers, which are uint32 for natural numbers.
  Array Multipliers(const std::vector<int64_t>& values);
  Value Scaled(Value sum, Value channel) const;
  Value ScaledTwice(Value sum, Value channel) const;

  OperatorCode& code_;
  Rounding rounding_;
  OutputStep output_;
  size_t count_ = 0;
  // One number for all channels, or arrays with one for each.
  FixedPoint fixed_;
  SingleRounding single_;
  double real_ = 0;
  bool in_doubles_ = false;
  /// Sums are natural if the clamp maps all negative results to one number.
  Rescaled facts_;
  int left_ = 0;
  int least_right_ = 0;
  int most_right_ = 0;
  Array multipliers_;
  Array shifts_;
  /// True if RescaleByFactor() is used. Without an array, all factors are 1.
  bool by_factor_ = false;
  Array factors_;
};

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_QUANTIZED_H_
