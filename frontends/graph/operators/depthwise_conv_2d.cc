// DEPTHWISE_CONV_2D: input [n, h, w, c], weights [1, kh, kw, c * multiplier], bias [c *
// multiplier].

#include "frontends/graph/contraction.h"
#include "frontends/graph/convolution.h"
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
  Convolution sums = ConvolutionOf(code, *window, *contraction);
  sums.groups = inputs;
  sums.channels = channels;
  sums.depth = 1;
  const Array kernel = code.In(1);
  sums.weight = [&](Value channel, Value, const std::vector<Value>& place) {
    return kernel({code.Int(0), place[0], place[1], channel});
  };
  WriteConvolution(code, sums);
  return absl::OkStatus();
}

}  // namespace tenon::graph
