// Windows and weights of signal processing, which are constants; and NonZero of constants.

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontends/onnx/convert.h"
#include "frontends/onnx/rows.h"
#include "support/status_macros.h"

namespace tenon::onnx {

namespace {

/// The most elements of a constant that a node computes.
constexpr int64_t kMostComputed = 1 << 20;

/// The one integer of a constant input.
absl::StatusOr<int64_t> NumberOf(Node& node, size_t input, std::string_view what) {
  TENON_ASSIGN_OR(const std::vector<int64_t> numbers, node.Integers(input, what));
  if (numbers.size() == 1) return numbers[0];
  return node.Wrong(fmt::format("expected one number in `{}`, found {}", what, numbers.size()));
}

absl::StatusOr<DataType> OutputType(Node& node) {
  const auto type = static_cast<int32_t>(node.Int("output_datatype"));
  const std::optional<DataType> dtype = TypeOf(type);
  if (!dtype) return node.Unsupported(fmt::format("the type {}", TypeName(type)));
  return *dtype;
}

/// A window of a sum of cosines: weights[k] * cos(k * turns * 2 pi).
absl::Status ConvertWindow(Node& node, const std::vector<double>& weights) {
  TENON_TRY(node.CheckInputs(1, 1));
  TENON_ASSIGN_OR(const int64_t size, NumberOf(node, 0, "size"));
  TENON_ASSIGN_OR(const DataType dtype, OutputType(node));
  if (size < 0 || size > kMostComputed)
    return node.Wrong(fmt::format("expected a size of 0 to {}, found {}", kMostComputed, size));
  const bool is_periodic = node.Int("periodic") != 0;
  const int64_t period = std::max<int64_t>(is_periodic ? size : size - 1, 1);
  std::vector<double> values;
  for (int64_t i = 0; i < size; ++i) {
    const double angle =
        2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(period);
    double value = 0;
    for (size_t k = 0; k < weights.size(); ++k)
      value += weights[k] * std::cos(static_cast<double>(k) * angle);
    values.push_back(value);
  }
  node.Bind(0, node.Constant(dtype, {size}, values));
  return absl::OkStatus();
}

/// The numbers of bins of a spectrum at which triangles of equal width in mel begin and end.
absl::StatusOr<std::vector<int64_t>> MelEdges(Node& node, int64_t bins, int64_t length) {
  TENON_ASSIGN_OR(const int64_t rate, NumberOf(node, 2, "sample_rate"));
  std::vector<double> mels;
  for (const size_t input : {size_t{3}, size_t{4}}) {
    TENON_ASSIGN_OR(const std::vector<double> hertz, node.RealsOf(input, "edge"));
    if (hertz.size() != 1) return node.Wrong("expected edges of one element");
    mels.push_back(2595 * std::log1p(hertz[0] / 700) / std::numbers::ln10);
  }
  if (rate < 1)
    return node.Wrong(fmt::format("expected a sample rate of 1 or more, found {}", rate));
  // The standard's reference divides by the number of edges, which is one more than the steps.
  const double step = (mels[1] - mels[0]) / static_cast<double>(bins + 2);
  std::vector<int64_t> edges;
  for (int64_t i = 0; i < bins + 2; ++i) {
    const double mel = mels[0] + static_cast<double>(i) * step;
    const double hertz = 700 * std::expm1(mel / 2595 * std::numbers::ln10);
    const double bin =
        std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate));
    if (!(bin >= 0 && bin <= static_cast<double>(length / 2)))
      return node.Wrong(
          fmt::format("expected edges of at most half the sample rate, found one at bin {}", bin));
    edges.push_back(static_cast<int64_t>(bin));
  }
  return edges;
}

}  // namespace

absl::Status ConvertHannWindow(Node& node) { return ConvertWindow(node, {0.5, -0.5}); }

absl::Status ConvertHammingWindow(Node& node) {
  return ConvertWindow(node, {25.0 / 46, -21.0 / 46});
}

absl::Status ConvertBlackmanWindow(Node& node) { return ConvertWindow(node, {0.42, -0.5, 0.08}); }

absl::Status ConvertMelWeightMatrix(Node& node) {
  TENON_TRY(node.CheckInputs(5, 5));
  TENON_ASSIGN_OR(const int64_t bins, NumberOf(node, 0, "num_mel_bins"));
  TENON_ASSIGN_OR(const int64_t length, NumberOf(node, 1, "dft_length"));
  TENON_ASSIGN_OR(const DataType dtype, OutputType(node));
  if (bins < 0 || bins > kMostComputed || length < 0 || length > kMostComputed ||
      bins * (length / 2 + 1) > kMostComputed)
    return node.Wrong(fmt::format("expected at most {} weights", kMostComputed));
  TENON_ASSIGN_OR(const std::vector<int64_t> edges, MelEdges(node, bins, length));
  const int64_t rows = length / 2 + 1;
  std::vector<double> values(static_cast<size_t>(rows * bins));
  for (int64_t i = 0; i < bins; ++i) {
    const int64_t low = edges[static_cast<size_t>(i)];
    const int64_t centre = edges[static_cast<size_t>(i + 1)];
    const int64_t high = edges[static_cast<size_t>(i + 2)];
    const auto set = [&](int64_t row, int64_t part, int64_t of) {
      values[static_cast<size_t>(row * bins + i)] =
          static_cast<double>(part) / static_cast<double>(of);
    };
    if (low == centre) set(centre, 1, 1);
    for (int64_t j = low; low < centre && j <= centre; ++j) set(j, j - low, centre - low);
    for (int64_t j = centre; j < high; ++j) set(j, high - j, high - centre);
  }
  node.Bind(0, node.Constant(dtype, {rows, bins}, values));
  return absl::OkStatus();
}

absl::Status ConvertNonZero(Node& node) {
  TENON_TRY(node.CheckInputs(1, 1));
  const graph::Tensor& x = node.in(0);
  if (!x.data)
    return node.Unsupported(
        "the shape of its result depends on values that are known only at run time");
  std::vector<int64_t> found;
  if (x.HasIntegers() && x.elements() <= kMostComputed) {
    for (int64_t i = 0; i < x.elements(); ++i)
      if (x.IntegerAt(i) != 0) found.push_back(i);
  } else {
    TENON_ASSIGN_OR(const std::vector<double> values, node.RealsOf(0, "input"));
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i] != 0) found.push_back(static_cast<int64_t>(i));
  }
  std::vector<int64_t> places;
  int64_t after = x.elements();
  for (const int64_t extent : x.shape) {
    after /= std::max<int64_t>(extent, 1);
    for (const int64_t place : found) places.push_back(place / after % extent);
  }
  const auto count = static_cast<int64_t>(found.size());
  node.Bind(0, node.builder().Constant(DataType::Int(64), {x.rank(), count}, places));
  return absl::OkStatus();
}

}  // namespace tenon::onnx
