// RESIZE_NEAREST_NEIGHBOR: each element of the output is the input's nearest one.

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "support/little_endian.h"

namespace tenon::graph {

namespace {

/// The place of the input for each place of the output, in float arithmetic like TensorFlow Lite.
std::vector<int64_t> PlacesOf(const OperatorCode& code, int64_t input, int64_t output) {
  const bool align = code.attributes().Int("align_corners") != 0;
  const bool centers = code.attributes().Int("half_pixel_centers") != 0;
  const float scale = align && output > 1
                          ? static_cast<float>(input - 1) / static_cast<float>(output - 1)
                          : static_cast<float>(input) / static_cast<float>(output);
  std::vector<int64_t> places;
  for (int64_t o = 0; o < output; ++o) {
    const float real = (static_cast<float>(o) + (centers ? 0.5F : 0.0F)) * scale;
    const auto place = static_cast<int64_t>(align ? std::round(real) : std::floor(real));
    places.push_back(std::clamp<int64_t>(place, 0, input - 1));
  }
  return places;
}

/// Gives the place of the input: an expression if one is right for all places, otherwise a table.
class Places {
 public:
  Places(OperatorCode& code, std::string_view name, int64_t input, int64_t output) {
    const std::vector<int64_t> places = PlacesOf(code, input, output);
    factor_ = output >= input ? output / input : 0;
    for (size_t o = 0; factor_ != 0 && o < places.size(); ++o) {
      if (static_cast<int64_t>(o) / factor_ != places[o]) factor_ = 0;
    }
    if (factor_ != 0) return;
    std::string bytes;
    for (const int64_t place : places) AppendLittleEndian(static_cast<int32_t>(place), &bytes);
    table_ = code.Constant(name, DataType::Int(32), {output}, {bytes.begin(), bytes.end()});
  }

  Value operator()(Value o) const { return factor_ != 0 ? FloorDiv(o, factor_) : table_({o}); }

 private:
  int64_t factor_ = 0;
  Array table_;
};

}  // namespace

absl::Status BuildResizeNearestNeighbor(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(1, 2); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  constexpr int64_t kMost = 1 << 20;
  if (x.rank() != 4 || output.rank() != 4 || x.dtype != output.dtype || x.elements() == 0 ||
      x.shape[0] != output.shape[0] || x.shape[3] != output.shape[3] ||
      std::max(output.shape[1], output.shape[2]) > kMost)
    return code.Wrong("expected an input and an output of 4 dimensions with matching shapes");
  const Array from = code.In(0);
  const Places rows(code, "rows", x.shape[1], output.shape[1]);
  const Places columns(code, "columns", x.shape[2], output.shape[2]);
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    return from({at[0], rows(at[1]), columns(at[2]), at[3]});
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
