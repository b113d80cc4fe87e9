// CONCATENATION: tensors one after the other along an axis.

#include <fmt/format.h>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildConcatenation(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(1, code.inputs()); !status.ok()) return status;
  const Tensor& output = code.output();
  int64_t axis = code.attributes().Int("axis");
  if (axis < 0) axis += output.rank();
  if (axis < 0 || axis >= output.rank()) return code.Wrong("expected an axis of the output");
  if (code.attributes().Text("activation", "none") != "none") return UnsupportedActivation(code);
  const auto at_axis = static_cast<size_t>(axis);
  int64_t total = 0;
  for (size_t i = 0; i < code.inputs(); ++i) {
    if (!code.HasInput(i)) return code.Wrong("an input is missing");
    const Tensor& x = code.input(i);
    if (x.dtype != output.dtype) return UnsupportedTypes(code);
    if (x.rank() != output.rank()) {
      return code.Wrong(
          fmt::format("expected inputs of {} dimensions, found {}", output.rank(), x.TypeText()));
    }
    if (x.quantization.scale() != output.quantization.scale() ||
        x.quantization.zero_point() != output.quantization.zero_point())
      return DifferentScales(code, i);
    std::vector<int64_t> shape = x.shape;
    total += shape[at_axis];
    shape[at_axis] = output.shape[at_axis];
    if (shape != output.shape) return code.Wrong("expected inputs that fit the output's shape");
  }
  if (total != output.shape[at_axis])
    return code.Wrong("expected inputs that give the output's extent");
  const Array to = code.Out();
  int64_t before = 0;
  for (size_t i = 0; i < code.inputs(); ++i) {
    const Array from = code.In(i);
    code.Grid("i", code.input(i).shape, [&](const std::vector<Value>& at) {
      std::vector<Value> there = at;
      there[at_axis] = there[at_axis] + before;
      code.Store(to, there, from.Load(at));
    });
    before += code.input(i).shape[at_axis];
  }
  return absl::OkStatus();
}

}  // namespace tenon::graph
