// All roundings increase with the sum, so the sums at which the result changes describe them
// completely. There are closed forms for these sums, except for float32, for which a search finds
// them.

#include "byoc/requantise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace tenon {

namespace {

__extension__ using Wide = __int128;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

constexpr std::array kRoundings = {
    std::pair{Rounding::kTwice, std::string_view("tflite")},
    std::pair{Rounding::kOnce, std::string_view("once")},
    std::pair{Rounding::kFloat, std::string_view("onnxruntime")},
    std::pair{Rounding::kTable, std::string_view("exact")},
    std::pair{Rounding::kQuotient, std::string_view("quotient")},
};
constexpr std::array kSums = {
    std::pair{QuantisedSum::kDot, std::string_view("dot")},
    std::pair{QuantisedSum::kAdd, std::string_view("add")},
    std::pair{QuantisedSum::kProduct, std::string_view("mul")},
    std::pair{QuantisedSum::kInput, std::string_view("input")},
    std::pair{QuantisedSum::kSum, std::string_view("sum")},
    std::pair{QuantisedSum::kMax, std::string_view("max")},
};

/// Names and values, both ways.
template <class Value, size_t count>
using NameTable = std::array<std::pair<Value, std::string_view>, count>;

template <class Value, size_t count>
std::string_view NameIn(const NameTable<Value, count>& table, Value value) {
  for (const auto& [own, name] : table) {
    if (own == value) return name;
  }
  return {};
}

template <class Value, size_t count>
std::optional<Value> Named(const NameTable<Value, count>& table, std::string_view name) {
  for (const auto& [value, own] : table) {
    if (own == name) return value;
  }
  return std::nullopt;
}

Wide CeilingOf(Wide a, Wide b) {
  const Wide quotient = a / b;
  return quotient * b < a ? quotient + 1 : quotient;
}

std::optional<int64_t> InRange(Wide value) {
  if (value > kMost || value < kLeast) return std::nullopt;
  return static_cast<int64_t>(value);
}

/// a * 2^-bits, rounded down.
Wide Shifted(Wide a, int bits) { return bits >= 0 ? a >> bits : a * (Wide{1} << -bits); }

}  // namespace

std::string_view NameOf(Rounding rounding) { return NameIn(kRoundings, rounding); }
std::optional<Rounding> RoundingNamed(std::string_view name) { return Named(kRoundings, name); }
std::string_view NameOf(QuantisedSum sum) { return NameIn(kSums, sum); }
std::optional<QuantisedSum> QuantisedSumNamed(std::string_view name) { return Named(kSums, name); }

std::optional<int64_t> Rescale::Of(int64_t sum) const {
  if (rounding == Rounding::kTwice) {
    const Wide shifted = Wide{sum} << std::clamp(shift, 0, 31);
    const Wide high = (shifted * multiplier + (Wide{1} << 30)) >> 31;
    const int right = std::clamp(-shift, 0, 62);
    if (right == 0) return InRange(high);
    return InRange((high + (Wide{1} << (right - 1)) - (high < 0 ? 1 : 0)) >> right);
  }
  if (rounding == Rounding::kOnce) {
    const int right = std::clamp(31 - shift, 0, 93);
    if (right == 0) return InRange(Wide{sum} * multiplier);
    return InRange((Wide{sum} * multiplier + (Wide{1} << (right - 1))) >> right);
  }
  if (rounding == Rounding::kFloat) {
    const float product = static_cast<float>(sum) * static_cast<float>(scale);
    // Magnitudes of 2^62 and more are far beyond every clamp.
    const double limit = std::ldexp(1.0, 62);
    return static_cast<int64_t>(
        std::clamp(std::nearbyint(static_cast<double>(product)), -limit, limit));
  }
  return std::nullopt;
}

std::optional<int64_t> Rescale::FirstOf(int64_t result) const {
  if (rounding == Rounding::kFloat) {
    if (!(scale > 0)) return std::nullopt;
    constexpr int64_t kLimit = int64_t{1} << 53;
    if (*Of(kLimit) < result || *Of(-kLimit) >= result) return std::nullopt;
    int64_t below = -kLimit, at = kLimit;
    while (at - below > 1) {
      const int64_t middle = below + (at - below) / 2;
      (*Of(middle) >= result ? at : below) = middle;
    }
    return at;
  }
  // With these limits, no number below exceeds 128 bits.
  constexpr int64_t kMostResult = int64_t{1} << 31;
  if (multiplier <= 0 || result > kMostResult || result < -kMostResult) return std::nullopt;
  if (rounding == Rounding::kOnce) {
    const int right = std::clamp(31 - shift, 0, 93);
    const Wide half = right == 0 ? 0 : Wide{1} << (right - 1);
    return InRange(CeilingOf(Shifted(result, -right) - half, multiplier));
  }
  if (rounding != Rounding::kTwice) return std::nullopt;
  const int right = std::clamp(-shift, 0, 62);
  Wide high = result;
  if (right > 0) {
    // Ties of negative numbers are rounded down.
    high = Shifted(result, -right) - (Wide{1} << (right - 1)) + (result <= 0 ? 1 : 0);
  }
  const Wide shifted = CeilingOf(high * (Wide{1} << 31) - (Wide{1} << 30), multiplier);
  return InRange(CeilingOf(shifted, Wide{1} << std::clamp(shift, 0, 31)));
}

Rescale Requantise::RescaleOf(int64_t channel) const {
  Rescale rescale;
  rescale.rounding = rounding;
  if (!multiplier.empty()) rescale.multiplier = Of(multiplier, channel);
  if (!shift.empty()) rescale.shift = static_cast<int>(Of(shift, channel));
  if (!scale.empty()) rescale.scale = Of(scale, channel);
  return rescale;
}

int64_t Requantise::Output(int64_t sum, int64_t channel) const {
  if (rounding == Rounding::kTable) {
    const std::vector<int64_t>& own =
        steps.size() == 1 ? steps[0] : steps[static_cast<size_t>(channel)];
    return low + (std::upper_bound(own.begin(), own.end(), sum) - own.begin());
  }
  const std::optional<int64_t> product = RescaleOf(channel).Of(sum);
  // A product beyond int64 has the sign of the sum, because multipliers are not negative.
  if (!product) return sum < 0 ? low : high;
  return static_cast<int64_t>(std::clamp<Wide>(Wide{*product} + zero_point, Wide{low}, Wide{high}));
}

bool AreEqual(const Rescale& a, const Rescale& b, int64_t least, int64_t most, int64_t low,
              int64_t high) {
  if (a == b) return true;
  const auto clamped = [&](const Rescale& one, int64_t sum) -> std::optional<int64_t> {
    const std::optional<int64_t> value = one.Of(sum);
    if (!value) return std::nullopt;
    return std::clamp(*value, low, high);
  };
  const std::optional<int64_t> first = clamped(a, least);
  const std::optional<int64_t> last = clamped(a, most);
  if (!first || !last || clamped(b, least) != first || clamped(b, most) != last) return false;
  for (int64_t result = *first + 1; result <= *last; ++result) {
    const std::optional<int64_t> one = a.FirstOf(result);
    if (!one || one != b.FirstOf(result)) return false;
  }
  return true;
}

}  // namespace tenon
