// Functions of one number, which keep the type: arithmetic, activations, and functions of bits and
// bools. float16 and bfloat16 are computed in float32 and rounded once.

#include <cmath>
#include <limits>
#include <numbers>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/plain/functions.h"
#include "frontends/graph/plain/plain.h"
#include "ir/builtins.h"

namespace tenon::graph::plain {

namespace {

Value Num(Value x, double number) { return x.code->Number(x.dtype(), number); }

/// A setting of the operator, as a number of the type of `x`.
Value Setting(const OperatorCode& code, Value x, std::string_view name, double otherwise) {
  return Num(x, code.attributes().Real(name, otherwise));
}

Value Abs(OperatorCode& code, Value x) {
  if (x.dtype().is_floating()) return CallOf(OpKind::kFabs, x);
  return x.dtype().is_uint() ? x : Select(x < 0, code.Integer(x.dtype(), 0) - x, x);
}

Value Negative(OperatorCode& code, Value x) {
  return x.dtype().is_floating() ? x * -1 : code.Integer(x.dtype(), 0) - x;
}

Value Sign(OperatorCode& code, Value x) {
  const auto number = [&](int64_t value) {
    return x.dtype().is_floating() ? code.Number(x.dtype(), static_cast<double>(value))
                                   : code.Integer(x.dtype(), value);
  };
  if (x.dtype().is_uint()) return Min(x, 1);
  return Select(number(0) < x, number(1), Select(x < 0, number(-1), x));
}

Value Selu(OperatorCode& code, Value x) {
  const Value alpha = Setting(code, x, "alpha", 1.67326319217681884765625);
  return Setting(code, x, "gamma", 1.05070102214813232421875) * EluOf(x, alpha);
}

Value Celu(OperatorCode& code, Value x) {
  const Value alpha = Setting(code, x, "alpha", 1);
  return Select(Num(x, 0) < x, x, alpha * (CallOf(OpKind::kExp, Div(x, alpha)) - 1));
}

Value Gelu(OperatorCode& code, Value x) {
  Value inner = x;
  if (code.attributes().Text("approximate", "none") == "tanh") {
    const double scale = std::sqrt(2 / std::numbers::pi);
    inner = CallOf(OpKind::kTanh, Num(x, scale) * (x + Num(x, 0.044715) * x * x * x));
  } else {
    inner = CallOf(OpKind::kErf, Div(x, Num(x, std::numbers::sqrt2)));
  }
  return Num(x, 0.5) * x * (Num(x, 1) + inner);
}

Value Shrink(OperatorCode& code, Value x) {
  const Value bias = Setting(code, x, "bias", 0);
  const Value lambda = Setting(code, x, "lambd", 0.5);
  return Select(x < lambda * -1, x + bias, Select(lambda < x, x - bias, Num(x, 0)));
}

using UnaryFunction = Value (*)(OperatorCode& code, Value x);

template <OpKind kOp>
Value Call(OperatorCode&, Value x) {
  return CallOf(kOp, x);
}

struct UnaryRow {
  std::string_view kind;
  Types types;
  UnaryFunction of;
};

constexpr UnaryRow kUnaryRows[] = {
    {"abs", kNumbers, &Abs},
    {"neg", kInts | kFloats, &Negative},
    {"sign", kNumbers, &Sign},
    {"sqrt", kFloats, &Call<OpKind::kSqrt>},
    {"reciprocal", kFloats, [](OperatorCode&, Value x) { return Div(Num(x, 1), x); }},
    {"exp", kFloats, &Call<OpKind::kExp>},
    {"log", kFloats, &Call<OpKind::kLog>},
    {"erf", kFloats, &Call<OpKind::kErf>},
    {"floor", kFloats, &Call<OpKind::kFloor>},
    {"ceil", kFloats, &Call<OpKind::kCeil>},
    {"round", kFloats, &Call<OpKind::kRoundeven>},
    {"sin", kFloats, &Call<OpKind::kSin>},
    {"cos", kFloats, &Call<OpKind::kCos>},
    {"tan", kFloats, &Call<OpKind::kTan>},
    {"sinh", kFloats, &Call<OpKind::kSinh>},
    {"cosh", kFloats, &Call<OpKind::kCosh>},
    {"tanh", kFloats, &Call<OpKind::kTanh>},
    {"asin", kFloats, &Call<OpKind::kAsin>},
    {"acos", kFloats, &Call<OpKind::kAcos>},
    {"atan", kFloats, &Call<OpKind::kAtan>},
    {"asinh", kFloats, &Call<OpKind::kAsinh>},
    {"acosh", kFloats, &Call<OpKind::kAcosh>},
    {"atanh", kFloats, &Call<OpKind::kAtanh>},
    {"not", kBools, [](OperatorCode&, Value x) { return !x; }},
    {"bitwise_not", kIntegers, &Call<OpKind::kBitwiseNot>},
    {"relu", kNumbers, [](OperatorCode&, Value x) { return AtLeast(0, x); }},
    {"leaky_relu", kFloats,
     [](OperatorCode& code, Value x) { return LeakyReluOf(x, Setting(code, x, "alpha", 0.01F)); }},
    {"thresholded_relu", kFloats,
     [](OperatorCode& code, Value x) {
       return ThresholdedReluOf(x, Setting(code, x, "alpha", 1));
     }},
    {"elu", kFloats,
     [](OperatorCode& code, Value x) { return EluOf(x, Setting(code, x, "alpha", 1)); }},
    {"selu", kFloats, &Selu},
    {"celu", kFloats, &Celu},
    {"sigmoid", kFloats, [](OperatorCode&, Value x) { return SigmoidOf(x); }},
    {"hard_sigmoid", kFloats,
     [](OperatorCode& code, Value x) {
       return HardSigmoidOf(x, Setting(code, x, "alpha", 0.2F), Setting(code, x, "beta", 0.5));
     }},
    {"hard_swish", kFloats,
     [](OperatorCode&, Value x) { return x * HardSigmoidOf(x, Num(x, 1.0 / 6), Num(x, 0.5)); }},
    {"softplus", kFloats, [](OperatorCode&, Value x) { return SoftplusOf(x); }},
    {"softsign", kFloats, [](OperatorCode&, Value x) { return SoftsignOf(x); }},
    {"gelu", kFloats, &Gelu},
    {"swish", kFloats,
     [](OperatorCode& code, Value x) { return x * SigmoidOf(Setting(code, x, "alpha", 1) * x); }},
    {"mish", kFloats,
     [](OperatorCode&, Value x) { return x * CallOf(OpKind::kTanh, SoftplusOf(x)); }},
    {"shrink", kFloats, &Shrink},
};

}  // namespace

absl::Status BuildUnary(OperatorCode& code) {
  for (const UnaryRow& row : kUnaryRows) {
    if (row.kind != code.op().kind) continue;
    if (absl::Status status = CheckOneType(code, row.types); !status.ok()) return status;
    WriteEach(code, [&](Value x) { return Cast(code.output().dtype, row.of(code, Widened(x))); });
    return absl::OkStatus();
  }
  return code.Unsupported("an operator without a row");
}

// IsNaN, and IsInf with the signs to detect.
absl::Status BuildFloatTest(OperatorCode& code) {
  if (absl::Status status = CheckInput(code, 0, kFloats); !status.ok()) return status;
  if (absl::Status status = CheckOutput(code, kBool); !status.ok()) return status;
  const bool negative = code.attributes().Int("detect_negative", 1) != 0;
  const bool positive = code.attributes().Int("detect_positive", 1) != 0;
  const double infinity = std::numeric_limits<double>::infinity();
  WriteEach(code, [&](Value narrow) {
    const Value x = Widened(narrow);
    if (code.op().kind == "is_nan") return IsNan(x);
    const Value is_high = positive ? x == Num(x, infinity) : code.Bool(false);
    const Value is_low = negative ? x == Num(x, -infinity) : code.Bool(false);
    return is_high || is_low;
  });
  return absl::OkStatus();
}

// Integers wrap, floats are cut and saturate, and all numbers except 0 are true.
absl::Status BuildCast(OperatorCode& code) {
  if (absl::Status status = CheckInput(code, 0, kAnyType); !status.ok()) return status;
  if (!IsOneOf(code.output().dtype, kAnyType)) return UnsupportedTypes(code);
  WriteEach(code, [&](Value x) { return Cast(code.output().dtype, Widened(x)); });
  return absl::OkStatus();
}

}  // namespace tenon::graph::plain
