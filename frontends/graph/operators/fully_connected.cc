// FULLY_CONNECTED: input [..., depth], weights [units, depth], bias [units]; the input's leading
// axes are rows.

#include <fmt/format.h>

#include "frontends/graph/contraction.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildFullyConnected(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 3); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& weights = code.input(1);
  if (code.attributes().Int("weights_format") != 0)
    return code.Unsupported("weights in shuffled order");
  if (weights.rank() != 2 || weights.elements() == 0) {
    return code.Wrong(
        fmt::format("expected weights of 2 dimensions, found {}", weights.TypeText()));
  }
  const int64_t units = weights.shape[0];
  const int64_t depth = weights.shape[1];
  const int64_t rows = x.elements() / depth;
  if (rows * depth != x.elements() || code.output().elements() != rows * units) {
    return code.Wrong(
        fmt::format("expected shapes that fit each other, found input {}, weights "
                    "{} and output {}",
                    x.TypeText(), weights.TypeText(), code.output().TypeText()));
  }
  const absl::StatusOr<Contraction> contraction = Contraction::Make(code, {}, 0, units);
  if (!contraction.ok()) return contraction.status();
  const bool is_constant = weights.data.has_value();
  const Array from = code.Flat(code.In(0), {rows, depth});
  const Array matrix = is_constant ? contraction->WeightsInOrder({1, 0}) : code.In(1);
  const Array to = code.Flat(code.Out(), {rows, units});
  const int64_t extents[] = {rows, units};
  code.Grid("i", extents, [&](const std::vector<Value>& at) {
    const Array sum = contraction->NewSum();
    code.For("k", depth, [&](Value k) {
      const Value weight = is_constant ? matrix({k, at[1]}) : matrix({at[1], k});
      contraction->AddProduct(sum, from({at[0], k}), weight);
    });
    code.Store(to, {at[0], at[1]}, contraction->Result(sum, at[1]));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
