// The proof on data. The library multiplies as a claim says, or with another rounding whose results
// change at the same sums. The weights bound the sums of each channel, so no number of the library
// wraps, in any order of its kernels.

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "byoc/generators/cmsis_nn/layer.h"
#include "byoc/recognise/step_program.h"
#include "fmt/format.h"

namespace tenon {

namespace {

/// The library's shifts of int32.
constexpr int64_t kMostRight = 30;
constexpr int64_t kMostRightOnce = 31;
/// More weights than fit on any microcontroller; sums of their products fit in int64.
constexpr int64_t kMostWeights = int64_t{1} << 30;
/// Kernels add inputs, offsets and zero points in any order, each at most 256.
constexpr int64_t kLargestInput = 256;

class NumberReader {
 public:
  NumberReader(const OpInfo& info, const CmsisLayer& layer,
               std::span<const Constant* const> constants, CmsisRounding rounding)
      : info_(info),
        layer_(layer),
        own_(*info.requantise),
        constants_(info.computation, constants),
        rounding_(rounding),
        places_(info.computation.loops.size()) {}

  std::optional<CmsisNumbers> Read(std::string* problem) {
    if (layer_.kind == CmsisLayer::Kind::kMean || layer_.kind == CmsisLayer::Kind::kMax)
      return CmsisNumbers();
    if (ReadAll(false)) return std::move(made_);
    const std::string why = problem_;
    // The sums of a matrix product are available, so the adapter can round them.
    if (layer_.is_product && own_.rounding == Rounding::kOnce && HasRightShifts() && ReadAll(true))
      return std::move(made_);
    *problem = why;
    return std::nullopt;
  }

 private:
  bool Fail(std::string why) {
    problem_ = std::move(why);
    return false;
  }

  /// True if half of each divisor is an integer that fits in int64.
  bool HasRightShifts() const {
    return std::all_of(own_.shift.begin(), own_.shift.end(),
                       [](int64_t shift) { return shift <= 30 && shift >= -kMostRightOnce; });
  }

  bool ReadAll(bool rounds_sums) {
    made_ = {};
    made_.rounds_sums = rounds_sums;
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
    return true;
  }

  bool is_depthwise() const { return layer_.kind == CmsisLayer::Kind::kDepthwise; }

  int64_t At(const LinearIndex& index) const {
    int64_t value = index.offset;
    for (const auto& [loop, stride] : index.terms)
      value += stride * places_[static_cast<size_t>(loop)];
    return value;
  }

  /// Sets the loops of axes to the position with this number. The innermost axis comes first.
  void SetPlaces(const std::vector<CmsisAxis>& axes, int64_t number) {
    for (const CmsisAxis& axis : axes) {
      places_[static_cast<size_t>(axis.loop)] = number % axis.extent;
      number /= axis.extent;
    }
  }

  /// Reads the weights of a channel, and adds up their magnitudes.
  bool ReadWeights(int64_t channel, int64_t& magnitude) {
    const ComputationAccess& access =
        info_.computation.accesses[static_cast<size_t>(own_.inputs[1].access)];
    const int64_t places = layer_.kernel_h * layer_.kernel_w;
    const int64_t inputs = summed_ / places;
    for (int64_t place = 0; place < places; ++place) {
      SetPlaces(layer_.kernel, place);
      for (int64_t input = 0; input < inputs; ++input) {
        SetPlaces(layer_.summed, input);
        const std::optional<int64_t> weight =
            access.element.divisor != 1 ? std::nullopt
                                        : constants_.Integer(access.operand, At(access.element));
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

  /// Reads the numbers of the channel, and proves that the library's result is equal for all sums
  /// that inputs can cause.
  bool ReadChannel(int64_t magnitude) {
    const int64_t channel = At(own_.channel);
    const int64_t bias = own_.BiasOf(channel);
    if (bias < INT32_MIN || bias > INT32_MAX) return Fail("a bias that is too large");
    const int64_t largest =
        magnitude * (kLargestInput + std::abs(layer_.input_offset)) + std::abs(bias);
    if (largest > INT32_MAX) return Fail(fmt::format("sums of up to {}, which may wrap", largest));
    const Rescale wanted = own_.RescaleOf(channel);
    const std::optional<Rescale> found =
        made_.rounds_sums ? wanted
                          : LibraryRescale(wanted, rounding_, -largest, largest,
                                           own_.low - own_.zero_point, own_.high - own_.zero_point);
    if (!found) {
      if (own_.rounding == Rounding::kTwice || own_.rounding == Rounding::kOnce)
        return Fail(fmt::format("the library rounds {}: its results would differ",
                                rounding_ == CmsisRounding::kTwice ? "twice" : "once"));
      return Fail("the library rounds its sums differently");
    }
    made_.bias.push_back(static_cast<int32_t>(bias));
    made_.multiplier.push_back(static_cast<int32_t>(found->multiplier));
    made_.shift.push_back(found->shift);
    return true;
  }

  const OpInfo& info_;
  const CmsisLayer& layer_;
  const Requantise& own_;
  const ConstantReader constants_;
  const CmsisRounding rounding_;
  std::vector<int64_t> places_;
  /// Products of one sum.
  int64_t summed_ = 1;
  CmsisNumbers made_;
  std::string problem_;
};

}  // namespace

std::optional<Rescale> LibraryRescale(const Rescale& wanted, CmsisRounding rounding, int64_t least,
                                      int64_t most, int64_t low, int64_t high) {
  Rescale found = wanted;
  found.rounding = rounding == CmsisRounding::kTwice ? Rounding::kTwice : Rounding::kOnce;
  if (wanted.rounding != Rounding::kTwice && wanted.rounding != Rounding::kOnce)
    return std::nullopt;
  const int64_t most_right = rounding == CmsisRounding::kTwice ? kMostRight : kMostRightOnce;
  // If a sum is shifted by more bits than the library can shift, the result is 0.
  if (-found.shift > most_right) {
    found.multiplier = 0;
    found.shift = 0;
  }
  // A shift to the left, and the sum of the result and the output's offset, must fit in int32.
  const int64_t magnitude = std::max(std::abs(least), std::abs(most));
  const auto left = static_cast<int64_t>(std::max(found.shift, 0));
  constexpr int64_t kMostResult = INT32_MAX - 1024;
  if (left > kMostRight || magnitude > INT32_MAX >> left) return std::nullopt;
  const std::optional<int64_t> first = found.Of(least);
  const std::optional<int64_t> last = found.Of(most);
  if (!first || !last || *first < -kMostResult || *last > kMostResult) return std::nullopt;
  if (!AreEqual(wanted, found, least, most, low, high)) return std::nullopt;
  return found;
}

bool CmsisNumbers::IsUniform() const {
  const auto same = [](const std::vector<int32_t>& all) {
    return std::all_of(all.begin(), all.end(), [&](int32_t value) { return value == all[0]; });
  };
  return same(multiplier) && same(shift);
}

std::optional<CmsisNumbers> ReadCmsisNumbers(const OpInfo& info, const CmsisLayer& layer,
                                             std::span<const Constant* const> constants,
                                             CmsisRounding rounding, std::string* problem) {
  return NumberReader(info, layer, constants, rounding).Read(problem);
}

}  // namespace tenon
