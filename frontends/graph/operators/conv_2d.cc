// CONV_2D: input [n, h, w, ci], weights [co, kh, kw, ci / groups], bias [co].

#include "frontends/graph/contraction.h"
#include "frontends/graph/convolution.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/window.h"

namespace tenon::graph {

absl::Status BuildConv2d(OperatorCode& code) {
  const absl::StatusOr<Window> window = ConvolutionWindow(code);
  if (!window.ok()) return window.status();
  const Tensor& x = code.input(0);
  const Tensor& weights = code.input(1);
  const int64_t channels = weights.shape[0];
  const int64_t depth = weights.shape[3];
  const int64_t groups = x.shape[3] / depth;
  if (groups == 0 || x.shape[3] % depth != 0 || channels % groups != 0 ||
      code.output().shape[3] != channels || code.output().shape[0] != x.shape[0]) {
    return WrongConvolutionShapes(code);
  }
  absl::StatusOr<Contraction> contraction = Contraction::Make(code, {}, 0, channels);
  if (!contraction.ok()) return contraction.status();
  Convolution sums = ConvolutionOf(code, *window, *contraction);
  sums.groups = groups;
  sums.channels = channels;
  sums.depth = depth;
  const bool is_constant = weights.data.has_value();
  const Array kernel = is_constant ? contraction->WeightsInOrder({1, 2, 3, 0}) : code.In(1);
  sums.weight = [&](Value channel, Value ci, const std::vector<Value>& place) {
    return is_constant ? kernel({place[0], place[1], ci, channel})
                       : kernel({channel, place[0], place[1], ci});
  };
  WriteConvolution(code, sums);
  return absl::OkStatus();
}

}  // namespace tenon::graph
