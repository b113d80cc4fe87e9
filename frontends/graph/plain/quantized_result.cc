#include "frontends/graph/plain/quantized_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <utility>

#include "frontends/graph/plain/plain.h"
#include "frontends/graph/plain/scaled_result.h"
#include "frontends/graph/refusals.h"
#include "ir/builtins.h"
#include "support/check.h"
#include "support/little_endian.h"

namespace tenon::graph::plain {

namespace {

/// The number that most values have.
int64_t MostFrequent(const std::vector<int64_t>& values) {
  std::map<int64_t, size_t> counts;
  for (const int64_t value : values) ++counts[value];
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

bool AreShort(const std::vector<int64_t>& values) {
  return std::all_of(values.begin(), values.end(), [](int64_t value) {
    return value >= std::numeric_limits<int32_t>::min() &&
           value <= std::numeric_limits<int32_t>::max();
  });
}

/// TieZone of q. Magnitudes of more than `most_bits` count as those of `most_bits`, since the
/// output's interval clamps their results.
Value ZoneOf(Value q, int tie_bits, int most_bits) {
  Code& code = *q.code;
  const Value magnitude = Max(q, code.Int(0) - q);
  const Value bits = Min(code.Int(32) - CallOf(OpKind::kClz, magnitude), most_bits);
  const Value zone = code.Integer(kInt64, 1) << Cast(kInt64, bits);
  return tie_bits < 0 ? zone >> -tie_bits : zone << tie_bits;
}

/// NearestFloat of sums of at most `most` in magnitude.
Value NearestFloatOf(Value sum, int64_t most) {
  Code& code = *sum.code;
  const Value magnitude = Max(sum, code.Int(0) - sum);
  Value nearest = sum;
  for (int bits = 1; (most >> (kFloatBits + bits - 1)) != 0; ++bits) {
    const int64_t below_half = (int64_t{1} << (bits - 1)) - 1;
    const Value odd = IsOdd(sum >> bits);
    const Value rounded = ((sum + below_half + odd) >> bits) << bits;
    const int64_t from = int64_t{1} << (kFloatBits + bits - 1);
    nearest = Select(magnitude < from, nearest, rounded);
  }
  return nearest;
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
                                 std::vector<SumRange> sums, Nearness nearness,
                                 std::vector<int64_t> biases)
    : code_(code),
      rules_(std::move(rules)),
      interval_(ResultInterval(code)),
      biases_(std::move(biases)) {
  for (const SumRange& one : sums) most_ = std::max({most_, std::abs(one.least), one.most});
  if (nearness != Nearness::kExact)
    products_ = ExactSteps(rules_, sums, interval_.low, interval_.high);
  if (!products_ && nearness != Nearness::kEqual) products_ = NearSteps(rules_, sums);
  if (products_) SetLists();
  if (!biases_.empty()) bias_ = ListOf("bias", biases_);
  if (products_) return;
  code.Note("no product of integers equals the float32 arithmetic of onnxruntime for these scales");
  if (rules_.size() == 1) return;
  factors_ = Floats("factor", &FloatRule::factor);
  divisors_ = Floats("divisor", &FloatRule::divisor);
  float_addends_ = Floats("addend", &FloatRule::addend);
}

void QuantizedResult::SetLists() {
  std::vector<int64_t>& addends = products_->addends;
  // A product of the bias in the addend takes no time if addends differ anyway.
  const bool differ = std::any_of(addends.begin(), addends.end(),
                                  [&](int64_t addend) { return addend != addends[0]; });
  if (differ && biases_.size() == addends.size() && !products_->rounds_sums) {
    for (size_t i = 0; i < addends.size(); ++i)
      addends[i] += biases_[i] * products_->multipliers[i];
    biases_.clear();
  }
  multipliers_ = ListOf("multiplier", products_->multipliers);
  addends_ = ListOf("addend", addends);
  if (!products_->evens.empty()) evens_ = ListOf("even", products_->evens);
}

QuantizedResult::List QuantizedResult::ListOf(std::string_view name,
                                              const std::vector<int64_t>& values) {
  List made;
  made.base = MostFrequent(values);
  std::vector<int64_t> rest;
  for (const int64_t value : values) rest.push_back(value - made.base);
  if (std::all_of(rest.begin(), rest.end(), [](int64_t value) { return value == 0; })) return made;
  // Numbers of 32 bits need no base, and rests of 32 bits take half the memory.
  if (AreShort(values) || !AreShort(rest)) {
    rest = values;
    made.base = 0;
  }
  const DataType dtype = AreShort(rest) ? kInt32 : kInt64;
  std::vector<uint8_t> bytes;
  for (const int64_t value : rest) {
    std::string element;
    AppendLittleEndian(value, &element);
    bytes.insert(bytes.end(), element.begin(), element.begin() + dtype.element_bytes());
  }
  made.numbers = code_.Constant(name, dtype, {static_cast<int64_t>(rest.size())}, std::move(bytes));
  return made;
}

Value QuantizedResult::List::At(DataType dtype, Value channel) const {
  const Value of_all = channel.code->Integer(dtype, base);
  if (!numbers.exists()) return of_all;
  const Value number = Cast(dtype, numbers({channel}));
  return base == 0 ? number : number + of_all;
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
  const DataType dtype = code_.output().dtype;
  if (rule.after == 0) return NearestInteger(result, zero, rule.is_zero_inside, interval_, dtype);
  const Interval before = {interval_.low - rule.after, interval_.high - rule.after};
  return Cast(dtype,
              NearestInteger(result, zero, rule.is_zero_inside, before, kInt32) + rule.after);
}

Value QuantizedResult::operator()(Value sum, Value channel) const {
  if (bias_) sum = sum + bias_->At(sum.dtype(), channel);
  if (!products_) return InFloats(sum, channel);
  if (products_->rounds_sums) sum = NearestFloatOf(sum, most_);
  Value t = ProductOf(sum, channel);
  const int shift = products_->shift;
  if (!products_->evens.empty()) {
    const Value odd = IsOdd(Cast(kInt32, t >> shift));
    t = t + Cast(kInt64, odd) * evens_.At(kInt64, channel);
  }
  const int64_t outside = rules_[0].Outside();
  const Interval inside = {interval_.low - outside, interval_.high - outside};
  const Value result = ShiftedResult(t, shift, products_->tie_bits, inside);
  return ClampedResult(result, outside, interval_, code_.output().dtype);
}

Value QuantizedResult::ProductOf(Value sum, Value channel) const {
  return Cast(kInt64, sum) * multipliers_.At(kInt64, channel) + addends_.At(kInt64, channel);
}

Value QuantizedResult::IsNearTie(Value sum, Value channel, double distance) const {
  const int64_t unit = int64_t{1} << products_->shift;
  const auto most = static_cast<int64_t>(std::ldexp(std::min(distance, 0.5), products_->shift));
  const Value after = ProductOf(sum, channel) + most;
  const Value rest = CallOf(OpKind::kBitwiseAnd, after, code_.Integer(kInt64, unit - 1));
  return rest <= code_.Integer(kInt64, 2 * most);
}

Value ShiftedResult(Value t, int shift, std::optional<int> tie_bits, Interval interval) {
  if (!tie_bits) return Cast(kInt32, t >> shift);
  const auto most = static_cast<uint64_t>(std::max(std::abs(interval.low), interval.high));
  const int most_bits = static_cast<int>(std::bit_width(most + 1));
  const Value kept = t.code->Once(t);
  const auto shifted = [&](Value number) { return Cast(kInt32, number >> shift); };
  const Value q = shifted(kept);
  const Value zone = ZoneOf(q, *tie_bits, most_bits);
  // Within the zone, one of the two is a neighbour of q.
  const Value both = shifted(kept + zone) + shifted(kept - zone - 1);
  return q + IsOdd(q) * (both - q * 2);
}

Value ClampedResult(Value result, int64_t addend, Interval interval, DataType dtype) {
  const Value moved = addend == 0 ? result : result + addend;
  return Cast(dtype, Max(Min(moved, interval.high), interval.low));
}

}  // namespace tenon::graph::plain
