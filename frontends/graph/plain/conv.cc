// Conv, ConvInteger and ConvTranspose over 1 to 3 axes. Weights are [channels, channels of a group,
// kernel...], or [channels, kernel..., channels of a group] in the layout NHWC. Weights of
// ConvTranspose are [channels of the input, channels of a group of the output, kernel...], with the
// second axis last in the layout NHWC.

#include <fmt/format.h>

#include <utility>

#include "frontends/graph/convolution.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/plain/plain.h"
#include "frontends/graph/plain/products.h"
#include "frontends/graph/plain/sliding.h"
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

absl::StatusOr<ConvShape> ConvShapeOf(const OperatorView& op) {
  ConvShape made;
  TENON_ASSIGN_OR(made.image, ImageOf(op));
  const Tensor& weights = op.input(1);
  if (weights.rank() != op.input(0).rank() || weights.elements() == 0)
    return op.Wrong(fmt::format("expected weights of {} dimensions, found {}", op.input(0).rank(),
                                weights.TypeText()));
  const bool last = made.image.channels_last;
  made.first = weights.shape[0];
  made.second = last ? weights.shape.back() : weights.shape[1];
  const auto begin = weights.shape.begin() + (last ? 1 : 2);
  made.kernel.assign(begin, begin + weights.rank() - 2);
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

/// Sums of products with a bias as input 2, if the operator has one.
absl::Status WriteProducts(OperatorCode& code, Convolution& sums, const Products& products,
                           bool has_bias) {
  const Array from = code.In(0);
  Array bias;
  if (has_bias) bias = code.In(2);
  sums.new_sum = [&] { return products.NewSum(); };
  sums.input = [&](Value batch, Value channel, const std::vector<Value>& at) {
    return from.Load(ImagePlace(sums.channels_last, batch, channel, at));
  };
  sums.add_product = [&](const Array& sum, Value x, Value weight, Value channel) {
    products.Add(sum, x, weight, code.Int(0), channel);
  };
  sums.result = [&](const Array& sum, Value, Value channel) {
    Value total = code.Get(sum);
    if (bias.exists()) total = total + Cast(products.dtype(), bias({channel}));
    return Cast(code.output().dtype, total);
  };
  WriteConvolution(code, sums);
  return absl::OkStatus();
}

absl::Status BuildSums(OperatorCode& code, bool is_integer) {
  TENON_ASSIGN_OR(const ConvShape shape, CheckedConv(code));
  TENON_ASSIGN_OR(const SlidingWindow window,
                  SlidingWindowOf(code, shape.image.extents, shape.kernel));
  TENON_ASSIGN_OR(const Products products, Products::Make(code, is_integer, 1, shape.first));
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
  const Array kernel = code.In(1);
  sums.weight = [&](Value channel, Value ci, const std::vector<Value>& place) {
    return kernel.Load(ImagePlace(sums.channels_last, channel, ci, place));
  };
  return WriteProducts(code, sums, products, !is_integer && code.HasInput(2));
}

}  // namespace

absl::StatusOr<Shapes> ShapeOfConv(const OperatorView& op) {
  TENON_ASSIGN_OR(const ConvShape shape, CheckedConv(op));
  TENON_ASSIGN_OR(SlidingWindow window, SlidingWindowOf(op, shape.image.extents, shape.kernel));
  return ShapeOfImage(shape.image, shape.first, std::move(window.extents));
}

absl::Status BuildConv(OperatorCode& code) {
  TENON_TRY(CheckOneType(code, kFloats));
  TENON_TRY(CheckBias(code, 2, code.input(1).shape[0]));
  return BuildSums(code, false);
}

absl::Status BuildConvInteger(OperatorCode& code) { return BuildSums(code, true); }

absl::StatusOr<Shapes> ShapeOfConvTranspose(const OperatorView& op) {
  TENON_ASSIGN_OR(const ConvShape shape, CheckedTransposedConv(op));
  TENON_ASSIGN_OR(SpreadWindow window, SpreadWindowOf(op, shape.image.extents, shape.kernel));
  return ShapeOfImage(shape.image, shape.second * shape.groups, std::move(window.extents));
}

absl::Status BuildConvTranspose(OperatorCode& code) {
  TENON_TRY(CheckOneType(code, kFloats));
  TENON_ASSIGN_OR(const ConvShape shape, CheckedTransposedConv(code));
  TENON_ASSIGN_OR(const SpreadWindow window,
                  SpreadWindowOf(code, shape.image.extents, shape.kernel));
  TENON_TRY(CheckBias(code, 2, shape.second * shape.groups));
  TENON_ASSIGN_OR(const Products products, Products::Make(code, false, 1, 1));
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
  const Array kernel = code.In(1);
  sums.weight = [&](Value channel, Value ci, const std::vector<Value>& place) {
    const Value group = FloorDiv(channel, shape.second);
    return kernel.Load(ImagePlace(sums.channels_last, group * sums.depth + ci,
                                  FloorMod(channel, shape.second), place));
  };
  return WriteProducts(code, sums, products, code.HasInput(2));
}

}  // namespace tenon::graph::plain
