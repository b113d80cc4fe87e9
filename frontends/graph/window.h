#ifndef TENON_FRONTENDS_GRAPH_WINDOW_H_
#define TENON_FRONTENDS_GRAPH_WINDOW_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/operator_code.h"

namespace tenon::graph {

/// One axis of a window that moves over a padded input: an output at `o` and a kernel place `k`
/// read the input at `o * stride + k * dilation - pad`.
struct WindowAxis {
  int64_t input = 1;
  int64_t output = 1;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad = 0;

  Value Place(Value o, Value k) const { return o * stride + k * dilation - pad; }
  /// Whether a place is in the input; constant if all places are.
  Value IsInside(Value place) const;
};

/// One axis of a transposed window: the element of the output at `o` belongs to input places `i`
/// and kernel places `k` with `i * stride + k * dilation - pad = o`.
struct TransposedAxis {
  int64_t input = 1;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad = 0;
};

/// A place of the kernel, and the place of the input that belongs to it: an index for each axis.
struct WindowPlace {
  std::vector<Value> at;
  std::vector<Value> kernel;
};
using WindowBody = std::function<void(const WindowPlace& place)>;

/// The axes of a window, the outermost first.
struct Window {
  std::vector<WindowAxis> axes;

  /// Statements for each place of the kernel that is in the input, at an output's place.
  void ForEachPlace(Code& code, std::span<const Value> output, const WindowBody& body) const;
};

struct TransposedWindow {
  std::vector<TransposedAxis> axes;

  /// The same. Loops count kernel places from the last one on, so that input places rise.
  void ForEachPlace(Code& code, std::span<const Value> output, const WindowBody& body) const;
};

/// Larger strides, dilations and kernels have no use, and their products could overflow.
inline constexpr int64_t kMostWindowSteps = 1 << 20;
/// The most elements from the first to the last one that a kernel's place reads.
inline constexpr int64_t kMostWindowReach = 1 << 28;

/// Whether the attribute `padding` is `same`; an error unless it is `same` or `valid`, which is the
/// default.
absl::StatusOr<bool> HasSamePadding(const OperatorView& op);

// Operators of TensorFlow Lite over [batch, height, width, channels]. The attributes are `padding`
// (same, valid), `stride_h`, `stride_w`, `dilation_h` and `dilation_w`.

/// The output's extent of rows (`axis` h) or columns (w), by the attributes.
absl::StatusOr<int64_t> WindowExtent(const OperatorView& op, int64_t input, int64_t kernel,
                                     std::string_view axis);

/// The window of rows and columns. The output's shape must match the attributes.
absl::StatusOr<Window> WindowOf(const OperatorCode& code, const Tensor& input, const Tensor& output,
                                int64_t kernel_h, int64_t kernel_w);

/// The window of a convolution of input 0 by the weights, input 1, of [., height, width, .]. Also
/// checks the number of inputs: there may be a bias.
absl::StatusOr<Window> ConvolutionWindow(const OperatorCode& code);
/// The error of a convolution whose shapes contradict each other.
absl::Status WrongConvolutionShapes(const OperatorCode& code);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_WINDOW_H_
