// PACK: tensors of one shape, side by side along a new axis.

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildPack(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(1, code.inputs()); !status.ok()) return status;
  const Tensor& output = code.output();
  int64_t axis = code.attributes().Int("axis");
  if (axis < 0) axis += output.rank();
  if (axis < 0 || axis >= output.rank()) return code.Wrong("expected an axis of the output");
  const auto at_axis = static_cast<size_t>(axis);
  std::vector<int64_t> shape = output.shape;
  shape.erase(shape.begin() + axis);
  if (output.shape[at_axis] != static_cast<int64_t>(code.inputs()))
    return code.Wrong("expected an extent of the output for each input");
  const Array to = code.Out();
  for (size_t i = 0; i < code.inputs(); ++i) {
    if (!code.HasInput(i)) return code.Wrong("an input is missing");
    if (code.input(i).dtype != output.dtype) return UnsupportedTypes(code);
    if (code.input(i).shape != shape) {
      return code.Wrong("expected inputs of one shape, found " + code.input(i).TypeText() +
                        " for an output of " + output.TypeText());
    }
    const Array from = code.In(i);
    code.Grid("i", shape, [&](std::vector<Value> at) {
      const Value element = at.empty() ? from({code.Int(0)}) : from.Load(at);
      at.insert(at.begin() + axis, code.Int(static_cast<int64_t>(i)));
      code.Store(to, at, element);
    });
  }
  return absl::OkStatus();
}

}  // namespace tenon::graph
