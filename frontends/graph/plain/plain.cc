#include "frontends/graph/plain/plain.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "frontends/graph/movement.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/refusals.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

bool IsOneOf(DataType dtype, Types types) {
  if (dtype.is_bool()) return (types & kBools) != 0;
  if (dtype.is_int()) return (types & kInts) != 0;
  if (dtype.is_uint()) return (types & kUInts) != 0;
  return (dtype.is_float() || dtype.is_bfloat16()) && (types & kFloats) != 0;
}

absl::Status CheckOneType(const OperatorView& op, Types types, size_t first) {
  const DataType dtype = op.output().dtype;
  bool fits = IsOneOf(dtype, types);
  for (size_t i = first; i < op.inputs(); ++i)
    fits = fits && (!op.HasInput(i) || op.input(i).dtype == dtype);
  return fits ? absl::OkStatus() : UnsupportedTypes(op);
}

absl::Status CheckInput(const OperatorView& op, size_t input, Types types) {
  if (IsOneOf(op.input(input).dtype, types)) return absl::OkStatus();
  return op.Unsupported(
      fmt::format("input {} with the type {}", input, op.input(input).dtype.ToString()));
}

absl::Status CheckOutput(const OperatorView& op, DataType dtype, size_t output) {
  if (!op.HasOutput(output) || op.output(output).dtype == dtype) return absl::OkStatus();
  return op.Wrong(fmt::format("expected output {} with the type {}, found {}", output,
                              dtype.ToString(), op.output(output).dtype.ToString()));
}

DataType WorkType(DataType dtype) {
  return dtype.is_floating() && dtype.bits() < 32 ? kFloat32 : dtype;
}

Value Widened(Value x) { return Cast(WorkType(x.dtype()), x); }

Value MaxOf(Value a, Value b) {
  if (!a.dtype().is_floating()) return Max(a, b);
  // Max gives the second operand if one of them is NaN.
  return Select(IsNan(a), a, Max(a, b));
}

Value MinOf(Value a, Value b) {
  if (!a.dtype().is_floating()) return Min(a, b);
  return Select(IsNan(a), a, Min(a, b));
}

Value LeastOf(Code& code, DataType dtype) {
  if (dtype.is_floating()) return code.Number(dtype, -std::numeric_limits<double>::infinity());
  return code.Integer(dtype,
                      dtype.is_uint() ? 0 : -1 - ((int64_t{1} << (dtype.bits() - 2)) - 1) * 2 - 1);
}

Value GreatestOf(Code& code, DataType dtype) {
  if (dtype.is_floating()) return code.Number(dtype, std::numeric_limits<double>::infinity());
  if (dtype.is_uint() && dtype.bits() == 64) return code.Integer(dtype, -1);
  const int bits = dtype.is_uint() ? dtype.bits() : dtype.bits() - 1;
  return code.Integer(dtype, static_cast<int64_t>((uint64_t{1} << bits) - 1));
}

absl::StatusOr<Value> NumberSetting(OperatorCode& code, std::string_view name, DataType dtype) {
  const Attributes& attributes = code.attributes();
  const int64_t whole = attributes.Int(name);
  const double real = attributes.Real(name, static_cast<double>(whole));
  if (dtype.is_bool()) return code.Bool(real != 0);
  if (dtype.is_floating()) return code.Number(dtype, real);
  const bool is_whole = real == std::trunc(real) && std::abs(real) < std::ldexp(1.0, 63);
  const int64_t number = whole != 0 || !is_whole ? whole : static_cast<int64_t>(real);
  const int bits = dtype.is_int() ? dtype.bits() - 1 : dtype.bits();
  const bool fits = bits >= 63 || number >> bits == 0 || (dtype.is_int() && number >> bits == -1);
  if ((is_whole || whole != 0) && fits && (dtype.is_int() || number >= 0))
    return code.Integer(dtype, number);
  return code.Wrong(
      fmt::format("expected a number of {} in `{}`, found {}", dtype.ToString(), name, real));
}

absl::StatusOr<size_t> AxisIn(const OperatorView& op, int64_t number, int64_t rank) {
  const std::optional<size_t> axis = AxisOf(number, rank);
  if (axis) return *axis;
  return op.Wrong(fmt::format("expected an axis of {} dimensions, found {}", rank, number));
}

absl::StatusOr<std::vector<size_t>> DifferentAxes(const OperatorView& op,
                                                  std::span<const int64_t> numbers, int64_t rank) {
  std::vector<size_t> axes;
  std::vector<bool> seen(static_cast<size_t>(rank));
  for (const int64_t number : numbers) {
    TENON_ASSIGN_OR(const size_t axis, AxisIn(op, number, rank));
    if (seen[axis]) return op.Wrong(fmt::format("expected different axes, found {} twice", axis));
    seen[axis] = true;
    axes.push_back(axis);
  }
  return axes;
}

absl::StatusOr<std::vector<size_t>> AxesIn(const OperatorView& op, int64_t rank) {
  if (op.attributes().Has("axes")) return DifferentAxes(op, op.attributes().Ints("axes"), rank);
  std::vector<size_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

absl::StatusOr<Shapes> ShapeOfSame(const OperatorView& op) { return ShapeOfFirst(op); }
absl::StatusOr<Shapes> ShapeOfRepeated(const OperatorView& op) { return ShapeOfBroadcast(op); }

int64_t ExtentOf(std::span<const int64_t> shape, size_t begin, size_t end) {
  int64_t product = 1;
  for (size_t axis = begin; axis < end; ++axis) product *= shape[axis];
  return product;
}

}  // namespace tenon::graph::plain
