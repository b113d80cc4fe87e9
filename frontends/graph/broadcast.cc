#include "frontends/graph/broadcast.h"

#include "frontends/graph/elementwise.h"

namespace tenon::graph {

absl::Status CheckBroadcast(const OperatorCode& code) {
  const Tensor& output = code.output();
  const size_t rank = output.shape.size();
  std::vector<int64_t> shape(rank, 1);
  for (size_t index = 0; index < code.inputs(); ++index) {
    const Tensor& x = code.input(index);
    const size_t before = rank - x.shape.size();
    bool fits = x.shape.size() <= rank;
    for (size_t axis = 0; fits && axis < x.shape.size(); ++axis) {
      int64_t& extent = shape[before + axis];
      fits = x.shape[axis] == 1 || extent == 1 || extent == x.shape[axis];
      if (x.shape[axis] != 1) extent = x.shape[axis];
    }
    if (!fits) {
      return code.Wrong("expected inputs that can be repeated to the output's " +
                        output.TypeText() + ", found " + x.TypeText());
    }
  }
  if (shape == output.shape) return absl::OkStatus();
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
