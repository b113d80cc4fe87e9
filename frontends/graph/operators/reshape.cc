// RESHAPE, SQUEEZE, EXPAND_DIMS: the same elements in another shape. Where the output need not be
// memory of its own, lower_graph.cc lets it be that of the input, and there is no function.

#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildReshape(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(1, 2); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  if (x.dtype != output.dtype || x.elements() != output.elements()) {
    return code.Wrong("expected an output of the input's elements, found " + output.TypeText() +
                      " for " + x.TypeText());
  }
  const int64_t count = x.elements();
  const Array from = code.Flat(code.In(0), {count});
  const Array to = code.Flat(code.Out(), {count});
  code.For("i", count, [&](Value i) { code.Store(to, {i}, from({i})); });
  return absl::OkStatus();
}

}  // namespace tenon::graph
