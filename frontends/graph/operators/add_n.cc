// ADD_N: the sum of tensors of one shape.

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildAddN(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(1, code.inputs()); !status.ok()) return status;
  const DataType dtype = code.output().dtype;
  for (size_t i = 0; i < code.inputs(); ++i) {
    if (!code.HasInput(i)) return code.Wrong("an input is missing");
    if (code.input(i).dtype != dtype || (dtype != kFloat32 && dtype != kInt32))
      return UnsupportedTypes(code);
    if (code.input(i).shape != code.output().shape)
      return code.Wrong("expected inputs of the output's shape");
  }
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    Value sum = code.In(0).Load(at);
    for (size_t i = 1; i < code.inputs(); ++i) sum = sum + code.In(i).Load(at);
    return sum;
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
