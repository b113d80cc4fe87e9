#include "frontends/graph/plain/quantized_products.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "frontends/graph/plain/plain.h"
#include "frontends/graph/refusals.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

constexpr int64_t kMostShort = std::numeric_limits<int32_t>::max();
/// The most that sums of int64 may reach: float32 rules end long before.
constexpr int64_t kMostWide = int64_t{1} << 46;

/// `x - zero_point`, in 16 bits if they suffice, so that products have factors of 16 bits.
Value Centred(Value x, int64_t zero_point) {
  if (x.dtype().bits() == 16) return Cast(kInt32, x) - zero_point;
  return Cast(kInt16, x) - zero_point;
}

/// One element of a list, or its only element.
template <class T>
T At(const std::vector<T>& values, int64_t index, T otherwise) {
  if (values.empty()) return otherwise;
  return values[values.size() == 1 ? 0 : static_cast<size_t>(index)];
}

/// Dead channels have weights of 0 and scales that are as small, so their sums are large. Gives a
/// rule with one result for all sums another factor. Returns the bias with which the result stays.
int64_t SimpleBias(FloatRule& rule, const SumRange& products, int64_t bias, float factor,
                   Interval interval) {
  const auto result = [&](int64_t sum) {
    return std::clamp(rule(sum), interval.low, interval.high);
  };
  const int64_t only = result(products.least + bias);
  if (only != result(products.most + bias)) return bias;
  // A step has room for products of less than a quarter of it.
  const double most = static_cast<double>(products.most - products.least) * double{factor};
  const double sum = static_cast<double>(only - rule.zero_point) / double{factor};
  if (!(most < 0.25) || !(std::abs(sum) < static_cast<double>(kMostShort) / 2)) return bias;
  rule.factor = factor;
  return std::llround(sum) - (products.least + products.most) / 2;
}

}  // namespace

absl::Status QuantizedProducts::Check(size_t channel_axis, int64_t channels) const {
  const Tensor& weights = code_->input(1);
  if (!HasScale(code_->input(0)) || !HasScale(code_->output()) || !HasScales(weights))
    return UnsupportedScales(*code_);
  const int bits = weights.dtype.bits();
  if (!IsOneOf(weights.dtype, kIntegers) || (bits != 8 && bits != 16))
    return UnsupportedTypes(*code_);
  const Quantization& quantization = weights.quantization;
  if (quantization.is_per_axis() && (quantization.axis != static_cast<int64_t>(channel_axis) ||
                                     std::ssize(quantization.scales) != channels)) {
    return code_->Unsupported(
        fmt::format("{} scales along axis {} of the weights; {} along axis {} are supported",
                    quantization.scales.size(), quantization.axis, channels, channel_axis));
  }
  if (!HasBias()) return absl::OkStatus();
  const Tensor& bias = code_->input(2);
  if (bias.elements() != channels)
    return code_->Unsupported(
        fmt::format("a bias of {}; {} elements are supported", bias.TypeText(), channels));
  const bool is_float = bias.dtype == kFloat32 && bias.data.has_value();
  return bias.dtype == kInt32 || is_float ? absl::OkStatus() : UnsupportedTypes(*code_);
}

std::vector<SumRange> QuantizedProducts::ProductsOf(size_t channel_axis, int64_t channels,
                                                    int64_t depth) const {
  const Tensor& weights = code_->input(1);
  const Interval x = CentredRange(code_->input(0));
  if (!weights.HasIntegers()) {
    const int64_t other = weights.quantization.is_per_axis() ? int64_t{1} << weights.dtype.bits()
                                                             : MostCentred(weights);
    const int64_t most = std::min(depth * MostCentred(code_->input(0)) * other, kMostWide);
    return std::vector<SumRange>(static_cast<size_t>(channels), {-most, most});
  }
  std::vector<SumRange> sums(static_cast<size_t>(channels));
  int64_t inner = 1;
  for (size_t axis = channel_axis + 1; axis < weights.shape.size(); ++axis)
    inner *= weights.shape[axis];
  for (int64_t i = 0; i < weights.elements(); ++i) {
    const int64_t channel = i / inner % channels;
    const int64_t weight =
        weights.IntegerAt(i) - At(weights.quantization.zero_points, channel, int64_t{0});
    SumRange& one = sums[static_cast<size_t>(channel)];
    one.least = std::max(one.least + std::min(weight * x.low, weight * x.high), -kMostWide);
    one.most = std::min(one.most + std::max(weight * x.low, weight * x.high), kMostWide);
  }
  return sums;
}

// onnxruntime multiplies the scales of both inputs first.
std::vector<FloatRule> QuantizedProducts::RulesOf(int64_t channels) const {
  const Quantization& weights = code_->input(1).quantization;
  const Quantization& output = code_->output().quantization;
  const int64_t count = weights.is_per_axis() || HasFloatBias() ? channels : 1;
  std::vector<FloatRule> rules;
  for (int64_t i = 0; i < count; ++i) {
    const float product = code_->input(0).quantization.scale() * At(weights.scales, i, 0.0F);
    FloatRule rule;
    rule.zero_point = output.zero_point();
    if (HasFloatBias()) {
      rule.factor = product;
      rule.addend = code_->input(2).FloatAt(i);
      rule.scale = output.scale();
    } else {
      rule.factor = product / output.scale();
    }
    rules.push_back(rule);
  }
  return rules;
}

std::vector<int64_t> QuantizedProducts::SetBias(int64_t channels, std::vector<FloatRule>& rules,
                                                std::vector<SumRange>& sums) {
  if (!HasBias() || HasFloatBias()) return {};
  const Tensor& bias = code_->input(2);
  if (!bias.HasIntegers()) {
    bias_ = code_->Flat(code_->In(2), {channels});
    for (SumRange& one : sums) one = {one.least - kMostShort, one.most + kMostShort};
    return {};
  }
  float factor = 0;
  for (const FloatRule& rule : rules) factor = std::max(factor, rule.factor);
  std::vector<int64_t> values;
  for (int64_t i = 0; i < channels; ++i) {
    SumRange& one = sums[static_cast<size_t>(i)];
    int64_t added = bias.IntegerAt(i);
    if (std::ssize(rules) == channels)
      added = SimpleBias(rules[static_cast<size_t>(i)], one, added, factor, ResultInterval(*code_));
    values.push_back(added);
    one = {one.least + added, one.most + added};
  }
  return values;
}

absl::StatusOr<QuantizedProducts> QuantizedProducts::Make(OperatorCode& code, size_t channel_axis,
                                                          int64_t channels, int64_t depth) {
  QuantizedProducts made(code);
  TENON_TRY(made.Check(channel_axis, channels));
  made.zero_x_ = code.input(0).quantization.zero_point();
  const std::vector<int64_t>& zeros = code.input(1).quantization.zero_points;
  made.zero_weight_ = At(zeros, 0, int64_t{0});
  if (std::any_of(zeros.begin(), zeros.end(),
                  [&](int64_t zero) { return zero != made.zero_weight_; })) {
    std::vector<int32_t> numbers(zeros.begin(), zeros.end());
    made.zeros_ = IntConstant(code, "zero_point", numbers);
  }
  std::vector<SumRange> sums = made.ProductsOf(channel_axis, channels, depth);
  std::vector<FloatRule> rules = made.RulesOf(channels);
  std::vector<int64_t> biases = made.SetBias(channels, rules, sums);
  SumRange all;
  for (const SumRange& one : sums)
    all = {std::min(all.least, one.least), std::max(all.most, one.most)};
  if (std::max(-all.least, all.most) > kMostShort) made.dtype_ = kInt64;
  if (rules.size() != sums.size()) sums.assign(rules.size(), all);
  // onnxruntime computes results of 16 bits in floats, and loses more than the exact product does.
  Nearness nearness = made.HasFloatBias() ? Nearness::kEqualIfProven : Nearness::kEqual;
  if (code.output().dtype.bits() == 16) nearness = Nearness::kExact;
  made.result_.emplace(code, std::move(rules), std::move(sums), nearness, std::move(biases));
  return made;
}

Array QuantizedProducts::NewSum() const {
  const Array sum = code_->Scalar("sum", dtype_);
  code_->Set(sum, code_->Integer(dtype_, 0));
  return sum;
}

void QuantizedProducts::Add(const Array& sum, Value x, Value weight, Value channel) const {
  const Value a = Centred(x, zero_x_);
  const Value b =
      zeros_.exists() ? Cast(kInt32, weight) - zeros_({channel}) : Centred(weight, zero_weight_);
  code_->Set(sum, code_->Get(sum) + Cast(dtype_, a) * Cast(dtype_, b));
}

Value QuantizedProducts::Result(const Array& sum, Value channel) const {
  Value total = code_->Get(sum);
  if (bias_.exists()) total = total + Cast(dtype_, bias_({channel}));
  return (*result_)(total, channel);
}

}  // namespace tenon::graph::plain
