// PAD and PADV2: the input with elements around it. They are 0, or the zero point, or the element
// of the third input.

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildPad(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 3); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  const auto pads = code.input(1).Integers();
  if (!pads) return code.Unsupported("pads that are not constant");
  const size_t rank = x.shape.size();
  if (pads->size() != 2 * rank || output.shape.size() != rank || x.dtype != output.dtype)
    return code.Wrong("expected two pads for each dimension of the input");
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t before = (*pads)[2 * axis];
    const int64_t after = (*pads)[2 * axis + 1];
    if (before < 0 || after < 0 || before + x.shape[axis] + after != output.shape[axis])
      return code.Wrong("expected pads that give the output's " + output.TypeText());
  }
  const bool has_value = code.HasInput(2);
  if (has_value && (code.input(2).elements() != 1 || code.input(2).dtype != x.dtype))
    return code.Wrong("expected one element of the input's type to pad with");
  const Array from = code.In(0);
  const auto zero = static_cast<double>(output.quantization.zero_point());
  const Value value = has_value ? code.Flat(code.In(2), {1})({code.Int(0)})
                                : code.Number(x.dtype, x.dtype.is_integer() ? zero : 0);
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    Value inside = code.Of(code.builder().Bool(true));
    std::vector<Value> own;
    for (size_t axis = 0; axis < rank; ++axis) {
      const int64_t before = (*pads)[2 * axis];
      own.push_back(at[axis] - before);
      if (before > 0) inside = inside && before <= at[axis];
      if (x.shape[axis] + before < output.shape[axis])
        inside = inside && at[axis] < x.shape[axis] + before;
    }
    return IfThenElse(inside, from.Load(own), value);
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
