#include "frontends/graph/plain/quantized_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <utility>

#include "frontends/graph/plain/plain.h"
#include "frontends/graph/plain/scaled_result.h"
#include "frontends/graph/refusals.h"
#include "ir/builtins.h"
#include "support/check.h"
#include "support/little_endian.h"

namespace tenon::graph::plain {

namespace {

bool AreEqual(const std::vector<int64_t>& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](int64_t value) { return value == values[0]; });
}

/// TieZone of q. Magnitudes of more than `most_bits` count as those of `most_bits`, since the
/// output's interval clamps their results.
Value ZoneOf(Value q, int tie_bits, int most_bits) {
  Code& code = *q.code;
  const Value magnitude = Max(q, code.Int(0) - q);
  const auto zone_of_bits = [&](int bits) {
    return code.Integer(kInt64, TieZone((int64_t{1} << bits) - 1, tie_bits));
  };
  Value zone = zone_of_bits(most_bits);
  for (int bits = most_bits - 1; bits >= 1; --bits)
    zone = Select(magnitude < (int64_t{1} << bits), zone_of_bits(bits), zone);
  return zone;
}

}  // namespace

bool IsQuantized(const OperatorView& op) {
  return op.attributes().Text(kRoundingAttribute) == kOnnxruntime;
}

Interval ResultInterval(const OperatorView& op) {
  const Interval range = RangeOf(op.output().dtype);
  return {std::max(range.low, op.attributes().Int("low", range.low)),
          std::min(range.high, op.attributes().Int("high", range.high))};
}

absl::Status CheckScales(const OperatorView& op, std::initializer_list<size_t> inputs) {
  for (const size_t input : inputs)
    if (!HasScale(op.input(input))) return UnsupportedScales(op);
  return HasScale(op.output()) ? absl::OkStatus() : UnsupportedScales(op);
}

QuantizedResult::QuantizedResult(OperatorCode& code, std::vector<FloatRule> rules,
                                 std::vector<int64_t> most, bool may_be_near)
    : code_(code), rules_(std::move(rules)), interval_(ResultInterval(code)) {
  products_ = ExactSteps(rules_, most, interval_.low, interval_.high);
  if (!products_ && may_be_near) products_ = NearSteps(rules_, most);
  if (products_) {
    if (!AreEqual(products_->multipliers))
      multipliers_ = Numbers("multiplier", products_->multipliers);
    if (!AreEqual(products_->addends)) addends_ = Numbers("addend", products_->addends);
    return;
  }
  code.Note("no product of integers equals the float32 arithmetic of onnxruntime for these scales");
  if (rules_.size() == 1) return;
  factors_ = Floats("factor", &FloatRule::factor);
  divisors_ = Floats("divisor", &FloatRule::divisor);
  float_addends_ = Floats("addend", &FloatRule::addend);
}

Array QuantizedResult::Numbers(std::string_view name, const std::vector<int64_t>& values) {
  const bool is_short = std::all_of(values.begin(), values.end(), [](int64_t value) {
    return value >= std::numeric_limits<int32_t>::min() &&
           value <= std::numeric_limits<int32_t>::max();
  });
  const DataType dtype = is_short ? kInt32 : kInt64;
  std::vector<uint8_t> bytes;
  for (const int64_t value : values) {
    std::string element;
    AppendLittleEndian(value, &element);
    bytes.insert(bytes.end(), element.begin(), element.begin() + dtype.element_bytes());
  }
  return code_.Constant(name, dtype, {static_cast<int64_t>(values.size())}, std::move(bytes));
}

Array QuantizedResult::Floats(std::string_view name, float FloatRule::*member) {
  std::vector<float> values;
  for (const FloatRule& rule : rules_) values.push_back(rule.*member);
  return FloatConstant(code_, name, values);
}

Value QuantizedResult::InFloats(Value sum, Value channel) const {
  const FloatRule& rule = rules_[0];
  const auto number = [&](const Array& numbers, float one) {
    return numbers.exists() ? numbers({channel}) : code_.Number(kFloat32, double{one});
  };
  const auto is_needed = [&](float FloatRule::*member, float without) {
    return std::any_of(rules_.begin(), rules_.end(),
                       [&](const FloatRule& one) { return one.*member != without; });
  };
  Value result = Cast(kFloat32, sum) * number(factors_, rule.factor);
  if (is_needed(&FloatRule::divisor, 1)) result = Div(result, number(divisors_, rule.divisor));
  if (is_needed(&FloatRule::addend, 0)) result = result + number(float_addends_, rule.addend);
  if (rule.scale != 1) result = Div(result, code_.Number(kFloat32, double{rule.scale}));
  const Value zero = code_.Number(kFloat32, static_cast<double>(rule.zero_point));
  return NearestInteger(result, zero, rule.is_zero_inside, interval_, code_.output().dtype);
}

Value QuantizedResult::operator()(Value sum, Value channel) const {
  if (!products_) return InFloats(sum, channel);
  const Value multiplier = multipliers_.exists() ? Cast(kInt64, multipliers_({channel}))
                                                 : code_.Integer(kInt64, products_->multipliers[0]);
  const Value addend = addends_.exists() ? Cast(kInt64, addends_({channel}))
                                         : code_.Integer(kInt64, products_->addends[0]);
  const Value t = Cast(kInt64, sum) * multiplier + addend;
  const int64_t outside = rules_[0].is_zero_inside ? 0 : rules_[0].zero_point;
  const Interval inside = {interval_.low - outside, interval_.high - outside};
  const Value result = ShiftedResult(t, products_->shift, products_->tie_bits, inside);
  return ClampedResult(result, outside, interval_, code_.output().dtype);
}

Value ShiftedResult(Value t, int shift, std::optional<int> tie_bits, Interval interval) {
  if (!tie_bits) return Cast(kInt32, t >> shift);
  Code& code = *t.code;
  const int64_t unit = int64_t{1} << shift;
  const auto most = static_cast<uint64_t>(std::max(std::abs(interval.low), interval.high));
  const int most_bits = static_cast<int>(std::bit_width(most + 1));
  const Value kept = code.Once(t);
  const Value q = code.Once(Cast(kInt32, kept >> shift));
  const int64_t widest = TieZone((int64_t{1} << most_bits) - 1, *tie_bits);
  // Few numbers are near a tie.
  const Value is_near = FloorMod(kept + widest, unit) <= code.Integer(kInt64, 2 * widest);
  const Value is_odd = FloorMod(q, 2) == code.Int(1);
  const Value rest = FloorMod(kept, unit);
  const Value zone = ZoneOf(q, *tie_bits, most_bits);
  const Value up = Select(code.Integer(kInt64, unit) - rest <= zone, q + 1, q);
  return IfThenElse(is_near && is_odd, Select(rest <= zone, q - 1, up), q);
}

Value ClampedResult(Value result, int64_t addend, Interval interval, DataType dtype) {
  const Value moved = addend == 0 ? result : result + addend;
  return Cast(dtype, Max(Min(moved, interval.high), interval.low));
}

}  // namespace tenon::graph::plain
