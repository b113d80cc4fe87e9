#include "frontends/graph/short_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "frontends/graph/quantized.h"
#include "frontends/graph/refusals.h"
#include "support/little_endian.h"

namespace tenon::graph {

namespace {

constexpr DataType kUInt16 = DataType::UInt(16);

constexpr int kSteps = 512;
/// Inputs between two entries of a ShortTable.
constexpr int kStepBits = 7;

/// Measured from the outputs of TANH. Most entries are the rounded values of the function; 44 are
/// greater by one.
constexpr std::array<uint16_t, 256> kSigmoid = {
    32768, 33451, 34133, 34813, 35493, 36169, 36843, 37513, 38180, 38841, 39498, 40149, 40794,
    41432, 42064, 42688, 43304, 43912, 44511, 45102, 45683, 46255, 46817, 47369, 47911, 48443,
    48964, 49475, 49975, 50464, 50942, 51409, 51865, 52311, 52745, 53169, 53581, 53983, 54374,
    54755, 55125, 55485, 55834, 56174, 56503, 56823, 57133, 57433, 57724, 58007, 58280, 58544,
    58800, 59048, 59288, 59519, 59743, 59959, 60168, 60370, 60565, 60753, 60935, 61110, 61279,
    61441, 61599, 61750, 61896, 62036, 62172, 62302, 62428, 62549, 62666, 62778, 62886, 62990,
    63090, 63186, 63279, 63368, 63454, 63536, 63615, 63691, 63765, 63835, 63903, 63968, 64030,
    64090, 64148, 64204, 64257, 64308, 64357, 64405, 64450, 64494, 64536, 64576, 64614, 64652,
    64687, 64721, 64754, 64786, 64816, 64845, 64873, 64900, 64926, 64950, 64974, 64997, 65019,
    65039, 65060, 65079, 65097, 65115, 65132, 65149, 65164, 65179, 65194, 65208, 65221, 65234,
    65246, 65258, 65269, 65280, 65291, 65301, 65310, 65319, 65328, 65337, 65345, 65352, 65360,
    65367, 65374, 65381, 65387, 65393, 65399, 65404, 65410, 65415, 65420, 65425, 65429, 65433,
    65438, 65442, 65445, 65449, 65453, 65456, 65459, 65462, 65465, 65468, 65471, 65474, 65476,
    65479, 65481, 65483, 65485, 65488, 65489, 65491, 65493, 65495, 65497, 65498, 65500, 65501,
    65503, 65504, 65505, 65507, 65508, 65509, 65510, 65511, 65512, 65513, 65514, 65515, 65516,
    65517, 65517, 65518, 65519, 65520, 65520, 65521, 65522, 65522, 65523, 65523, 65524, 65524,
    65525, 65525, 65526, 65526, 65526, 65527, 65527, 65528, 65528, 65528, 65529, 65529, 65529,
    65529, 65530, 65530, 65530, 65530, 65531, 65531, 65531, 65531, 65531, 65532, 65532, 65532,
    65532, 65532, 65532, 65533, 65533, 65533, 65533, 65533, 65533, 65533, 65533, 65534, 65534,
    65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65535,
};

template <class T, class Numbers>
std::vector<uint8_t> BytesOf(const Numbers& numbers) {
  std::string bytes;
  for (const auto number : numbers) AppendLittleEndian(static_cast<T>(number), &bytes);
  return {bytes.begin(), bytes.end()};
}

/// A rounded number as an int16. A NaN, as of two infinities, gives 0.
template <class T>
int16_t Entry(T rounded) {
  constexpr T kLow = std::numeric_limits<int16_t>::min();
  constexpr T kHigh = std::numeric_limits<int16_t>::max();
  return std::isnan(rounded) ? int16_t{0} : static_cast<int16_t>(std::clamp(rounded, kLow, kHigh));
}

/// The entries for inputs from `low` to `high`, in the arithmetic of T. 65536 numbers stand for an
/// interval of outputs, `size` long.
template <class T>
std::vector<int16_t> Entries(T low, T high, T size, const std::function<T(T x)>& of) {
  const T inverse = T{65536} / size;
  const T step = (high - low) / kSteps;
  std::vector<int16_t> entries;
  for (int i = 0; i < kSteps; ++i) {
    const T at = low + static_cast<T>(i) * step;
    const T first = std::round(of(at) * inverse);
    const T next = of(low + static_cast<T>(i + 1) * step) * inverse;
    const T middle = std::round((next + first) / 2);
    const T error = middle - std::round(of(at + step / 2) * inverse);
    entries.push_back(Entry(first - std::round(error / 2)));
  }
  entries.push_back(Entry(std::round(of(high) * inverse)));
  return entries;
}

/// The real number that an int16 stands for.
float RealAt(const Tensor& tensor, int64_t number) {
  return tensor.quantization.scale() *
         static_cast<float>(number - tensor.quantization.zero_point());
}

}  // namespace

ShortTable::ShortTable(Code& code, std::string_view name, RealRange from,
                       const std::function<double(double x)>& of)
    : table_(code.Constant(name, kInt16, {kSteps + 1},
                           BytesOf<int16_t>(Entries<double>(from.low, from.high, 2, of)))) {}

ShortTable::ShortTable(Code& code, std::string_view name, const Tensor& from, const Tensor& to,
                       const std::function<float(float x)>& of) {
  constexpr int64_t kLow = std::numeric_limits<int16_t>::min();
  constexpr int64_t kHigh = std::numeric_limits<int16_t>::max();
  const float size = RealAt(to, kHigh) - RealAt(to, kLow);
  const std::vector<int16_t> entries =
      Entries<float>(RealAt(from, kLow), RealAt(from, kHigh), size, of);
  for (size_t i = 0; i < kSteps; ++i) {
    const int slope = entries[i + 1] - entries[i];
    wraps_ = wraps_ || slope != static_cast<int16_t>(slope);
  }
  table_ = code.Constant(name, kInt16, {kSteps + 1}, BytesOf<int16_t>(entries));
}

Value ShortTable::operator()(Value x) const {
  const Value index = (x >> kStepBits) + kSteps / 2;
  const Value first = Cast(kInt32, table_({index}));
  const Value difference = Cast(kInt32, table_({index + 1})) - first;
  const Value slope = wraps_ ? Cast(kInt32, Cast(kInt16, difference)) : difference;
  const Value along = FloorMod(x, 1 << kStepBits);
  return first + ((slope * along + (1 << (kStepBits - 1))) >> kStepBits);
}

SigmoidTable::SigmoidTable(OperatorCode& code, int32_t multiplier, int shift)
    : code_(&code),
      multiplier_(multiplier),
      shift_(shift),
      table_(code.Constant("sigmoid", kUInt16, {static_cast<int64_t>(kSigmoid.size())},
                           BytesOf<uint16_t>(kSigmoid))) {}

absl::StatusOr<SigmoidTable> SigmoidTable::Make(OperatorCode& code, int most_shift) {
  const Quantization& input = code.input(0).quantization;
  if (!HasScale(code.input(0))) return UnsupportedScales(code);
  if (input.zero_point() != 0) {
    return code.Wrong(
        fmt::format("expected an input with the zero point 0, found {}", input.zero_point()));
  }
  int exponent = 0;
  if (IsPowerOfTwo(input.scale(), exponent) && exponent >= -12 && exponent <= -12 + most_shift)
    return SigmoidTable(code, 3 << (exponent + 12), 0);
  double multiplier = double{input.scale()} * 4096.0 * 3.0;
  int shift = 0;
  for (; multiplier <= 32767.0 / 2.0 && shift <= 30; ++shift) multiplier *= 2;
  // Products of int16 and the multiplier are int32.
  if (multiplier < 1 || multiplier >= 65536)
    return code.Unsupported(
        fmt::format("an input's scale below 2^-44, or of 5.33 or more, as {}", input.scale()));
  return SigmoidTable(code, static_cast<int32_t>(multiplier), shift);
}

Value SigmoidTable::Input(Value x) const {
  const Value product = Cast(kInt32, x) * multiplier_;
  if (shift_ == 0) return product;
  return (product + (int64_t{1} << (shift_ - 1))) >> shift_;
}

Value SigmoidTable::Magnitude(Value steps, int bits, int64_t most) const {
  const Value entry = steps >> bits;
  const Value index = Min(entry, static_cast<int64_t>(kSigmoid.size()) - 2);
  const Value first = Cast(kInt32, table_({index}));
  const Value next = Cast(kInt32, table_({index + 1}));
  const Value line = (first << bits) + FloorMod(steps, int64_t{1} << bits) * (next - first);
  return Select(entry < static_cast<int64_t>(kSigmoid.size()) - 1, line, code_->Int(most));
}

bool IsPowerOfTwo(float scale, int& exponent) {
  // In float arithmetic, like TensorFlow Lite.
  const float power = std::log(scale) * (1.0F / std::log(2.0F));
  const float rounded = std::round(power);
  exponent = static_cast<int>(rounded);
  return std::abs(power - rounded) < 1e-3F;
}

}  // namespace tenon::graph
