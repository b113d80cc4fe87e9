// CONV_2D: input [n, h, w, ci], weights [co, kh, kw, ci / groups], bias [co].

#include "frontends/graph/contraction.h"
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
  const Array from = contraction->Input(x.shape);
  const bool is_constant = weights.data.has_value();
  const Array kernel = is_constant ? contraction->WeightsInOrder({1, 2, 3, 0}) : code.In(1);
  const Array to = code.Out();
  const int64_t extents[] = {x.shape[0], code.output().shape[1], code.output().shape[2], groups,
                             channels / groups};
  code.Grid("i", extents, [&](const std::vector<Value>& at) {
    const Value channel = at[3] * (channels / groups) + at[4];
    const Array sum = contraction->NewSum();
    window->ForEachPlace(code, at[1], at[2], [&](const Window::Place& place) {
      code.For("ci", depth, [&](Value ci) {
        const Value weight = is_constant ? kernel({place.kernel_y, place.kernel_x, ci, channel})
                                         : kernel({channel, place.kernel_y, place.kernel_x, ci});
        contraction->AddProduct(sum, from({at[0], place.y, place.x, at[3] * depth + ci}), weight);
      });
    });
    code.Store(to, {at[0], at[1], at[2], channel}, contraction->Result(sum, at[0], channel));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
