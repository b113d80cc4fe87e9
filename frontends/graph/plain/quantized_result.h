#ifndef TENON_FRONTENDS_GRAPH_PLAIN_QUANTIZED_RESULT_H_
#define TENON_FRONTENDS_GRAPH_PLAIN_QUANTIZED_RESULT_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/float_steps.h"
#include "frontends/graph/operator_code.h"
#include "frontends/graph/quantized.h"

// Operators on integers that stand for real numbers, in the numbers of onnxruntime. Their tensors
// have scales, and their attribute `rounding` is `onnxruntime`. `low` and `high` limit the
// integers of the output: the interval that an activation allows.

namespace tenon::graph::plain {

inline constexpr std::string_view kRoundingAttribute = "rounding";
inline constexpr std::string_view kOnnxruntime = "onnxruntime";

/// How AveragePool adds its zero point. By default the output's, before it rounds. `kAsUnsigned`:
/// that of the output as an unsigned integer, as onnxruntime computes signed integers on x86-64
/// between a QuantizeLinear and its only DequantizeLinear. `kAfterRounding`: after it rounds.
inline constexpr std::string_view kZeroPointAttribute = "zero_point_added";
inline constexpr std::string_view kAsUnsigned = "as_unsigned";
inline constexpr std::string_view kAfterRounding = "after_rounding";

/// Whether the operator computes on integers with scales.
bool IsQuantized(const OperatorView& op);

/// The integers that the output may have.
Interval ResultInterval(const OperatorView& op);

/// An error unless the tensors at these inputs and the output have one scale greater than 0.
absl::Status CheckScales(const OperatorView& op, std::initializer_list<size_t> inputs);

/// How near the integers of an operator must be to those of float32 arithmetic: equal; or as in
/// exact arithmetic, if no product is proven equal, for operators that onnxruntime computes in
/// floats, in an order of its own; or always as in exact arithmetic.
enum class Nearness : uint8_t { kEqual, kEqualIfProven, kExact };

/// Makes integers of the output from exact sums, as float32 arithmetic would. Without a product
/// that is proven equal, it computes in float32, and the operator's notes say so.
class QuantizedResult {
 public:
  /// `rules` has one rule, or one for each channel. `sums` are the sums that each rule gets.
  /// `biases` may have a part of the sum for each channel.
  QuantizedResult(OperatorCode& code, std::vector<FloatRule> rules, std::vector<SumRange> sums,
                  Nearness nearness = Nearness::kEqual, std::vector<int64_t> biases = {});

  /// The element of the output. `sum` is an int32 or an int64, without the bias.
  Value operator()(Value sum, Value channel) const;
  /// Whether a sum is less than `distance`, in steps of the result, from a tie. Only with products
  /// of exact arithmetic.
  Value IsNearTie(Value sum, Value channel, double distance) const;
  bool has_products() const { return products_.has_value(); }

 private:
  /// A list of one number for each channel. Numbers that do not differ are in the code instead.
  struct List {
    Array numbers;
    /// The number that is added to each of the list, or the only number.
    int64_t base = 0;

    Value At(DataType dtype, Value channel) const;
  };
  List ListOf(std::string_view name, const std::vector<int64_t>& values);
  void SetLists();
  Array Floats(std::string_view name, float FloatRule::*member);
  Value InFloats(Value sum, Value channel) const;
  Value ProductOf(Value sum, Value channel) const;

  OperatorCode& code_;
  std::vector<FloatRule> rules_;
  Interval interval_;
  std::optional<StepProducts> products_;
  List multipliers_, addends_, evens_;
  std::vector<int64_t> biases_;
  std::optional<List> bias_;
  /// The greatest magnitude of a sum.
  int64_t most_ = 0;
  // Numbers of channels, if they differ.
  Array factors_, divisors_, float_addends_;
};

/// `t >> shift`, or the even neighbour near ties (StepProducts). Results outside of `interval` need
/// not be right, as long as a clamp to the interval is.
Value ShiftedResult(Value t, int shift, std::optional<int> tie_bits, Interval interval);

/// `result` plus a number, clamped to an interval, as a dtype.
Value ClampedResult(Value result, int64_t addend, Interval interval, DataType dtype);

}  // namespace tenon::graph::plain

#endif  // TENON_FRONTENDS_GRAPH_PLAIN_QUANTIZED_RESULT_H_
