// RESIZE_BILINEAR: each element of the output is the mean of the four nearest elements of the
// input, weighted by their distances. Integers have weights of 10 bits.

#include <algorithm>
#include <cmath>
#include <string>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

namespace {

constexpr int kWeightBits = 10;
constexpr int32_t kOneWeight = 1 << kWeightBits;

/// The neighbours of a place along one axis. `part` is the distance from the lower one.
struct Between {
  int64_t lower = 0;
  int64_t upper = 0;
  double part = 0;
};

bool HasOption(const OperatorCode& code, std::string_view option) {
  return code.attributes().Int(option) != 0;
}

/// In float arithmetic, like TensorFlow Lite.
std::vector<Between> FloatPlaces(const OperatorCode& code, int64_t input, int64_t output) {
  const bool align = HasOption(code, "align_corners") && output > 1;
  const float scale = align ? static_cast<float>(input - 1) / static_cast<float>(output - 1)
                            : static_cast<float>(input) / static_cast<float>(output);
  std::vector<Between> places;
  for (int64_t o = 0; o < output; ++o) {
    const auto at = static_cast<float>(o);
    const float real =
        HasOption(code, "half_pixel_centers") ? (at + 0.5F) * scale - 0.5F : at * scale;
    const auto lower = std::max<int64_t>(static_cast<int64_t>(std::floor(real)), 0);
    const auto upper = std::min<int64_t>(static_cast<int64_t>(std::ceil(real)), input - 1);
    places.push_back({std::min(lower, input - 1), std::max<int64_t>(upper, 0),
                      double{real - static_cast<float>(lower)}});
  }
  return places;
}

/// Distances are in units of 2^-10.
std::vector<Between> IntegerPlaces(const OperatorCode& code, int64_t input, int64_t output) {
  const bool align = HasOption(code, "align_corners") && output > 1;
  const int64_t from = align ? input - 1 : input;
  const int64_t to = align ? output - 1 : output;
  const int64_t scale = (kOneWeight * from + to / 2) / to;
  std::vector<Between> places;
  for (int64_t o = 0; o < output; ++o) {
    const int64_t offset = HasOption(code, "half_pixel_centers") ? scale / 2 - kOneWeight / 2 : 0;
    const int64_t scaled = o * scale + offset;
    const int64_t lower = std::max<int64_t>(scaled / kOneWeight, 0);
    const int64_t upper = std::min<int64_t>((scaled + kOneWeight - 1) / kOneWeight, input - 1);
    places.push_back({std::min(lower, input - 1), std::max<int64_t>(upper, 0),
                      static_cast<double>(scaled - kOneWeight * lower)});
  }
  return places;
}

/// The neighbours of the places of an axis, as constants.
class Neighbours {
 public:
  Neighbours(OperatorCode& code, std::string_view name, const std::vector<Between>& places,
             bool is_float) {
    std::vector<int32_t> lower, upper, parts;
    std::vector<float> real_parts;
    for (const Between& place : places) {
      lower.push_back(static_cast<int32_t>(place.lower));
      upper.push_back(static_cast<int32_t>(place.upper));
      parts.push_back(static_cast<int32_t>(place.part));
      real_parts.push_back(static_cast<float>(place.part));
    }
    const std::string prefix(name);
    lower_ = IntConstant(code, prefix + "_lower", lower);
    upper_ = IntConstant(code, prefix + "_upper", upper);
    parts_ = is_float ? FloatConstant(code, prefix + "_parts", real_parts)
                      : IntConstant(code, prefix + "_parts", parts);
  }

  Value Lower(Value o) const { return lower_({o}); }
  Value Upper(Value o) const { return upper_({o}); }
  Value Part(Value o) const { return parts_({o}); }

 private:
  Array lower_, upper_, parts_;
};

/// The sum of the four elements times their weights, in the order of TensorFlow Lite.
Value WeightedSum(OperatorCode& code, const Neighbours& rows, const Neighbours& columns,
                  const std::vector<Value>& at, DataType sums) {
  const Array from = code.In(0);
  const Value down = Cast(sums, rows.Part(at[1]));
  const Value right = Cast(sums, columns.Part(at[2]));
  const Value one = code.Number(sums, sums.is_floating() ? 1 : kOneWeight);
  const auto term = [&](Value row, Value column, Value by_row, Value by_column) {
    return Cast(sums, from({at[0], row, column, at[3]})) * by_row * by_column;
  };
  const Value top = rows.Lower(at[1]), bottom = rows.Upper(at[1]);
  const Value left = columns.Lower(at[2]), far = columns.Upper(at[2]);
  return term(top, left, one - down, one - right) + term(bottom, left, down, one - right) +
         term(top, far, one - down, right) + term(bottom, far, down, right);
}

}  // namespace

absl::Status BuildResizeBilinear(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(1, 2); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  constexpr int64_t kMost = 1 << 20;
  if (x.rank() != 4 || output.rank() != 4 || x.elements() == 0 || output.elements() == 0 ||
      x.shape[0] != output.shape[0] || x.shape[3] != output.shape[3] ||
      std::max(output.shape[1], output.shape[2]) > kMost)
    return code.Wrong("expected an input and an output of 4 dimensions with matching shapes");
  const bool is_float = x.dtype == kFloat32 || x.dtype == DataType::UInt(8);
  if (x.dtype != output.dtype || (!is_float && x.dtype != kInt8 && x.dtype != kInt16))
    return UnsupportedTypes(code);
  const auto places = is_float ? &FloatPlaces : &IntegerPlaces;
  const Neighbours rows(code, "rows", places(code, x.shape[1], output.shape[1]), is_float);
  const Neighbours columns(code, "columns", places(code, x.shape[2], output.shape[2]), is_float);
  const DataType sums = is_float ? kFloat32 : kInt64;
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    const Value sum = WeightedSum(code, rows, columns, at, sums);
    if (x.dtype == kFloat32) return sum;
    if (is_float) return Cast(output.dtype, Cast(kInt32, sum + code.Number(sums, 0.5)));
    // To the nearest, with ties away from zero.
    const Value total = code.Once(sum);
    const Value half = Select(code.Integer(sums, 0) < total, code.Integer(sums, 1 << 19),
                              code.Integer(sums, -(1 << 19)));
    return Cast(output.dtype, Div(total + half, int64_t{1} << (2 * kWeightBits)));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
