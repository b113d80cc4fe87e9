// Operators that compute each element from the elements of several inputs at the same place.
// Extents of 1 are repeated.

#include <fmt/format.h>

#include <optional>
#include <span>

#include "frontends/graph/broadcast.h"
#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/plain/plain.h"
#include "frontends/graph/plain/quantized_builders.h"
#include "ir/builtins.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

using BinaryFunction = Value (*)(OperatorCode& code, Value a, Value b);

struct BinaryRow {
  std::string_view kind;
  Types types;
  BinaryFunction of;
};

template <OpKind kOp>
Value CallBoth(OperatorCode&, Value a, Value b) {
  return CallOf(kOp, a, b);
}

Value Quotient(OperatorCode&, Value a, Value b) {
  return Div(a, b.dtype().is_floating() ? b : Divisor(b));
}

/// The rest of a division: with the sign of `a` if the attribute `fmod` is set, else of `b`.
Value Modulo(OperatorCode& code, Value a, Value b) {
  const bool is_truncated = code.attributes().Int("fmod") != 0;
  if (a.dtype().is_floating()) {
    const Value rest = CallOf(OpKind::kFmod, a, b);
    if (is_truncated) return rest;
    const Value kept = code.Once(rest);
    const Value zero = code.Number(a.dtype(), 0);
    const Value with_sign = Select((b < zero) != (kept < zero), kept + b, kept);
    return Select(kept == zero, CallOf(OpKind::kCopysign, zero, b), with_sign);
  }
  const Value divisor = code.Once(Divisor(b));
  return is_truncated ? a - Div(a, divisor) * divisor : FloorMod(a, divisor);
}

Value Shifted(OperatorCode& code, Value a, Value b) {
  const bool left = code.attributes().Text("direction") == "LEFT";
  const Value zero = code.Integer(a.dtype(), 0);
  const bool is_signed = a.dtype().is_int();
  // A shift by all bits has no result in C.
  const Value fits = b < a.dtype().bits();
  const Value rest = is_signed && !left ? Select(a < 0, code.Integer(a.dtype(), -1), zero) : zero;
  return IfThenElse(is_signed ? 0 <= b && fits : fits, left ? a << b : a >> b, rest);
}

constexpr BinaryRow kBinaryRows[] = {
    {"add", kNumbers, [](OperatorCode&, Value a, Value b) { return a + b; }},
    {"sub", kNumbers, [](OperatorCode&, Value a, Value b) { return a - b; }},
    {"mul", kNumbers, [](OperatorCode&, Value a, Value b) { return a * b; }},
    {"div", kNumbers, &Quotient},
    {"mod", kNumbers, &Modulo},
    {"and", kBools, [](OperatorCode&, Value a, Value b) { return a && b; }},
    {"or", kBools, [](OperatorCode&, Value a, Value b) { return a || b; }},
    {"xor", kBools, [](OperatorCode&, Value a, Value b) { return (a && !b) || (!a && b); }},
    {"bitwise_and", kIntegers, &CallBoth<OpKind::kBitwiseAnd>},
    {"bitwise_or", kIntegers, &CallBoth<OpKind::kBitwiseOr>},
    {"bitwise_xor", kIntegers, &CallBoth<OpKind::kBitwiseXor>},
    {"bit_shift", kIntegers, &Shifted},
    {"prelu", kNumbers,
     [](OperatorCode&, Value x, Value slope) { return Select(x < 0, slope * x, x); }},
};

constexpr BinaryRow kComparisons[] = {
    {"equal", kAnyType, [](OperatorCode&, Value a, Value b) { return a == b; }},
    {"greater", kNumbers, [](OperatorCode&, Value a, Value b) { return b < a; }},
    {"greater_or_equal", kNumbers, [](OperatorCode&, Value a, Value b) { return b <= a; }},
    {"less", kNumbers, [](OperatorCode&, Value a, Value b) { return a < b; }},
    {"less_or_equal", kNumbers, [](OperatorCode&, Value a, Value b) { return a <= b; }},
};

constexpr BinaryRow kFoldRows[] = {
    {"max", kNumbers, [](OperatorCode&, Value a, Value b) { return MaxOf(a, b); }},
    {"min", kNumbers, [](OperatorCode&, Value a, Value b) { return MinOf(a, b); }},
    {"sum", kFloats, [](OperatorCode&, Value a, Value b) { return a + b; }},
    {"mean", kFloats, [](OperatorCode&, Value a, Value b) { return a + b; }},
};

const BinaryRow* RowOf(const OperatorCode& code, std::span<const BinaryRow> rows) {
  for (const BinaryRow& row : rows)
    if (row.kind == code.op().kind) return &row;
  return nullptr;
}

/// The integer power; a negative exponent has a result for the bases 1 and -1 only.
Value IntegerPower(OperatorCode& code, Value base, Value exponent) {
  const Array result = code.Scalar("power", base.dtype());
  const Array square = code.Scalar("square", base.dtype());
  const Array rest = code.Scalar("rest", exponent.dtype());
  const auto one = [&](const Array& of) { return code.Integer(of.dtype(), 1); };
  code.Set(result, one(result));
  code.Set(square, base);
  code.Set(rest, exponent);
  code.For("bit", exponent.dtype().bits(), [&](Value) {
    const Value is_set = CallOf(OpKind::kBitwiseAnd, code.Get(rest), one(rest)) == one(rest);
    code.If(is_set, [&] { code.Set(result, code.Get(result) * code.Get(square)); });
    code.Set(square, code.Get(square) * code.Get(square));
    code.Set(rest, code.Get(rest) >> 1);
  });
  if (exponent.dtype().is_uint()) return code.Get(result);
  // The exponent's bits below the sign have the parity, which is all that these bases need.
  const Value has_result =
      base == one(result) ||
      (base.dtype().is_int() ? base == code.Integer(base.dtype(), -1) : code.Bool(false));
  return Select(exponent < 0 && !has_result, code.Integer(base.dtype(), 0), code.Get(result));
}

/// An error if a constant divisor of integers is 0: the standard has no result for it.
absl::Status CheckDivisors(const OperatorView& op) {
  const Tensor& divisors = op.input(1);
  for (int64_t i = 0; divisors.HasIntegers() && i < divisors.elements(); ++i)
    if (divisors.IntegerAt(i) == 0) return op.Wrong("expected divisors other than 0, found 0");
  return absl::OkStatus();
}

}  // namespace

absl::Status BuildBinary(OperatorCode& code) {
  if (IsQuantized(code)) return BuildQuantizedBinary(code);
  const BinaryRow* row = RowOf(code, kBinaryRows);
  if (row == nullptr) return code.Unsupported("an operator without a row");
  TENON_TRY(CheckOneType(code, row->types));
  if (row->kind == "div" || row->kind == "mod") TENON_TRY(CheckDivisors(code));
  const std::string_view direction = code.attributes().Text("direction");
  if (row->kind == "bit_shift" && direction != "LEFT" && direction != "RIGHT")
    return code.Wrong(fmt::format("expected the direction LEFT or RIGHT, found `{}`", direction));
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    const Value a = Widened(BroadcastElement(code, 0, at));
    const Value b = Widened(BroadcastElement(code, 1, at));
    return Cast(code.output().dtype, row->of(code, a, b));
  });
  return absl::OkStatus();
}

absl::StatusOr<Shapes> ShapeOfPrelu(const OperatorView& op) {
  TENON_ASSIGN_OR(Shapes shapes, ShapeOfBroadcast(op));
  if (shapes[0] == op.input(0).shape) return shapes;
  return op.Wrong("expected slopes that can be repeated to the input");
}

absl::Status BuildComparison(OperatorCode& code) {
  const BinaryRow* row = RowOf(code, kComparisons);
  if (row == nullptr) return code.Unsupported("an operator without a row");
  TENON_TRY(CheckInput(code, 0, row->types));
  TENON_TRY(CheckOutput(code, kBool));
  if (code.input(0).dtype != code.input(1).dtype) return UnsupportedTypes(code);
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    return row->of(code, Widened(BroadcastElement(code, 0, at)),
                   Widened(BroadcastElement(code, 1, at)));
  });
  return absl::OkStatus();
}

// Max, Min, Sum and Mean of any number of inputs.
absl::Status BuildVariadic(OperatorCode& code) {
  const BinaryRow* row = RowOf(code, kFoldRows);
  if (row == nullptr) return code.Unsupported("an operator without a row");
  TENON_TRY(code.CheckPresent(code.inputs()));
  TENON_TRY(CheckOneType(code, row->types));
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    Value result = Widened(BroadcastElement(code, 0, at));
    for (size_t i = 1; i < code.inputs(); ++i) {
      const Value next = Widened(BroadcastElement(code, i, at));
      result = row->of(code, result, next);
      // Max and Min use their operands more than once.
      if (i + 1 < code.inputs()) result = code.Once(result);
    }
    if (row->kind == "mean")
      result = Div(result, code.Number(result.dtype(), static_cast<double>(code.inputs())));
    return Cast(code.output().dtype, result);
  });
  return absl::OkStatus();
}

// The exponent may have another type than the base and the output.
absl::Status BuildPow(OperatorCode& code) {
  const DataType dtype = code.output().dtype;
  if (code.input(0).dtype != dtype) return UnsupportedTypes(code);
  TENON_TRY(CheckInput(code, 0, kNumbers));
  TENON_TRY(CheckInput(code, 1, kNumbers));
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    const Value base = Widened(BroadcastElement(code, 0, at));
    const Value exponent = Widened(BroadcastElement(code, 1, at));
    if (base.dtype().is_floating())
      return Cast(dtype, CallOf(OpKind::kPow, base, Cast(base.dtype(), exponent)));
    if (exponent.dtype().is_floating())
      return Cast(dtype, CallOf(OpKind::kPow, Cast(kFloat64, base), Cast(kFloat64, exponent)));
    return IntegerPower(code, base, exponent);
  });
  return absl::OkStatus();
}

absl::Status BuildWhere(OperatorCode& code) {
  if (!code.input(0).dtype.is_bool()) return UnsupportedTypes(code);
  TENON_TRY(CheckOneType(code, kAnyType, 1));
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    return Select(BroadcastElement(code, 0, at), BroadcastElement(code, 1, at),
                  BroadcastElement(code, 2, at));
  });
  return absl::OkStatus();
}

// The bounds are inputs of one element, or attributes.
absl::Status BuildClip(OperatorCode& code) {
  TENON_TRY(CheckOneType(code, kNumbers));
  for (size_t i = 1; i < code.inputs(); ++i) {
    if (code.HasInput(i) && code.input(i).elements() != 1)
      return code.Wrong("expected bounds of one element");
  }
  const DataType work = WorkType(code.output().dtype);
  TENON_ASSIGN_OR(const Value least, NumberSetting(code, "min", work));
  TENON_ASSIGN_OR(const Value most, NumberSetting(code, "max", work));
  const auto bound = [&](size_t input, std::string_view name,
                         Value setting) -> std::optional<Value> {
    if (code.HasInput(input)) return Widened(code.Flat(code.In(input), {1})({code.Int(0)}));
    return code.attributes().Has(name) ? std::optional(setting) : std::nullopt;
  };
  WriteEach(code, [&](Value narrow) {
    Value x = Widened(narrow);
    // Max and Min give the second operand for NaN.
    if (const auto low = bound(1, "min", least)) x = Max(*low, x);
    if (const auto high = bound(2, "max", most)) x = Min(*high, x);
    return Cast(code.output().dtype, x);
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph::plain
