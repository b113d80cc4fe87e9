// The proof on data: the weights bound the sum of each channel. For all sums in that range, the
// library's shifts and roundings must give the claim's result, or the layer stays on the host.

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "byoc/generators/cmsis_nn/layer.h"
#include "byoc/generators/cmsis_nn/step_numbers.h"
#include "fmt/format.h"
#include "ir/q_multiply_shift.h"

namespace tenon {

namespace {

/// The library shifts products of 64 bits to the right by 31 and this much more.
constexpr int64_t kMostShift = 31;
constexpr int64_t kLargestShift = 1024;
/// More weights than any microcontroller has; sums of their products fit int64.
constexpr int64_t kMostWeights = int64_t{1} << 30;

class NumberReader {
 public:
  NumberReader(const OpInfo& info, const CmsisLayer& layer,
               std::span<const Constant* const> constants)
      : info_(info), layer_(layer), numbers_(info.computation, constants) {}

  std::optional<CmsisNumbers> Read(std::string* problem) {
    if (ReadAll()) return std::move(made_);
    *problem = problem_;
    return std::nullopt;
  }

 private:
  bool Fail(std::string why) {
    problem_ = std::move(why);
    return false;
  }

  bool ReadAll() {
    const int64_t inputs = is_depthwise() ? 1 : layer_.input_c;
    const int64_t places = layer_.kernel_h * layer_.kernel_w;
    if (inputs > kMostWeights / places || layer_.output_c > kMostWeights / (places * inputs))
      return Fail("too many weights");
    summed_ = places * inputs;
    made_.weights.resize(static_cast<size_t>(layer_.output_c * summed_));
    for (int64_t c = 0; c < layer_.output_c; ++c) {
      SetPlaces(layer_.channels, c);
      int64_t magnitude = 0;
      if (!ReadWeights(c, magnitude) || !ReadChannel(magnitude)) return false;
    }
    if (layer_.kind == CmsisLayer::Kind::kDense && !made_.IsUniform())
      return Fail("a dense layer with several multipliers");
    return true;
  }

  bool is_depthwise() const { return layer_.kind == CmsisLayer::Kind::kDepthwise; }

  /// Sets the loops of axes to the place with this number. The innermost axis comes first.
  void SetPlaces(const std::vector<CmsisAxis>& axes, int64_t number) {
    for (const CmsisAxis& axis : axes) {
      numbers_.Set(axis.loop, number % axis.extent);
      number /= axis.extent;
    }
  }

  /// Reads the weights of a channel, and adds up their magnitudes.
  bool ReadWeights(int64_t channel, int64_t& magnitude) {
    const int64_t places = layer_.kernel_h * layer_.kernel_w;
    const int64_t inputs = summed_ / places;
    for (int64_t place = 0; place < places; ++place) {
      SetPlaces(layer_.kernel, place);
      for (int64_t input = 0; input < inputs; ++input) {
        SetPlaces(layer_.summed, input);
        const std::optional<int64_t> weight = numbers_.Read(info_.weights);
        if (!weight) return Fail("its weights are not constants of the operator");
        if (*weight < std::numeric_limits<int8_t>::min() ||
            *weight > std::numeric_limits<int8_t>::max())
          return Fail(fmt::format("a weight of {}, which int8 lacks", *weight));
        magnitude += std::abs(*weight);
        const int64_t at = is_depthwise() ? place * layer_.output_c + channel
                                          : channel * summed_ + place * inputs + input;
        made_.weights[static_cast<size_t>(at)] = static_cast<int8_t>(*weight);
      }
    }
    return true;
  }

  std::optional<int64_t> Of(int step, int64_t otherwise) const {
    return step < 0 ? otherwise : numbers_.Of(step);
  }

  /// Reads the bias, multiplier and shift of the channel, and proves that the library's result is
  /// equal for all sums that inputs can cause.
  bool ReadChannel(int64_t magnitude) {
    const CmsisSteps& steps = layer_.steps;
    const std::optional<int64_t> bias = Of(steps.bias, 0);
    const std::optional<int64_t> multiplier = Of(steps.multiplier, 0);
    const std::optional<int64_t> shift = Of(steps.shift, 0);
    if (!bias || !multiplier || !shift)
      return Fail("its bias, multipliers or shifts are not constants of the operator");
    if (*bias < INT32_MIN || *bias > INT32_MAX || *shift < -kLargestShift || *shift > kLargestShift)
      return Fail("a bias or a shift that is too large");
    // Kernels add inputs, offsets and zero points in any order, each at most 256.
    constexpr int64_t kLargestInput = 256;
    const int64_t largest =
        magnitude * (kLargestInput + std::abs(layer_.input_offset)) + std::abs(*bias);
    if (largest > INT32_MAX) return Fail(fmt::format("sums of up to {}, which may wrap", largest));
    const int64_t right = steps.shifts_right ? *shift : -*shift;
    if (*multiplier < 0 || *multiplier > INT32_MAX) return Fail("a multiplier below 0");
    if (right < 0) return Fail(fmt::format("a shift of {} to the left", -right));
    // Half of the product must not wrap, nor the result with its offset.
    const int64_t product = largest * *multiplier;
    const int64_t result = product >> std::min<int64_t>(30 + right, 62);
    if (result + 1 + 2 * steps.largest_offset > INT32_MAX)
      return Fail(fmt::format("products of up to {}, which may wrap", result));
    // With this multiplier, q_multiply_shift adds half of the divisor to the sum itself.
    if (steps.is_uniform && *multiplier == kQOneHalf &&
        (right > 30 || largest + (int64_t{1} << right) > INT32_MAX))
      return Fail("a shift that may wrap");
    // The library shifts by 62 at most. Larger shifts give 0 for all products below 2^62.
    const bool is_dead = right > kMostShift;
    if (is_dead && product >= int64_t{1} << 62) return Fail("a shift beyond the library's");
    made_.bias.push_back(static_cast<int32_t>(*bias));
    made_.multiplier.push_back(is_dead ? 0 : static_cast<int32_t>(*multiplier));
    made_.shift.push_back(is_dead ? 0 : static_cast<int32_t>(-right));
    return true;
  }

  const OpInfo& info_;
  const CmsisLayer& layer_;
  StepNumbers numbers_;
  /// Products of one sum.
  int64_t summed_ = 1;
  CmsisNumbers made_;
  std::string problem_;
};

}  // namespace

bool CmsisNumbers::IsUniform() const {
  const auto same = [](const std::vector<int32_t>& all) {
    return std::all_of(all.begin(), all.end(), [&](int32_t value) { return value == all[0]; });
  };
  return same(multiplier) && same(shift);
}

std::optional<CmsisNumbers> ReadCmsisNumbers(const OpInfo& info, const CmsisLayer& layer,
                                             std::span<const Constant* const> constants,
                                             std::string* problem) {
  return NumberReader(info, layer, constants).Read(problem);
}

}  // namespace tenon
