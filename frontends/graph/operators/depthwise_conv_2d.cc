// DEPTHWISE_CONV_2D: input [n, h, w, c], weights [1, kh, kw, c * multiplier], bias [c *
// multiplier].

#include "frontends/graph/contraction.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/window.h"

namespace tenon::graph {

absl::Status BuildDepthwiseConv2d(OperatorCode& code) {
  const absl::StatusOr<Window> window = ConvolutionWindow(code);
  if (!window.ok()) return window.status();
  const Tensor& x = code.input(0);
  const Tensor& weights = code.input(1);
  const int64_t channels = weights.shape[3];
  const int64_t inputs = x.shape[3];
  const int64_t multiplier = inputs == 0 ? 0 : channels / inputs;
  if (weights.shape[0] != 1 || multiplier == 0 || channels % inputs != 0 ||
      code.output().shape[3] != channels || code.output().shape[0] != x.shape[0]) {
    return WrongConvolutionShapes(code);
  }
  absl::StatusOr<Contraction> contraction = Contraction::Make(code, {}, 3, channels);
  if (!contraction.ok()) return contraction.status();
  const Array from = contraction->Input(x.shape);
  const Array kernel = code.In(1);
  const Array to = code.Out();
  const int64_t extents[] = {x.shape[0], code.output().shape[1], code.output().shape[2], inputs,
                             multiplier};
  code.Grid("i", extents, [&](const std::vector<Value>& at) {
    const Value channel = at[3] * multiplier + at[4];
    const Array sum = contraction->NewSum();
    window->ForEachPlace(code, at[1], at[2], [&](const Window::Place& place) {
      contraction->AddProduct(sum, from({at[0], place.y, place.x, at[3]}),
                              kernel({code.Int(0), place.kernel_y, place.kernel_x, channel}));
    });
    code.Store(to, {at[0], at[1], at[2], channel}, contraction->Result(sum, at[0], channel));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
