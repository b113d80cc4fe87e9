// TRANSPOSE_CONV: output shape, weights [co, kh, kw, ci], input [n, h, w, ci], bias [co].

#include <algorithm>
#include <utility>

#include "frontends/graph/contraction.h"
#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/window.h"
#include "support/status_macros.h"

namespace tenon::graph {

namespace {

absl::StatusOr<TransposedAxis> AxisOf(const OperatorCode& code, int64_t input, int64_t output,
                                      int64_t kernel, std::string_view stride_name) {
  const int64_t stride = code.attributes().Int(stride_name);
  constexpr int64_t kMost = 1 << 20;
  constexpr int64_t kMostPlaces = 1 << 30;
  if (stride < 1 || stride > kMost || kernel > kMost || output > kMostPlaces)
    return code.Wrong("expected strides and kernels of 1 to 2^20, and at most 2^30 places");
  TENON_ASSIGN_OR(const bool same, HasSamePadding(code));
  const int64_t wanted =
      same ? (output + stride - 1) / stride : (output - kernel + stride) / stride;
  if (wanted != input) return code.Wrong("expected an output that fits the input and the strides");
  return TransposedAxis{.input = input,
                        .kernel = kernel,
                        .stride = stride,
                        .pad = std::max<int64_t>(0, (input - 1) * stride + kernel - output) / 2};
}

}  // namespace

absl::Status BuildTransposeConv(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(3, 4); !status.ok()) return status;
  const Tensor& weights = code.input(1);
  const Tensor& x = code.input(2);
  const Tensor& output = code.output();
  if (weights.rank() != 4 || x.rank() != 4 || output.rank() != 4 || weights.elements() == 0 ||
      x.shape[3] != weights.shape[3] || output.shape[3] != weights.shape[0] ||
      x.shape[0] != output.shape[0])
    return code.Wrong("expected input, weights and output of 4 dimensions with matching shapes");
  const auto h = AxisOf(code, x.shape[1], output.shape[1], weights.shape[1], "stride_h");
  if (!h.ok()) return h.status();
  const auto w = AxisOf(code, x.shape[2], output.shape[2], weights.shape[2], "stride_w");
  if (!w.ok()) return w.status();
  absl::StatusOr<Contraction> contraction =
      Contraction::Make(code, {.input = 2, .weights = 1, .bias = 3}, 0, weights.shape[0]);
  if (!contraction.ok()) return contraction.status();
  const Array from = contraction->Input(x.shape);
  const TransposedWindow window{{*h, *w}};
  const bool is_constant = weights.data.has_value();
  const Array kernel = is_constant ? contraction->WeightsInOrder({1, 2, 3, 0}) : code.In(1);
  const Array to = code.Out();
  code.Grid("i", output.shape, [&](const std::vector<Value>& at) {
    const Array sum = contraction->NewSum();
    const Value places[] = {at[1], at[2]};
    window.ForEachPlace(code, places, [&](const WindowPlace& place) {
      code.For("ci", x.shape[3], [&](Value ci) {
        const std::vector<Value>& k = place.kernel;
        const Value weight =
            is_constant ? kernel({k[0], k[1], ci, at[3]}) : kernel({at[3], k[0], k[1], ci});
        contraction->AddProduct(sum, from({at[0], place.at[0], place.at[1], ci}), weight);
      });
    });
    code.Store(to, at, contraction->Result(sum, at[0], at[3]));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
