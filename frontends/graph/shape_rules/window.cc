// Operators over [batch, height, width, channels].

#include "frontends/graph/window.h"

#include <fmt/format.h>

#include <utility>

#include "frontends/graph/operators.h"
#include "support/status_macros.h"

namespace tenon::graph {

namespace {

absl::Status CheckImage(const OperatorView& op, const Tensor& x) {
  if (x.rank() == 4) return absl::OkStatus();
  return op.Wrong("expected an input of 4 dimensions, found " + x.TypeText());
}

absl::StatusOr<Shapes> ShapeOfWindow(const OperatorView& op, int64_t kernel_h, int64_t kernel_w,
                                     int64_t channels) {
  const Tensor& x = op.input(0);
  TENON_TRY(CheckImage(op, x));
  TENON_ASSIGN_OR(const int64_t height, WindowExtent(op, x.shape[1], kernel_h, "h"));
  TENON_ASSIGN_OR(const int64_t width, WindowExtent(op, x.shape[2], kernel_w, "w"));
  return Shapes{{x.shape[0], height, width, channels}};
}

absl::StatusOr<Shapes> ShapeOfConvolution(const OperatorView& op, size_t channel_axis) {
  TENON_TRY(op.CheckPresent(2));
  const Tensor& weights = op.input(1);
  if (weights.rank() != 4)
    return op.Wrong("expected weights of 4 dimensions, found " + weights.TypeText());
  return ShapeOfWindow(op, weights.shape[1], weights.shape[2], weights.shape[channel_axis]);
}

constexpr int64_t kMostBlock = 1 << 15;

absl::StatusOr<int64_t> BlockSize(const OperatorView& op) {
  const int64_t block = op.attributes().Int("block_size");
  if (block >= 1 && block <= kMostBlock) return block;
  return op.Wrong(fmt::format("expected a block of 1 to {}, found {}", kMostBlock, block));
}

}  // namespace

absl::StatusOr<Shapes> ShapeOfConv2d(const OperatorView& op) { return ShapeOfConvolution(op, 0); }
absl::StatusOr<Shapes> ShapeOfDepthwise(const OperatorView& op) {
  return ShapeOfConvolution(op, 3);
}

absl::StatusOr<Shapes> ShapeOfPool(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(1));
  TENON_TRY(CheckImage(op, op.input(0)));
  return ShapeOfWindow(op, op.attributes().Int("filter_h"), op.attributes().Int("filter_w"),
                       op.input(0).shape[3]);
}

absl::StatusOr<Shapes> ShapeOfTransposeConv(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(1));
  TENON_ASSIGN_OR(TensorShape shape, KnownIntegers(op, 0, "a shape that is"));
  return Shapes{std::move(shape)};
}

absl::StatusOr<Shapes> ShapeOfResize(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(2));
  TENON_ASSIGN_OR(const TensorShape size, KnownIntegers(op, 1, "a size that is"));
  const Tensor& x = op.input(0);
  TENON_TRY(CheckImage(op, x));
  if (size.size() != 2) return op.Wrong("expected a size of two numbers");
  return Shapes{{x.shape[0], size[0], size[1], x.shape[3]}};
}

absl::StatusOr<Shapes> ShapeOfDepthToSpace(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(1));
  const Tensor& x = op.input(0);
  TENON_TRY(CheckImage(op, x));
  TENON_ASSIGN_OR(const int64_t block, BlockSize(op));
  return Shapes{{x.shape[0], x.shape[1] * block, x.shape[2] * block, x.shape[3] / (block * block)}};
}

absl::StatusOr<Shapes> ShapeOfSpaceToDepth(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(1));
  const Tensor& x = op.input(0);
  TENON_TRY(CheckImage(op, x));
  TENON_ASSIGN_OR(const int64_t block, BlockSize(op));
  return Shapes{{x.shape[0], x.shape[1] / block, x.shape[2] / block, x.shape[3] * block * block}};
}

namespace {

/// The blocks of all axes after the first, and two margins for each.
struct Blocks {
  TensorShape extents;
  TensorShape margins;
};

absl::StatusOr<Blocks> BlocksOf(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(3));
  TENON_ASSIGN_OR(TensorShape extents, KnownIntegers(op, 1, "blocks that are"));
  TENON_ASSIGN_OR(TensorShape margins, KnownIntegers(op, 2, "margins that are"));
  if (op.input(0).shape.size() <= extents.size() || margins.size() != 2 * extents.size())
    return op.Wrong("expected two margins for each block, and an axis for each");
  for (const int64_t extent : extents) {
    if (extent < 1 || extent > kMostBlock)
      return op.Wrong(fmt::format("expected blocks of 1 to {}, found {}", kMostBlock, extent));
  }
  for (const int64_t margin : margins)
    if (!IsExtent(margin)) return op.Wrong("expected margins of 0 or more");
  return Blocks{std::move(extents), std::move(margins)};
}

}  // namespace

absl::StatusOr<Shapes> ShapeOfSpaceToBatchNd(const OperatorView& op) {
  TENON_ASSIGN_OR(const Blocks blocks, BlocksOf(op));
  TensorShape shape = op.input(0).shape;
  for (size_t i = 0; i < blocks.extents.size(); ++i) {
    const int64_t padded = shape[i + 1] + blocks.margins[2 * i] + blocks.margins[2 * i + 1];
    if (padded % blocks.extents[i] != 0)
      return op.Wrong(fmt::format("expected an extent that the block of {} divides, found {}",
                                  blocks.extents[i], padded));
    shape[i + 1] = padded / blocks.extents[i];
    shape[0] *= blocks.extents[i];
    if (!IsExtent(shape[0])) return op.Wrong("expected smaller blocks");
  }
  return Shapes{std::move(shape)};
}

absl::StatusOr<Shapes> ShapeOfBatchToSpaceNd(const OperatorView& op) {
  TENON_ASSIGN_OR(const Blocks blocks, BlocksOf(op));
  TensorShape shape = op.input(0).shape;
  for (size_t i = 0; i < blocks.extents.size(); ++i) {
    shape[i + 1] =
        shape[i + 1] * blocks.extents[i] - blocks.margins[2 * i] - blocks.margins[2 * i + 1];
    if (shape[0] % blocks.extents[i] != 0)
      return op.Wrong("expected batches for each place of a block");
    shape[0] /= blocks.extents[i];
  }
  return Shapes{std::move(shape)};
}

}  // namespace tenon::graph
