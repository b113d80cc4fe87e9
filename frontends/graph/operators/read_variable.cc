// READ_VARIABLE: a state, which becomes the value of a variable. ASSIGN_VARIABLE: a state and the
// value that it gets. The last operand is the variable's initial value, if it is not 0: the state
// is the exclusive or of both (variables.h).

#include <optional>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "ir/builtins.h"

namespace tenon::graph {

namespace {

/// An integer with the bits of an element.
Value BitsOf(Value x) {
  if (!x.dtype().is_floating()) return x;
  Code& code = *x.code;
  return code.Of(
      code.builder().NewCall(DataType::Int(x.dtype().bits()), OpKind::kReinterpret, {x.expr}));
}

Value FromBits(DataType dtype, Value bits) {
  if (!dtype.is_floating()) return bits;
  Code& code = *bits.code;
  return code.Of(code.builder().NewCall(dtype, OpKind::kReinterpret, {bits.expr}));
}

Value ExclusiveOr(Value a, Value b) {
  return a.dtype().is_bool() ? a != b : CallOf(OpKind::kBitwiseXor, a, b);
}

/// The bits of all elements of a constant, if they are the same.
std::optional<int64_t> CommonBits(const Tensor& tensor) {
  Tensor bits = tensor;
  if (tensor.dtype.is_floating()) bits.dtype = DataType::Int(tensor.dtype.bits());
  const int64_t first = bits.IntegerAt(0);
  for (int64_t i = 1; i < bits.elements(); ++i)
    if (bits.IntegerAt(i) != first) return std::nullopt;
  return first;
}

/// Copies elements, with the initial value among the operator's inputs.
void WriteState(OperatorCode& code, const Array& from, const Array& to, size_t initial) {
  const bool has_initial = code.HasInput(initial);
  const std::optional<int64_t> common =
      has_initial ? CommonBits(code.input(initial)) : std::nullopt;
  const Array other = has_initial && !common ? code.In(initial) : Array();
  code.Grid("i", MemoryShape(code.input(0)), [&](const std::vector<Value>& at) {
    const Value x = from.Load(at);
    if (!has_initial) return code.Store(to, at, x);
    const Value bits = BitsOf(x);
    const Value begin = common ? code.Integer(bits.dtype(), *common) : BitsOf(other.Load(at));
    return code.Store(to, at, FromBits(x.dtype(), ExclusiveOr(bits, begin)));
  });
}

}  // namespace

absl::Status BuildReadVariable(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(1, 2); !status.ok()) return status;
  const Array from = code.In(0);
  WriteState(code, from, code.Out(), 1);
  return absl::OkStatus();
}

absl::Status BuildAssignVariable(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 3, 0); !status.ok()) return status;
  const Array to = code.In(0);
  WriteState(code, code.In(1), to, 2);
  return absl::OkStatus();
}

}  // namespace tenon::graph
