// SPLIT (axis, input) and SPLIT_V (input, sizes, axis): parts of a tensor along an axis.

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildSplit(OperatorCode& code) {
  const size_t outputs = code.op().outputs.size();
  if (absl::Status status = code.CheckCounts(2, 3, outputs); !status.ok()) return status;
  const bool has_sizes = code.inputs() == 3;
  const size_t input = has_sizes ? 0 : 1;
  const Tensor& x = code.input(input);
  const auto axes = code.input(has_sizes ? 2 : 0).Integers();
  if (!axes || axes->size() != 1) return code.Unsupported("an axis that is not constant");
  const int64_t axis = (*axes)[0] < 0 ? (*axes)[0] + x.rank() : (*axes)[0];
  if (axis < 0 || axis >= x.rank()) return code.Wrong("expected an axis of the input");
  const auto at_axis = static_cast<size_t>(axis);
  int64_t total = 0;
  for (size_t i = 0; i < outputs; ++i) {
    const Tensor& part = code.output(i);
    if (part.dtype != x.dtype || part.rank() != x.rank()) return UnsupportedTypes(code);
    std::vector<int64_t> shape = part.shape;
    total += shape[at_axis];
    shape[at_axis] = x.shape[at_axis];
    if (shape != x.shape) return code.Wrong("expected outputs that fit the input's shape");
  }
  if (total != x.shape[at_axis]) return code.Wrong("expected outputs that give the input's extent");
  const Array from = code.In(input);
  int64_t before = 0;
  for (size_t i = 0; i < outputs; ++i) {
    WriteElements(code, i, [&](const std::vector<Value>& at) {
      std::vector<Value> own = at;
      own[at_axis] = own[at_axis] + before;
      return from.Load(own);
    });
    before += code.output(i).shape[at_axis];
  }
  return absl::OkStatus();
}

}  // namespace tenon::graph
