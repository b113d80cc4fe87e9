#ifndef TENON_BYOC_REQUANTISE_H_
#define TENON_BYOC_REQUANTISE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/analysis/linear_index.h"

// The member `requantise` of a claim: a quantised operator as zero points, multipliers, shifts,
// rounding and clamp, which accelerators compute with. docs/reference/requantise.md describes it.

namespace tenon {

/// How a sum becomes an integer of the output's scale. Results are exact for all integers.
enum class Rounding : uint8_t {
  /// `tflite`: the sum is shifted to the left by max(shift, 0). The product with the multiplier is
  /// divided by 2^31, to the nearest, with ties up. The quotient is divided by 2^max(-shift, 0), to
  /// the nearest, with ties away from zero.
  kTwice,
  /// `once`: sum * multiplier / 2^(31 - shift), to the nearest, with ties up.
  kOnce,
  /// `onnxruntime`: float32(sum) * scale in float32, to the nearest, with ties to even.
  kFloat,
  /// `exact`: the number of `steps` that the sum reaches, from the clamp's least integer on.
  kTable,
  /// `quotient`: the sum divided by the number of the window's places that are inside of the input,
  /// to the nearest, with ties away from zero.
  kQuotient,
};

/// The name of a rounding in claims, and the other way round.
std::string_view NameOf(Rounding rounding);
std::optional<Rounding> RoundingNamed(std::string_view name);

/// One multiplication by a real number, as integers. Only the fields of the rounding are used.
struct Rescale {
  Rounding rounding = Rounding::kOnce;
  int64_t multiplier = 0;
  /// Bits to the left; negative numbers are bits to the right.
  int shift = 0;
  double scale = 0;

  /// The rounded product; nullopt for kTable and kQuotient.
  std::optional<int64_t> Of(int64_t sum) const;
  /// The least sum whose product is at least `result`. Nullopt if no int64 has such a product, or
  /// if all products are equal.
  std::optional<int64_t> FirstOf(int64_t result) const;

  bool operator==(const Rescale&) const = default;
};

/// The sum that is requantised.
enum class QuantisedSum : uint8_t {
  kDot,      ///< `dot`: bias + the sum of (input - zero_point) * (weights - zero_point)
  kAdd,      ///< `add`: the sum of both inputs' own rescaled integers
  kProduct,  ///< `mul`: (a - zero_point) * (b - zero_point)
  kInput,    ///< `input`: input - zero_point
  kSum,      ///< `sum`: bias + the sum of (input - zero_point) over the reduced loops
  kMax,      ///< `max`: the greatest input - zero_point over the reduced loops
};
std::string_view NameOf(QuantisedSum sum);
std::optional<QuantisedSum> QuantisedSumNamed(std::string_view name);

/// An input of the sum.
struct QuantisedInput {
  /// The access of the claim.
  int access = -1;
  int64_t zero_point = 0;
  /// For QuantisedSum::kAdd: the integer minus its zero point, times 2^left_shift, is rescaled with
  /// Rounding::kTwice or kOnce, and then added, or subtracted.
  int left_shift = 0;
  Rescale rescale = {};
  bool is_subtracted = false;

  bool operator==(const QuantisedInput&) const = default;
};

/// A quantised operator. Its result is
///
///   clamp(rescale(sum) + zero_point, low, high)
///
/// for all inputs. Lists have one number, or one for each channel. No sum or partial sum, in any
/// order, exceeds `sums`, so an accumulator of that range never wraps.
struct Requantise {
  QuantisedSum sum = QuantisedSum::kDot;
  std::vector<QuantisedInput> inputs;
  /// The channel of an output, from the loops of the claim's store.
  LinearIndex channel;
  /// The number of channels; 1 without any.
  int64_t channels = 1;
  /// Empty: 0.
  std::vector<int64_t> bias;
  int64_t least_sum = 0, most_sum = 0;

  Rounding rounding = Rounding::kOnce;
  std::vector<int64_t> multiplier, shift;
  /// Only for Rounding::kFloat.
  std::vector<double> scale;
  /// Only for Rounding::kTable: ascending sums for each channel.
  std::vector<std::vector<int64_t>> steps;

  int64_t zero_point = 0;
  int64_t low = 0, high = 0;

  /// The number of a list for a channel.
  template <class T>
  static T Of(const std::vector<T>& list, int64_t channel) {
    return list.size() == 1 ? list[0] : list[static_cast<size_t>(channel)];
  }
  int64_t BiasOf(int64_t channel) const { return bias.empty() ? 0 : Of(bias, channel); }
  Rescale RescaleOf(int64_t channel) const;
  /// The output for a sum, which contains the bias. Not for Rounding::kQuotient.
  int64_t Output(int64_t sum, int64_t channel) const;

  bool operator==(const Requantise&) const = default;
};

/// True if both give the same clamped results for all sums from `least` to `most`. Proven at each
/// step of the result.
bool AreEqual(const Rescale& a, const Rescale& b, int64_t least, int64_t most, int64_t low,
              int64_t high);

}  // namespace tenon

#endif  // TENON_BYOC_REQUANTISE_H_
