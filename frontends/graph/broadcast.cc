#include "frontends/graph/broadcast.h"

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "support/status_macros.h"

namespace tenon::graph {

absl::Status CheckRepeats(const OperatorCode& code, size_t index) {
  const Tensor& output = code.output();
  const Tensor& x = code.input(index);
  bool fits = x.shape.size() <= output.shape.size();
  for (size_t axis = 0; fits && axis < x.shape.size(); ++axis) {
    const int64_t extent = output.shape[output.shape.size() - x.shape.size() + axis];
    fits = x.shape[axis] == 1 || x.shape[axis] == extent;
  }
  if (fits) return absl::OkStatus();
  return code.Wrong("expected inputs that can be repeated to the output's " + output.TypeText() +
                    ", found " + x.TypeText());
}

absl::Status CheckBroadcast(const OperatorCode& code) {
  const Tensor& output = code.output();
  TENON_ASSIGN_OR(const Shapes shapes, ShapeOfBroadcast(code));
  if (shapes[0] == output.shape) return absl::OkStatus();
  return code.Wrong("the inputs do not give the shape of the output, " + output.TypeText());
}

Value BroadcastElement(OperatorCode& code, size_t index, const std::vector<Value>& at) {
  const Array x = code.In(index);
  const std::vector<int64_t> shape = MemoryShape(code.input(index));
  std::vector<Value> own;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const Value all = at[at.size() - shape.size() + axis];
    own.push_back(shape[axis] == 1 ? code.Int(0) : all);
  }
  return x.Load(own);
}

absl::Status BuildChoice(OperatorCode& code, const std::function<Value(Value, Value)>& choose) {
  if (absl::Status status = code.CheckCounts(2, 2); !status.ok()) return status;
  if (absl::Status status = CheckBroadcast(code); !status.ok()) return status;
  const DataType dtype = code.output().dtype;
  if (code.input(0).dtype != dtype || code.input(1).dtype != dtype || dtype.is_bool())
    return UnsupportedTypes(code);
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    return choose(BroadcastElement(code, 0, at), BroadcastElement(code, 1, at));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
