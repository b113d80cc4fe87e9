// Conv, ConvInteger, QLinearConv and ConvTranspose over 1 to 3 axes. Weights are [channels,
// channels of a group, kernel...] in both layouts. Weights of ConvTranspose are [channels of the
// input, channels of a group of the output, kernel...]. In the layout NHWC, constant weights are
// stored with the output's channels innermost, for loops in lanes.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "frontends/graph/axis_order.h"
#include "frontends/graph/convolution.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/plain/plain.h"
#include "frontends/graph/plain/products.h"
#include "frontends/graph/plain/quantized_products.h"
#include "frontends/graph/plain/scaled_result.h"
#include "frontends/graph/plain/sliding.h"
#include "frontends/graph/refusals.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

/// The shapes of a convolution.
struct ConvShape {
  ImageShape image;
  int64_t groups = 1;
  /// The first two axes of the weights, and the others.
  int64_t first = 1;
  int64_t second = 1;
  std::vector<int64_t> kernel;
};

/// The place of the weights among the inputs.
size_t WeightsInput(const OperatorView& op) {
  return op.op().kind == "qlinear_conv" ? kQuantizedInputs.right : 1;
}

absl::StatusOr<ConvShape> ConvShapeOf(const OperatorView& op) {
  ConvShape made;
  TENON_ASSIGN_OR(made.image, ImageOf(op));
  const Tensor& weights = op.input(WeightsInput(op));
  if (weights.rank() != op.input(0).rank() || weights.elements() == 0)
    return op.Wrong(fmt::format("expected weights of {} dimensions, found {}", op.input(0).rank(),
                                weights.TypeText()));
  made.first = weights.shape[0];
  made.second = weights.shape[1];
  made.kernel.assign(weights.shape.begin() + 2, weights.shape.end());
  made.groups = op.attributes().Int("group", 1);
  if (made.groups < 1 || made.first % made.groups != 0)
    return op.Wrong(
        fmt::format("expected groups that divide {} channels, found {}", made.first, made.groups));
  return made;
}

absl::Status CheckBias(const OperatorView& op, size_t input, int64_t channels) {
  if (!op.HasInput(input)) return absl::OkStatus();
  const Tensor& bias = op.input(input);
  if (bias.rank() == 1 && bias.shape[0] == channels) return absl::OkStatus();
  return op.Wrong(
      fmt::format("expected a bias of {} elements, found {}", channels, bias.TypeText()));
}

absl::StatusOr<ConvShape> CheckedConv(const OperatorView& op) {
  TENON_ASSIGN_OR(ConvShape shape, ConvShapeOf(op));
  if (shape.image.channels == shape.second * shape.groups) return shape;
  return op.Wrong(fmt::format("expected an input of {} channels in {} groups, found {}",
                              shape.second * shape.groups, shape.groups, op.input(0).TypeText()));
}

absl::StatusOr<ConvShape> CheckedTransposedConv(const OperatorView& op) {
  TENON_ASSIGN_OR(ConvShape shape, ConvShapeOf(op));
  if (shape.image.channels == shape.first) return shape;
  return op.Wrong(fmt::format("expected an input of {} channels, found {}", shape.first,
                              op.input(0).TypeText()));
}

absl::StatusOr<Shapes> ShapeOfImage(ImageShape image, int64_t channels,
                                    std::vector<int64_t> extents) {
  image.channels = channels;
  image.extents = std::move(extents);
  return Shapes{image.Shape()};
}

void SetInput(OperatorCode& code, Convolution& sums) {
  sums.input = [from = code.In(0), last = sums.channels_last](Value batch, Value channel,
                                                              const std::vector<Value>& at) {
    return from.Load(ImagePlace(last, batch, channel, at));
  };
}

/// Writes a convolution. `bias` is the place of the bias among the inputs, which may be absent;
/// `result` makes the element of the output of a sum.
void WriteProducts(OperatorCode& code, Convolution& sums, const Products& products, size_t bias,
                   const std::function<Value(Value sum, Value channel)>& result) {
  SetInput(code, sums);
  Array addends;
  if (code.HasInput(bias)) addends = code.In(bias);
  sums.new_sum = [&] { return products.NewSum(); };
  sums.add_product = [&](const Array& sum, Value x, Value weight, Value channel) {
    products.Add(sum, x, weight, code.Int(0), channel);
  };
  sums.result = [&](const Array& sum, Value, Value channel) {
    Value total = code.Get(sum);
    if (addends.exists()) total = total + Cast(products.dtype(), addends({channel}));
    return result(total, channel);
  };
  WriteConvolution(code, sums);
}

/// The weights of a convolution.
class Kernel {
 public:
  /// `outer` is the axis of the weights, 0 or 1, for the channels of the input.
  Kernel(OperatorCode& code, const ConvShape& shape, size_t outer) : outer_(outer) {
    const Tensor& weights = code.input(WeightsInput(code));
    is_ordered_ = shape.image.channels_last && weights.data.has_value();
    if (!is_ordered_) {
      array_ = code.In(WeightsInput(code));
      return;
    }
    AxisOrder order;
    for (size_t axis = 2; axis < weights.shape.size(); ++axis) order.push_back(axis);
    order.insert(order.end(), {outer, 1 - outer});
    array_ = code.Constant(IdentifierOf(weights, "weights"), weights.dtype,
                           Ordered(weights.shape, order), OrderedBytes(weights, order));
  }

  /// The element at indices of the weights' first two axes and a place of the kernel.
  Value Load(Value first, Value second, const std::vector<Value>& place) const {
    if (!is_ordered_) return array_.Load(ImagePlace(false, first, second, place));
    std::vector<Value> at = place;
    at.push_back(outer_ == 0 ? first : second);
    at.push_back(outer_ == 0 ? second : first);
    return array_.Load(at);
  }

 private:
  size_t outer_;
  bool is_ordered_ = false;
  Array array_;
};

/// A convolution over a window that slides, without its sums. The window must outlive it.
Convolution SlidingSums(OperatorCode& code, const ConvShape& shape, const SlidingWindow& window) {
  Convolution sums;
  sums.batches = shape.image.batches;
  sums.groups = shape.groups;
  sums.channels = shape.first;
  sums.depth = shape.second;
  sums.extents = window.extents;
  sums.channels_last = shape.image.channels_last;
  sums.for_each_place = [&](std::span<const Value> output, const WindowBody& body) {
    window.window.ForEachPlace(code, output, body);
  };
  const Kernel kernel(code, shape, 1);
  sums.weight = [kernel](Value channel, Value ci, const std::vector<Value>& place) {
    return kernel.Load(channel, ci, place);
  };
  return sums;
}

constexpr size_t kNoBias = std::numeric_limits<size_t>::max();

/// A bound for the products in a sum.
int64_t ProductsOf(const ConvShape& shape) {
  int64_t products = std::max(shape.first, shape.second);
  for (const int64_t extent : shape.kernel) products *= extent;
  return products;
}

/// Writes a convolution of integers with scales.
absl::Status WriteQuantized(OperatorCode& code, Convolution& sums, size_t channel_axis,
                            int64_t depth) {
  TENON_ASSIGN_OR(const QuantizedProducts products,
                  QuantizedProducts::Make(code, channel_axis, sums.channels, depth));
  SetInput(code, sums);
  sums.new_sum = [&] { return products.NewSum(); };
  sums.add_product = [&](const Array& sum, Value x, Value weight, Value channel) {
    products.Add(sum, x, weight, channel);
  };
  sums.result = [&](const Array& sum, Value, Value channel) {
    return products.Result(sum, channel);
  };
  WriteConvolution(code, sums);
  return absl::OkStatus();
}

absl::Status BuildQuantizedConv(OperatorCode& code) {
  TENON_ASSIGN_OR(const ConvShape shape, CheckedConv(code));
  TENON_TRY(CheckBias(code, 2, shape.first));
  TENON_ASSIGN_OR(const SlidingWindow window,
                  SlidingWindowOf(code, shape.image.extents, shape.kernel));
  Convolution sums = SlidingSums(code, shape, window);
  return WriteQuantized(code, sums, 0, ProductsOf(shape));
}

}  // namespace

absl::StatusOr<Shapes> ShapeOfConv(const OperatorView& op) {
  TENON_ASSIGN_OR(const ConvShape shape, CheckedConv(op));
  TENON_ASSIGN_OR(SlidingWindow window, SlidingWindowOf(op, shape.image.extents, shape.kernel));
  return ShapeOfImage(shape.image, shape.first, std::move(window.extents));
}

absl::Status BuildConv(OperatorCode& code) {
  if (IsQuantized(code)) return BuildQuantizedConv(code);
  TENON_TRY(CheckOneType(code, kFloats));
  TENON_ASSIGN_OR(const ConvShape shape, CheckedConv(code));
  TENON_TRY(CheckBias(code, 2, shape.first));
  TENON_ASSIGN_OR(const SlidingWindow window,
                  SlidingWindowOf(code, shape.image.extents, shape.kernel));
  Convolution sums = SlidingSums(code, shape, window);
  WriteProducts(code, sums, Products::OfNumbers(code), 2,
                [&](Value sum, Value) { return Cast(code.output().dtype, sum); });
  return absl::OkStatus();
}

absl::Status BuildConvInteger(OperatorCode& code) {
  TENON_TRY(CheckOutput(code, kInt32));
  TENON_ASSIGN_OR(const ConvShape shape, CheckedConv(code));
  TENON_ASSIGN_OR(const SlidingWindow window,
                  SlidingWindowOf(code, shape.image.extents, shape.kernel));
  TENON_ASSIGN_OR(const Products products, Products::OfIntegers(code, {}, 1, shape.first));
  Convolution sums = SlidingSums(code, shape, window);
  WriteProducts(code, sums, products, kNoBias, [](Value sum, Value) { return sum; });
  return absl::OkStatus();
}

absl::Status BuildQlinearConv(OperatorCode& code) {
  constexpr size_t kBias = 8;
  TENON_ASSIGN_OR(const ConvShape shape, CheckedConv(code));
  TENON_TRY(CheckBias(code, kBias, shape.first));
  if (code.HasInput(kBias) && code.input(kBias).dtype != kInt32) return UnsupportedTypes(code);
  TENON_ASSIGN_OR(const SlidingWindow window,
                  SlidingWindowOf(code, shape.image.extents, shape.kernel));
  TENON_ASSIGN_OR(const Products products,
                  Products::OfIntegers(code, kQuantizedInputs, 1, shape.first));
  TENON_ASSIGN_OR(const ScaledResult scaled, ScaledResult::Make(code, 1, shape.first));
  Convolution sums = SlidingSums(code, shape, window);
  WriteProducts(code, sums, products, kBias,
                [&](Value sum, Value channel) { return scaled(sum, code.Int(0), channel); });
  return absl::OkStatus();
}

absl::StatusOr<Shapes> ShapeOfConvTranspose(const OperatorView& op) {
  TENON_ASSIGN_OR(const ConvShape shape, CheckedTransposedConv(op));
  TENON_ASSIGN_OR(SpreadWindow window, SpreadWindowOf(op, shape.image.extents, shape.kernel));
  return ShapeOfImage(shape.image, shape.second * shape.groups, std::move(window.extents));
}

absl::Status BuildConvTranspose(OperatorCode& code) {
  const bool is_quantized = IsQuantized(code);
  if (!is_quantized) TENON_TRY(CheckOneType(code, kFloats));
  TENON_ASSIGN_OR(const ConvShape shape, CheckedTransposedConv(code));
  TENON_ASSIGN_OR(const SpreadWindow window,
                  SpreadWindowOf(code, shape.image.extents, shape.kernel));
  TENON_TRY(CheckBias(code, 2, shape.second * shape.groups));
  Convolution sums;
  sums.batches = shape.image.batches;
  sums.groups = shape.groups;
  sums.channels = shape.second * shape.groups;
  sums.depth = shape.first / shape.groups;
  sums.extents = window.extents;
  sums.channels_last = shape.image.channels_last;
  sums.for_each_place = [&](std::span<const Value> output, const WindowBody& body) {
    window.window.ForEachPlace(code, output, body);
  };
  const Kernel kernel(code, shape, 0);
  sums.weight = [&](Value channel, Value ci, const std::vector<Value>& place) {
    const Value group = FloorDiv(channel, shape.second);
    return kernel.Load(group * sums.depth + ci, FloorMod(channel, shape.second), place);
  };
  if (is_quantized) {
    if (shape.groups != 1) return code.Unsupported("groups of integers with scales");
    return WriteQuantized(code, sums, 1, ProductsOf(shape));
  }
  WriteProducts(code, sums, Products::OfNumbers(code), 2,
                [&](Value sum, Value) { return Cast(code.output().dtype, sum); });
  return absl::OkStatus();
}

}  // namespace tenon::graph::plain
