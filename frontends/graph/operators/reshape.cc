// RESHAPE, SQUEEZE, EXPAND_DIMS: the same elements in another shape. `view`, which files do not
// have: a tensor of one graph as a tensor of another one (expand.h). If the output needs no memory
// of its own, lower_graph.cc gives it the memory of the input, without a function.

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
