#include "frontends/graph/contraction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "frontends/graph/axis_order.h"
#include "frontends/graph/elementwise.h"

namespace tenon::graph {

namespace {

constexpr std::string_view kConv = "conv_2d";
constexpr std::string_view kDepthwise = "depthwise_conv_2d";
constexpr std::string_view kDense = "fully_connected";

/// The trivial bound, which all sums of int32 keep.
constexpr int64_t kAnySum = int64_t{1} << 31;

/// `x - zero_point`, in 16 bits if they suffice, so that products have factors of 16 bits.
Value Centred(Value x, int64_t zero_point) {
  if (zero_point == 0) return x;
  return Cast(kInt16, x) - zero_point;
}

}  // namespace

absl::StatusOr<Contraction> Contraction::Make(OperatorCode& code, ContractionInputs inputs,
                                              int64_t channel_axis, int64_t channels) {
  Contraction made(code, inputs);
  const Tensor& x = made.x();
  const Tensor& weights = made.weights();
  const bool has_bias = made.HasBias();
  if (has_bias && code.input(inputs.bias).elements() != channels) {
    return code.Wrong(fmt::format("expected a bias of {} elements, found {}", channels,
                                  code.input(inputs.bias).TypeText()));
  }
  if (weights.quantization.has_blocks) return code.Unsupported(kBlocksOfWeights);
  if (x.dtype == kFloat32 && weights.dtype == kFloat32 && code.output().dtype == kFloat32 &&
      (!has_bias || code.input(inputs.bias).dtype == kFloat32)) {
    made.sum_dtype_ = kFloat32;
    if (const auto probe = Activate(code, code.Number(kFloat32, 0)); !probe.ok())
      return probe.status();
  } else if (made.IsHybrid()) {
    if (absl::Status status = made.MakeHybrid(channel_axis, channels); !status.ok()) return status;
  } else if (absl::Status status = made.CheckQuantized(channel_axis, channels); !status.ok()) {
    return status;
  }
  if (has_bias) made.bias_ = code.Flat(code.In(inputs.bias), {channels});
  return made;
}

bool Contraction::IsHybrid() const {
  const std::string_view kind = code_->op().kind;
  const bool is_supported = kind == kConv || kind == kDepthwise || kind == kDense;
  return x().dtype == kFloat32 && code_->output().dtype == kFloat32 && is_supported &&
         (weights().dtype == kInt8 ||
          (weights().dtype == kUInt8 && weights().data && kind != kDepthwise)) &&
         (!HasBias() || code_->input(inputs_.bias).dtype == kFloat32);
}

DataType Contraction::WeightType() const { return IsHybrid() ? kInt8 : weights().dtype; }

absl::Status Contraction::MakeHybrid(int64_t channel_axis, int64_t channels) {
  const Quantization& quantization = weights().quantization;
  if (!HasScales(weights()) ||
      std::any_of(quantization.zero_points.begin(), quantization.zero_points.end(),
                  [](int64_t zero_point) { return zero_point != 0; }))
    return code_->Wrong("expected weights with scales greater than 0 and zero points of 0");
  if (absl::Status status = CheckScales(channel_axis, channels); !status.ok()) return status;
  if (weights().dtype == kUInt8 && quantization.is_per_axis())
    return code_->Unsupported("uint8 weights with a scale for each channel");
  if (const auto probe = Activate(*code_, code_->Number(kFloat32, 0)); !probe.ok())
    return probe.status();
  const std::string_view kind = code_->op().kind;
  bool symmetric = false;
  if (kind == kDense) {
    symmetric = code_->attributes().Int("asymmetric_quantize_inputs") == 0;
  } else if (kind == kConv) {
    symmetric = weights().shape[3] == x().shape[3] &&
                std::all_of(quantization.scales.begin(), quantization.scales.end(),
                            [&](float scale) { return scale == quantization.scale(); });
    channel_first_ = !symmetric;
  }
  rows_ = symmetric ? RowRange::kSymmetric : RowRange::kAsymmetric;
  sum_dtype_ = kInt32;
  if (quantization.is_per_axis()) {
    channel_scales_ = FloatConstant(*code_, "channel_scale", quantization.scales);
  }
  return absl::OkStatus();
}

absl::Status Contraction::CheckScales(int64_t channel_axis, int64_t channels) const {
  const Quantization& quantization = weights().quantization;
  if (!quantization.is_per_axis() || (quantization.axis == channel_axis &&
                                      quantization.scales.size() == static_cast<size_t>(channels)))
    return absl::OkStatus();
  return code_->Wrong(
      fmt::format("expected {} scales along axis {} of the weights, found {} "
                  "along axis {}",
                  channels, channel_axis, quantization.scales.size(), quantization.axis));
}

absl::Status Contraction::CheckQuantized(int64_t channel_axis, int64_t channels) {
  const Tensor& x = this->x();
  const Tensor& weights = this->weights();
  const Tensor& output = code_->output();
  // Sums of int16 have the type of the bias.
  const bool is_wide = x.dtype == kInt16 && code_->attributes().Text("sums") != "int32";
  const DataType bias = HasBias() ? code_->input(inputs_.bias).dtype : (is_wide ? kInt64 : kInt32);
  sum_dtype_ = bias;
  const bool is_dense = code_->op().kind == kDense;
  std::optional<Rounding> rounding = RoundingOf(code_->op().kind, x.dtype, bias);
  if (rounding && is_dense && x.dtype == kInt16 && weights.dtype == kInt16) {
    sum_dtype_ = kInt64;
    rounding = Rounding::kReduced;
  } else if (weights.dtype != (x.dtype == kUInt8 ? kUInt8 : kInt8)) {
    return UnsupportedTypes(*code_);
  }
  const bool widens = is_dense && x.dtype == kUInt8 && output.dtype == kInt16;
  if (!rounding || (x.dtype != output.dtype && !widens)) return UnsupportedTypes(*code_);
  if (!HasScale(x)) return UnsupportedScale(*code_, "the input", x);
  if (!HasScale(output)) return UnsupportedScale(*code_, "the output", output);
  if (!HasScales(weights)) return code_->Wrong("expected weights with scales greater than 0");
  const Quantization& quantization = weights.quantization;
  if (absl::Status status = CheckScales(channel_axis, channels); !status.ok()) return status;
  if (x.dtype == kUInt8 && quantization.is_per_axis())
    return code_->Unsupported("uint8 weights with a scale for each channel");
  for (const Tensor* tensor : {&x, &weights, &output}) {
    if (tensor->dtype == kInt16 && tensor->quantization.zero_point() != 0)
      return code_->Wrong("expected zero points of 0 for int16");
  }
  const absl::StatusOr<Interval> interval = ActivationInterval(*code_, output);
  if (!interval.ok()) return interval.status();
  std::vector<double> scales;
  for (const float scale : quantization.scales) {
    double product = double{x.quantization.scale()} * double{scale};
    // Older kernels multiply in float arithmetic.
    if (x.dtype == kUInt8 && *rounding == Rounding::kTwice)
      product = double{x.quantization.scale() * scale};
    scales.push_back(product / double{output.quantization.scale()});
  }
  // The rule of 16-bit multipliers shifts to the right by 15 bits minus those of the scale.
  constexpr double kMostReduced = 1 << 8;
  if (*rounding == Rounding::kReduced &&
      std::any_of(scales.begin(), scales.end(), [](double one) { return !(one < kMostReduced); }))
    return ScalesTooFarApart(*code_);
  is_quantized_ = true;
  if (code_->has_replaceable_scales() && x.dtype.bits() == 8)
    zero_point_.emplace(*code_, "input", std::vector<int64_t>{x.quantization.zero_point()});
  requantizer_.emplace(*code_, *rounding, scales,
                       MostOfAny(MostOf(channel_axis, channels, scales.size())),
                       output.quantization.zero_point(), *interval);
  return absl::OkStatus();
}

std::vector<int64_t> Contraction::MostOf(int64_t channel_axis, int64_t channels,
                                         size_t scales) const {
  const Tensor& x = this->x();
  const Tensor& weights = this->weights();
  const auto values = weights.Integers();
  const auto bias =
      HasBias() ? code_->input(inputs_.bias).Integers() : std::optional(std::vector<int64_t>());
  if (!values || !bias) return std::vector<int64_t>(scales, kAnySum);
  const int64_t factor =
      code_->has_replaceable_scales() ? int64_t{1} << x.dtype.bits() : MostCentred(x);
  int64_t inner = 1;
  for (size_t axis = static_cast<size_t>(channel_axis) + 1; axis < weights.shape.size(); ++axis)
    inner *= weights.shape[axis];
  std::vector<int64_t> sums(static_cast<size_t>(channels));
  const bool per_axis = weights.quantization.is_per_axis();
  const int64_t offset = per_axis ? 0 : weights.quantization.zero_point();
  for (int64_t i = 0; i < weights.elements(); ++i) {
    const auto channel = static_cast<size_t>(i / inner % channels);
    sums[channel] += factor * std::abs(weights.IntegerAt(i) - offset);
  }
  const int64_t limit = sum_dtype_ == kInt32 ? kAnySum : int64_t{1} << 46;
  for (int64_t i = 0; HasBias() && i < channels; ++i) {
    const int64_t bias_value = std::clamp(code_->input(inputs_.bias).IntegerAt(i), -limit, limit);
    sums[static_cast<size_t>(i)] += std::abs(bias_value);
  }
  for (int64_t& sum : sums) sum = std::min(sum, limit);
  if (scales == sums.size()) return sums;
  return {*std::max_element(sums.begin(), sums.end())};
}

std::vector<int64_t> Contraction::MostOfAny(std::vector<int64_t> most) const {
  if (!code_->has_replaceable_weights()) return most;
  // Twice the largest sum, as a power of two.
  const int64_t found = *std::max_element(most.begin(), most.end());
  int64_t fresh = 1;
  while (fresh < 2 * found) fresh *= 2;
  const int64_t trivial = sum_dtype_ == kInt32 ? kAnySum : int64_t{1} << 46;
  const int64_t bound = code_->Choose("sums are at most", std::max(std::min(fresh, trivial), found),
                                      found, [&](int64_t number) { return found <= number; });
  std::fill(most.begin(), most.end(), bound);
  return most;
}

Array Contraction::Input(const std::vector<int64_t>& shape) {
  const Array from = code_->In(inputs_.input);
  if (!rows_) return code_->Flat(from, shape);
  const QuantizedRows quantized = QuantizeRows(*code_, code_->Flat(from, shape), shape, *rows_);
  row_scales_ = quantized.scales;
  return quantized.values;
}

Array Contraction::NewSum() const {
  const Array sum = code_->Scalar("sum", sum_dtype_);
  code_->Set(sum, code_->Number(sum_dtype_, 0));
  return sum;
}

void Contraction::AddProduct(const Array& sum, Value x, Value weight) const {
  if (is_quantized_) {
    x = zero_point_ ? Cast(kInt16, x) - Cast(kInt16, (*zero_point_)[0])
                    : Centred(x, this->x().quantization.zero_point());
    const Quantization& quantization = weights().quantization;
    // Scales of channels have no zero points.
    weight = Centred(weight, quantization.is_per_axis() ? 0 : quantization.zero_point());
  }
  code_->Set(sum, code_->Get(sum) + Cast(sum_dtype_, x) * Cast(sum_dtype_, weight));
}

Value Contraction::HybridResult(Value total, Value row, Value channel) const {
  const Value real = Cast(kFloat32, total);
  const Value of_row = row_scales_({row});
  const Value of_channel = channel_scales_.exists()
                               ? channel_scales_({channel})
                               : code_->Number(kFloat32, double{weights().quantization.scale()});
  return channel_first_ ? real * of_channel * of_row : real * (of_channel * of_row);
}

Value Contraction::Result(const Array& sum, Value row, Value channel) const {
  Value total = code_->Get(sum);
  if (rows_) total = HybridResult(total, row, channel);
  if (!is_quantized_) {
    if (bias_.exists()) total = total + bias_({channel});
    return *Activate(*code_, total);
  }
  // The next steps use the sum more than once.
  if (bias_.exists()) code_->Set(sum, total + Cast(sum_dtype_, bias_({channel})));
  return (*requantizer_)(code_->Get(sum), channel);
}

Array Contraction::WeightsInOrder(const std::vector<size_t>& order) const {
  return WeightsInOrder(weights().shape, order);
}

Array Contraction::WeightsInOrder(const std::vector<int64_t>& seen,
                                  const std::vector<size_t>& order) const {
  Tensor seen_weights = weights();
  seen_weights.shape = seen;
  return code_->Constant(IdentifierOf(weights(), "weights"), WeightType(), Ordered(seen, order),
                         OrderedBytes(seen_weights, order));
}

}  // namespace tenon::graph
