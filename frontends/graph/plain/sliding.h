#ifndef TENON_FRONTENDS_GRAPH_PLAIN_SLIDING_H_
#define TENON_FRONTENDS_GRAPH_PLAIN_SLIDING_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/window.h"

// Windows by the attributes `strides`, `dilations`, `pads` (all begins, then all ends) and
// `auto_pad`. Images have the `layout` NCHW, with channels as the second axis, or NHWC, with
// channels as the last one. Both names stand for any number of axes.

namespace tenon::graph::plain {

struct SlidingWindow {
  Window window;
  /// The extents of the output, and the pads after the input, for each axis.
  std::vector<int64_t> extents;
  std::vector<int64_t> pads_after;
};

/// The window of an operator over an input with these extents. With `ceil_mode`, a window may begin
/// in the input and end after it.
absl::StatusOr<SlidingWindow> SlidingWindowOf(const OperatorView& op,
                                              std::span<const int64_t> input,
                                              std::span<const int64_t> kernel);

struct SpreadWindow {
  TransposedWindow window;
  std::vector<int64_t> extents;
};

/// The window of a transposed convolution, which also has `output_padding` and `output_shape`.
absl::StatusOr<SpreadWindow> SpreadWindowOf(const OperatorView& op, std::span<const int64_t> input,
                                            std::span<const int64_t> kernel);

/// The parts of a shape that is an image's: [batches, channels, extents...].
struct ImageShape {
  bool channels_last = false;
  int64_t batches = 1;
  int64_t channels = 1;
  std::vector<int64_t> extents;

  std::vector<int64_t> Shape() const;
};

/// Whether the operator's images have the layout NHWC.
bool HasChannelsLast(const OperatorView& op);

/// The parts of input 0, which has 1 to 3 extents.
absl::StatusOr<ImageShape> ImageOf(const OperatorView& op);

}  // namespace tenon::graph::plain

#endif  // TENON_FRONTENDS_GRAPH_PLAIN_SLIDING_H_
