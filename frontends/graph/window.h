#ifndef TENON_FRONTENDS_GRAPH_WINDOW_H_
#define TENON_FRONTENDS_GRAPH_WINDOW_H_

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>

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

/// Rows and columns of an operator over [batch, height, width, channels]. The attributes are
/// `padding` (same, valid), `stride_h`, `stride_w`, `dilation_h` and `dilation_w`. The output's
/// shape must match them.
struct Window {
  WindowAxis h;
  WindowAxis w;

  /// A place of the kernel, and the place of the input that it reads.
  struct Place {
    Value y, x;
    Value kernel_y, kernel_x;
  };
  /// Statements for each place of the kernel at output `y`, `x` that is in the input.
  using Body = std::function<void(const Place& place)>;
  void ForEachPlace(Code& code, Value y, Value x, const Body& body) const;
};

/// Whether the attribute `padding` is `same`; an error unless it is `same` or `valid`, which is the
/// default.
absl::StatusOr<bool> HasSamePadding(const OperatorView& op);

/// The output's extent of rows (`axis` h) or columns (w), by the attributes of a Window.
absl::StatusOr<int64_t> WindowExtent(const OperatorView& op, int64_t input, int64_t kernel,
                                     std::string_view axis);

absl::StatusOr<Window> WindowOf(const OperatorCode& code, const Tensor& input, const Tensor& output,
                                int64_t kernel_h, int64_t kernel_w);

/// The window of a convolution of input 0 by the weights, input 1, of [., height, width, .]. Also
/// checks the number of inputs: there may be a bias.
absl::StatusOr<Window> ConvolutionWindow(const OperatorCode& code);
/// The error of a convolution whose shapes contradict each other.
absl::Status WrongConvolutionShapes(const OperatorCode& code);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_WINDOW_H_
