// BATCH_MATMUL: the product of matrices in the last two axes. `adj_x` and `adj_y` transpose the
// factors. Leading extents of 1 are repeated. Floats times int8 make the rows of the first factor
// integers at run time.

#include <algorithm>
#include <functional>
#include <optional>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/hybrid.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"

namespace tenon::graph {

namespace {

class Matmul {
 public:
  static absl::StatusOr<Matmul> Make(OperatorCode& code) {
    if (absl::Status status = code.CheckCounts(2, 2); !status.ok()) return status;
    Matmul made(code);
    if (absl::Status status = made.CheckShapes(); !status.ok()) return status;
    return made;
  }

  void Write(const std::function<Value(const Array& sum, const std::vector<Value>& at)>& result,
             DataType sums) {
    const Array x = rows_ ? code_->Flat(rows_->values, code_->input(0).shape) : code_->In(0);
    const Array y = code_->In(1);
    const Array to = code_->Out();
    code_->Grid("i", code_->output().shape, [&](const std::vector<Value>& at) {
      const Array sum = code_->Scalar("sum", sums);
      code_->Set(sum, code_->Number(sums, 0));
      code_->For("k", depth_, [&](Value k) {
        const Value a = x.Load(Place(0, at, at[at.size() - 2], k, flip_x_));
        const Value b = y.Load(Place(1, at, k, at.back(), flip_y_));
        const Value product = Cast(sums, Centred(0, a)) * Cast(sums, Centred(1, b));
        code_->Set(sum, code_->Get(sum) + product);
      });
      code_->Store(to, at, result(sum, at));
    });
  }

  /// Scales of the second factor are those of the output's columns, and have zero points of 0.
  absl::Status CheckChannelScales() const {
    const Tensor& y = code_->input(1);
    if (!y.quantization.is_per_axis()) return absl::OkStatus();
    const size_t channels = y.shape.size() - (flip_y_ ? 2 : 1);
    const std::vector<int64_t>& zero_points = y.quantization.zero_points;
    if (y.quantization.axis == static_cast<int64_t>(channels) &&
        static_cast<int64_t>(y.quantization.scales.size()) == y.shape[channels] &&
        std::all_of(zero_points.begin(), zero_points.end(), [](int64_t one) { return one == 0; }))
      return absl::OkStatus();
    return code_->Unsupported("scales along an axis other than the output's");
  }

  absl::Status WriteHybrid() {
    const Tensor& y = code_->input(1);
    if (!HasScales(y) || flip_x_) return UnsupportedTypes(*code_);
    if (absl::Status status = CheckChannelScales(); !status.ok()) return status;
    const bool per_axis = y.quantization.is_per_axis();
    const bool asymmetric = code_->attributes().Int("asymmetric_quantize_inputs") != 0;
    const std::vector<int64_t> shape = {code_->input(0).elements() / depth_, depth_};
    rows_ = QuantizeRows(*code_, code_->Flat(code_->In(0), shape), shape,
                         asymmetric ? RowRange::kAsymmetric : RowRange::kSymmetric);
    const Array scales =
        per_axis ? FloatConstant(*code_, "channel_scale", y.quantization.scales) : Array();
    Write(
        [&](const Array& sum, const std::vector<Value>& at) {
          const Value channel = per_axis ? scales({at.back()})
                                         : code_->Number(kFloat32, double{y.quantization.scale()});
          return Cast(kFloat32, code_->Get(sum)) * (rows_->scales({Row(at)}) * channel);
        },
        kInt32);
    return absl::OkStatus();
  }

 private:
  explicit Matmul(OperatorCode& code)
      : code_(&code),
        flip_x_(code.attributes().Int("adj_x") != 0),
        flip_y_(code.attributes().Int("adj_y") != 0) {}

  absl::Status CheckShapes() {
    const std::vector<int64_t>& x = code_->input(0).shape;
    const std::vector<int64_t>& y = code_->input(1).shape;
    const std::vector<int64_t>& output = code_->output().shape;
    bool fits = x.size() >= 2 && y.size() >= 2 && output.size() == std::max(x.size(), y.size());
    if (fits) {
      depth_ = x[x.size() - (flip_x_ ? 2 : 1)];
      fits = depth_ > 0 && depth_ == y[y.size() - (flip_y_ ? 1 : 2)] &&
             output[output.size() - 2] == x[x.size() - (flip_x_ ? 1 : 2)] &&
             output.back() == y[y.size() - (flip_y_ ? 2 : 1)];
    }
    for (const auto& shape : {x, y}) {
      for (size_t axis = 0; fits && axis + 2 < shape.size(); ++axis) {
        const int64_t extent = output[output.size() - shape.size() + axis];
        fits = shape[axis] == 1 || shape[axis] == extent;
      }
    }
    if (fits) return absl::OkStatus();
    return code_->Wrong("expected matrices that fit each other, found " +
                        code_->input(0).TypeText() + " and " + code_->input(1).TypeText() +
                        " for " + code_->output().TypeText());
  }

  /// The place of an element of a factor. `flipped` says that it is transposed.
  std::vector<Value> Place(size_t input, const std::vector<Value>& at, Value row, Value column,
                           bool flipped) const {
    const std::vector<int64_t>& shape = code_->input(input).shape;
    std::vector<Value> place;
    for (size_t axis = 0; axis + 2 < shape.size(); ++axis) {
      const Value all = at[at.size() - shape.size() + axis];
      place.push_back(shape[axis] == 1 ? code_->Int(0) : all);
    }
    place.push_back(flipped ? column : row);
    place.push_back(flipped ? row : column);
    return place;
  }

  /// The number of the row of the first factor.
  Value Row(const std::vector<Value>& at) const {
    const std::vector<int64_t>& shape = code_->input(0).shape;
    const std::vector<Value> place = Place(0, at, at[at.size() - 2], code_->Int(0), false);
    Value row = code_->Int(0);
    for (size_t axis = 0; axis + 1 < shape.size(); ++axis) row = row * shape[axis] + place[axis];
    return row;
  }

  Value Centred(size_t input, Value element) const {
    const int64_t zero_point = code_->input(input).quantization.zero_point();
    const bool is_plain = element.dtype().is_floating() || zero_point == 0 || rows_ ||
                          code_->output().dtype == kInt32;
    return is_plain ? element : Cast(kInt16, element) - zero_point;
  }

  OperatorCode* code_;
  bool flip_x_;
  bool flip_y_;
  int64_t depth_ = 0;
  /// The integers of a hybrid operator.
  std::optional<QuantizedRows> rows_;
};

absl::Status BuildQuantizedMatmul(OperatorCode& code, Matmul& product) {
  const Tensor& x = code.input(0);
  const Tensor& y = code.input(1);
  const Tensor& output = code.output();
  if (x.dtype != output.dtype || !HasScale(x) || !HasScales(y) || !HasScale(output))
    return UnsupportedScales(code);
  if (absl::Status status = product.CheckChannelScales(); !status.ok()) return status;
  const bool is_wide = x.dtype == kInt16;
  if (is_wide && (x.quantization.zero_point() != 0 || output.quantization.zero_point() != 0))
    return code.Wrong("expected zero points of 0 for int16");
  constexpr double kMostReduced = 1 << 8;
  std::vector<double> scales;
  for (const float of_y : y.quantization.scales) {
    // The product of the factors' scales is a float, as in TensorFlow Lite.
    const float scale = x.quantization.scale() * of_y;
    scales.push_back(double{scale} / double{output.quantization.scale()});
    if (is_wide && !(scales.back() < kMostReduced)) return ScalesTooFarApart(code);
  }
  const std::vector<int64_t> most(scales.size(), int64_t{1} << (is_wide ? 46 : 31));
  const Requantizer requantize(code, is_wide ? Rounding::kReduced : Rounding::kTwice, scales, most,
                               output.quantization.zero_point(), RangeOf(output.dtype));
  product.Write([&](const Array& sum,
                    const std::vector<Value>& at) { return requantize(code.Get(sum), at.back()); },
                is_wide ? kInt64 : kInt32);
  return absl::OkStatus();
}

}  // namespace

absl::Status BuildBatchMatmul(OperatorCode& code) {
  absl::StatusOr<Matmul> product = Matmul::Make(code);
  if (!product.ok()) return product.status();
  const DataType x = code.input(0).dtype;
  const DataType y = code.input(1).dtype;
  const DataType output = code.output().dtype;
  const auto sum = [&](const Array& total, const std::vector<Value>&) { return code.Get(total); };
  if (x == kFloat32 && output == kFloat32) {
    if (y == kInt8) return product->WriteHybrid();
    if (y != kFloat32) return UnsupportedTypes(code);
    product->Write(sum, kFloat32);
    return absl::OkStatus();
  }
  if (x == kInt8 && y == kInt8 && output == kInt32) {
    product->Write(sum, kInt32);
    return absl::OkStatus();
  }
  if ((x != kInt8 && x != kInt16) || (y != kInt8 && y != x)) return UnsupportedTypes(code);
  return BuildQuantizedMatmul(code, *product);
}

}  // namespace tenon::graph
