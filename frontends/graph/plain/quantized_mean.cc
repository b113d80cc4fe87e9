// Means of integers with scales.

#include <algorithm>
#include <cmath>
#include <limits>

#include "frontends/graph/plain/plain.h"
#include "frontends/graph/plain/quantized_builders.h"
#include "frontends/graph/plain/scaled_result.h"
#include "frontends/graph/refusals.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

/// Windows of different counts have a rule for each count.
constexpr int64_t kMostCounts = 1 << 12;

FloatRule RuleOf(const OperatorView& op, int64_t count, bool is_inside) {
  const float scale = op.input(0).quantization.scale();
  const Quantization& output = op.output().quantization;
  FloatRule rule;
  rule.zero_point = output.zero_point();
  rule.is_zero_inside = is_inside;
  if (op.op().kind == "global_average_pool") {
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

/// Whether more than 1 of 1,000 results are ties. onnxruntime adds up real numbers there, whose
/// rounding, and so the ties' direction, depends on their order.
bool HasTies(const FloatRule& rule, int64_t most) {
  if (!rule.is_zero_inside || IsPowerOfTwo(rule.factor)) return false;
  constexpr int64_t kMostChecked = 1 << 16;
  constexpr double kNear = 1e-5;
  const int64_t step = most / kMostChecked + 1;
  int64_t ties = 0;
  int64_t checked = 0;
  for (int64_t sum = -most; sum <= most; sum += step) {
    const double real = static_cast<double>(sum) * rule.Slope() + 0.5;
    ties += std::abs(real - std::round(real)) < kNear ? 1 : 0;
    ++checked;
  }
  return ties * 1000 > checked;
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
  made.rule_ = rules.back();
  if (HasTies(rules.back(), most)) {
    code.Note("the ties of its means depend on the order of float32 sums");
    made.dtype_ = kFloat32;
    return made;
  }
  // Results of 16 bits would differ too often.
  const bool may_be_near = code.op().kind == "reduce_mean" && code.output().dtype.bits() == 8;
  made.result_.emplace(code, std::move(rules), std::move(sums), may_be_near);
  return made;
}

Array QuantizedMean::NewSum() const {
  const Array sum = code_->Scalar("sum", dtype_);
  code_->Set(sum, code_->Number(dtype_, 0));
  return sum;
}

void QuantizedMean::Add(const Array& sum, Value element) const {
  const int64_t zero_point = code_->input(0).quantization.zero_point();
  if (result_) {
    code_->Set(sum, code_->Get(sum) + (Cast(dtype_, element) - zero_point));
    return;
  }
  const Value centred = Cast(kFloat32, Cast(kInt32, element) - zero_point);
  code_->Set(sum, code_->Get(sum) + centred * code_->Number(kFloat32, double{rule_.factor}));
}

Value QuantizedMean::Result(const Array& sum, Value count) const {
  if (result_) return (*result_)(code_->Get(sum), is_fixed_ ? code_->Int(0) : count - 1);
  const Value mean = Div(code_->Get(sum), Cast(kFloat32, count));
  const Value steps = Div(mean, code_->Number(kFloat32, double{rule_.scale}));
  const Value zero = code_->Number(kFloat32, static_cast<double>(rule_.zero_point));
  return NearestInteger(steps, zero, true, ResultInterval(*code_), code_->output().dtype);
}

}  // namespace tenon::graph::plain
