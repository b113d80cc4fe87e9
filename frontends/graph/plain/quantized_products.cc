#include "frontends/graph/plain/quantized_products.h"

#include <fmt/format.h>

#include <algorithm>
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

std::vector<int64_t> QuantizedProducts::MostOf(size_t channel_axis, int64_t channels,
                                               int64_t depth) const {
  const Tensor& x = code_->input(0);
  const Tensor& weights = code_->input(1);
  const int64_t factor = MostCentred(x);
  const int64_t other = weights.quantization.is_per_axis() ? int64_t{1} << weights.dtype.bits()
                                                           : MostCentred(weights);
  std::vector<int64_t> most(static_cast<size_t>(channels), depth * factor * other);
  const std::vector<int64_t>& zeros = weights.quantization.zero_points;
  if (weights.HasIntegers()) {
    int64_t inner = 1;
    for (size_t axis = channel_axis + 1; axis < weights.shape.size(); ++axis)
      inner *= weights.shape[axis];
    std::vector<int64_t> sums(static_cast<size_t>(channels));
    for (int64_t i = 0; i < weights.elements(); ++i) {
      const int64_t channel = i / inner % channels;
      sums[static_cast<size_t>(channel)] +=
          factor * std::abs(weights.IntegerAt(i) - At(zeros, channel, int64_t{0}));
    }
    most = std::move(sums);
  }
  for (int64_t i = 0; HasBias() && !HasFloatBias() && i < channels; ++i) {
    int64_t& one = most[static_cast<size_t>(i)];
    one += code_->input(2).HasIntegers() ? std::abs(code_->input(2).IntegerAt(i)) : kMostShort;
  }
  for (int64_t& one : most) one = std::min(one, kMostWide);
  return most;
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
  std::vector<int64_t> most = made.MostOf(channel_axis, channels, depth);
  std::vector<FloatRule> rules = made.RulesOf(channels);
  const int64_t greatest = most.empty() ? 0 : *std::max_element(most.begin(), most.end());
  if (greatest > kMostShort) made.dtype_ = kInt64;
  if (rules.size() != most.size()) most.assign(rules.size(), greatest);
  if (made.HasBias() && !made.HasFloatBias()) made.bias_ = code.Flat(code.In(2), {channels});
  made.result_.emplace(code, std::move(rules), std::move(most), made.HasFloatBias());
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
