// Means of integers with scales.

#include <algorithm>
#include <cmath>
#include <limits>

#include "frontends/graph/plain/plain.h"
#include "frontends/graph/plain/quantized_builders.h"
#include "frontends/graph/refusals.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

/// Windows of different counts have a rule for each count.
constexpr int64_t kMostCounts = 1 << 12;
/// An int8 plus this number is the uint8 with the other highest bit.
constexpr int64_t kSignBit = 128;

FloatRule RuleOf(const OperatorView& op, int64_t count, bool is_inside) {
  const float scale = op.input(0).quantization.scale();
  const Quantization& output = op.output().quantization;
  FloatRule rule;
  rule.zero_point = output.zero_point();
  const std::string_view added = op.attributes().Text(kZeroPointAttribute);
  rule.is_zero_inside = is_inside && added != kAfterRounding;
  if (is_inside && added == kAsUnsigned) {
    rule.zero_point += kSignBit;
    rule.after = -kSignBit;
  }
  if (!is_inside && op.op().kind != "reduce_mean") {
    const float steps = output.scale() * static_cast<float>(count);
    rule.factor = scale / steps;
    return rule;
  }
  rule.factor = scale;
  rule.divisor = static_cast<float>(count);
  rule.scale = output.scale();
  return rule;
}

bool IsPowerOfTwo(float number) {
  int exponent = 0;
  return std::frexp(number, &exponent) == 0.5F;
}

/// Whether exact arithmetic gives some sum another integer than the additions of real numbers in
/// onnxruntime may give, whose rounding depends on their order.
bool HasTies(const FloatRule& rule, const SumRange& sums, double distance) {
  if (IsPowerOfTwo(rule.factor)) return false;
  constexpr int64_t kMostChecked = 1 << 16;
  if (sums.most - sums.least > kMostChecked) return true;
  for (int64_t sum = sums.least; sum <= sums.most; ++sum) {
    const double steps = static_cast<double>(sum) * rule.Slope() + 0.5;
    if (std::abs(steps - std::round(steps)) <= distance) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<QuantizedMean> QuantizedMean::Make(OperatorCode& code, int64_t most_count,
                                                  bool is_fixed, bool is_inside) {
  TENON_TRY(CheckScales(code, {0}));
  QuantizedMean made(code);
  made.is_fixed_ = is_fixed;
  if (most_count < 1 || (!is_fixed && most_count > kMostCounts))
    return code.Unsupported("means of so many elements");
  std::vector<FloatRule> rules;
  std::vector<SumRange> sums;
  const Interval centred = CentredRange(code.input(0));
  for (int64_t count = is_fixed ? most_count : 1; count <= most_count; ++count) {
    rules.push_back(RuleOf(code, count, is_inside));
    sums.push_back({count * centred.low, count * centred.high});
  }
  const int64_t most = std::max(-sums.back().least, sums.back().most);
  if (most > std::numeric_limits<int32_t>::max()) made.dtype_ = kInt64;
  Nearness nearness = Nearness::kEqual;
  made.distance_ = FloatSum::Error(rules.back(), most_count, MostCentred(code.input(0)));
  for (size_t i = 0; i < rules.size(); ++i) {
    if (made.ties_ || !is_inside || !HasTies(rules[i], sums[i], made.distance_)) continue;
    made.ties_.emplace(rules[i]);
    nearness = Nearness::kExact;
  }
  // Results of 16 bits would differ too often.
  if (code.op().kind == "reduce_mean" && code.output().dtype.bits() == 8)
    nearness = Nearness::kEqualIfProven;
  made.result_.emplace(code, std::move(rules), std::move(sums), nearness);
  if (!made.result_->has_products()) made.ties_.reset();
  return made;
}

Value QuantizedMean::Centred(Value element, DataType dtype) const {
  return Cast(dtype, element) - code_->input(0).quantization.zero_point();
}

Array QuantizedMean::NewSum() const {
  const Array sum = code_->Scalar("sum", dtype_);
  code_->Set(sum, code_->Number(dtype_, 0));
  return sum;
}

void QuantizedMean::Add(const Array& sum, Value element) const {
  code_->Set(sum, code_->Get(sum) + Centred(element, dtype_));
}

Value QuantizedMean::Result(const Array& sum, Value count) const {
  return (*result_)(code_->Get(sum), is_fixed_ ? code_->Int(0) : count - 1);
}

void QuantizedMean::AfterTies(
    const Array& sum, Value count,
    const std::function<void(const std::function<void(Value element)>&)>& each,
    const std::function<void(Value result)>& store) const {
  if (!ties_) return;
  const Value rule = is_fixed_ ? code_->Int(0) : count - 1;
  code_->If(result_->IsNearTie(code_->Get(sum), rule, distance_), [&] {
    const Array total = code_->Scalar("total", kInt64);
    code_->Set(total, FloatSum::Zero(*code_));
    each([&](Value element) {
      code_->Set(total, ties_->Plus(code_->Get(total), Centred(element, kInt32)));
    });
    store(Cast(code_->output().dtype,
               ties_->Result(code_->Get(total), count, ResultInterval(*code_))));
  });
}

}  // namespace tenon::graph::plain
