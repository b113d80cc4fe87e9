// Operators that compute each element from one element: ABS, CEIL, COS, ELU, EXP, FLOOR, GELU, LOG,
// LOGICAL_NOT, NEG, ROUND, RSQRT, SIGN, SIN, SQRT and SQUARE. Quantised numbers have tables.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/inverse_root.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"
#include "ir/builtins.h"
#include "support/half.h"

namespace tenon::graph {

namespace {

bool IsFloat(const OperatorCode& code) {
  return code.input(0).dtype == kFloat32 && code.output().dtype == kFloat32;
}

/// True for tensors of one dtype.
bool HasOneType(const OperatorCode& code) { return code.input(0).dtype == code.output().dtype; }

/// True for tensors of float16, which LiteRT has for a few functions.
bool IsHalf(const OperatorCode& code) {
  return code.input(0).dtype == kFloat16 && code.output().dtype == kFloat16;
}

/// A function of floats, and of float16 in float arithmetic.
absl::Status BuildOfHalves(OperatorCode& code, OpKind op) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  if (!IsFloat(code) && !IsHalf(code)) return UnsupportedTypes(code);
  WriteEach(code, [&](Value x) { return Cast(x.dtype(), CallOf(op, Cast(kFloat32, x))); });
  return absl::OkStatus();
}

/// A function of float32 alone.
absl::Status BuildOfFloats(OperatorCode& code, const std::function<Value(Value x)>& element) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  if (!IsFloat(code)) return UnsupportedTypes(code);
  WriteEach(code, element);
  return absl::OkStatus();
}

absl::Status BuildCall(OperatorCode& code, OpKind op) {
  return BuildOfFloats(code, [&](Value x) { return CallOf(op, x); });
}

/// The magnitude of quantised numbers. Without a new scale, it is not rounded.
absl::Status BuildQuantizedAbs(OperatorCode& code) {
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  if (!HasScale(x) || !HasScale(output) || !x.dtype.is_int()) return UnsupportedScales(code);
  const float from = x.quantization.scale();
  const float to = output.quantization.scale();
  const FixedPoint fixed = ToFixedPoint(double{from / to});
  const Interval range = RangeOf(output.dtype);
  WriteEach(code, [&](Value value) {
    const Value centred = code.Once(Cast(kInt32, value) - x.quantization.zero_point());
    const Value magnitude = code.Once(Max(centred, code.Int(0) - centred));
    const Value result = from == to ? magnitude : RescaleTwice(magnitude, fixed);
    return Cast(output.dtype,
                Max(Min(result + output.quantization.zero_point(), range.high), range.low));
  });
  return absl::OkStatus();
}

float GeluOf(float x) {
  constexpr auto kRoot = static_cast<float>(-std::numbers::sqrt2 / 2);
  return 0.5F * x * std::erfc(x * kRoot);
}

float GeluByTanhOf(float x) {
  constexpr auto kRoot = static_cast<float>(2 * std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2);
  return 0.5F * x * (1.0F + std::tanh(kRoot * (x + 0.044715F * x * x * x)));
}

/// LiteRT computes each step of float16 in float16.
void BuildHalfGelu(OperatorCode& code, bool by_tanh) {
  const auto half = [&](Value x) { return code.Once(Cast(kFloat32, Cast(kFloat16, x))); };
  const auto number = [&](double value) {
    return code.Number(kFloat32, double{FloatFromFloat16(Float16FromDouble(value))});
  };
  const Value one = number(1);
  WriteEach(code, [&](Value element) {
    const Value x = Cast(kFloat32, element);
    Value factor;
    if (by_tanh) {
      const Value cube = half(half(x * x) * x);
      const Value sum = half(x + half(number(0.044715) * cube));
      const Value inner = half(number(std::numbers::inv_sqrtpi * std::numbers::sqrt2) * sum);
      factor = half(one + half(CallOf(OpKind::kTanh, inner)));
    } else {
      const Value inner = half(x * number(-std::numbers::sqrt2 / 2));
      // In double precision, because the difference may be far below 1.
      const Value erf = CallOf(OpKind::kErf, Cast(kFloat64, inner));
      factor = half(Cast(kFloat32, code.Number(kFloat64, 1) - erf));
    }
    return Cast(kFloat16, half(number(0.5) * x) * factor);
  });
}

/// Square roots are cut to the integer below.
absl::Status BuildQuantizedSqrt(OperatorCode& code) {
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  if (!HasOneType(code) || !HasScale(x) || !HasScale(output) || !x.dtype.is_int())
    return UnsupportedScales(code);
  const int64_t zero_point = output.quantization.zero_point();
  const float scale = output.quantization.scale();
  if (x.dtype.bits() == 8) {
    WriteByTable(code, [&](int64_t value) {
      const float steps = std::sqrt(std::max(RealOf(x, value), 0.0F)) / scale;
      return static_cast<int64_t>(std::min(steps, 65536.0F)) + zero_point;
    });
    return absl::OkStatus();
  }
  const Interval range = RangeOf(output.dtype);
  WriteEach(code, [&](Value value) {
    const Value centred = Max(Cast(kInt32, value) - x.quantization.zero_point(), 0);
    const Value real =
        Cast(kFloat32, centred) * code.Number(kFloat32, double{x.quantization.scale()});
    const Value steps = Div(CallOf(OpKind::kSqrt, real), code.Number(kFloat32, double{scale}));
    const Value result = Cast(kInt32, Min(steps, int64_t{1} << 16)) + zero_point;
    return Cast(output.dtype, Max(Min(result, range.high), range.low));
  });
  return absl::OkStatus();
}

/// 1 / sqrt(x) of int8, with a root in fixed point. The result of 0 is the largest number.
absl::Status BuildByteRsqrt(OperatorCode& code) {
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  if (!HasOneType(code) || !HasScale(x) || !HasScale(output)) return UnsupportedScales(code);
  const double root = double{std::sqrt(x.quantization.scale())};
  FixedPoint scale = ToFixedPoint(
      1.0 / (static_cast<double>(static_cast<float>(root)) * double{output.quantization.scale()}));
  constexpr int kBits = 20;
  scale.shift -= kBits;
  if (scale.shift < -31 || scale.shift > 20) return ScalesTooFarApart(code);
  WriteByTable(code, [&](int64_t value) {
    const auto centred = static_cast<int32_t>(value - x.quantization.zero_point());
    if (centred <= 0) return RangeOf(output.dtype).high;
    FixedPoint inverse = InverseRoot(centred);
    inverse.shift += kBits;
    return RescaleTwice(RescaleTwice(1, inverse), scale) + output.quantization.zero_point();
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status BuildAbs(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  const Tensor& x = code.input(0);
  if (IsFloat(code)) return BuildCall(code, OpKind::kFabs);
  if (!HasOneType(code) || !x.dtype.is_int()) return UnsupportedTypes(code);
  if (x.dtype == kInt8 || (x.dtype == kInt16 && x.quantization.exists()))
    return BuildQuantizedAbs(code);
  WriteEach(code, [&](Value value) { return Max(value, code.Integer(x.dtype, 0) - value); });
  return absl::OkStatus();
}

absl::Status BuildNeg(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  const DataType dtype = code.input(0).dtype;
  if (!HasOneType(code) || (!dtype.is_int() && dtype != kFloat32 && dtype != kFloat16))
    return UnsupportedTypes(code);
  // A product keeps the sign of zeros.
  WriteEach(code, [&](Value value) {
    return dtype.is_int() ? code.Integer(dtype, 0) - value : value * code.Number(dtype, -1);
  });
  return absl::OkStatus();
}

absl::Status BuildCeil(OperatorCode& code) { return BuildCall(code, OpKind::kCeil); }
absl::Status BuildCos(OperatorCode& code) { return BuildOfHalves(code, OpKind::kCos); }
absl::Status BuildFloor(OperatorCode& code) { return BuildOfHalves(code, OpKind::kFloor); }
absl::Status BuildSin(OperatorCode& code) { return BuildOfHalves(code, OpKind::kSin); }
/// Ties go to even numbers. Numbers other than 0 give no negative zero.
absl::Status BuildRound(OperatorCode& code) {
  return BuildOfFloats(code, [&](Value x) {
    const Value zero = code.Number(kFloat32, 0);
    const Value nearest = code.Once(CallOf(OpKind::kNearbyint, x));
    return Select(x != zero && nearest == zero, zero, nearest);
  });
}

absl::Status BuildSquare(OperatorCode& code) {
  return BuildOfFloats(code, [](Value x) { return x * x; });
}

absl::Status BuildExp(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  if (IsFloat(code)) return BuildCall(code, OpKind::kExp);
  if (!code.input(0).dtype.is_int()) return UnsupportedTypes(code);
  return WriteByFunction(code, [](float x) { return std::exp(x); });
}

absl::Status BuildLog(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  if (IsFloat(code)) return BuildCall(code, OpKind::kLog);
  const Tensor& output = code.output();
  if (!output.dtype.is_int() || output.dtype.bits() > 16) return UnsupportedTypes(code);
  const float least = RealOf(output, RangeOf(output.dtype).low);
  return WriteByFunction(code, [=](float x) { return x <= 0 ? least : std::log(x); });
}

absl::Status BuildSqrt(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  return IsFloat(code) ? BuildCall(code, OpKind::kSqrt) : BuildQuantizedSqrt(code);
}

absl::Status BuildRsqrt(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  if (IsFloat(code)) {
    WriteEach(code,
              [&](Value x) { return Div(code.Number(kFloat32, 1), CallOf(OpKind::kSqrt, x)); });
    return absl::OkStatus();
  }
  if (code.input(0).dtype == kInt8) return BuildByteRsqrt(code);
  if (code.output().dtype != kInt16) return UnsupportedTypes(code);
  const float most = 32767.0F * code.output().quantization.scale();
  return WriteByFunction(code, [=](float x) { return x <= 0 ? most : 1 / std::sqrt(x); });
}

absl::Status BuildSign(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  const DataType dtype = code.input(0).dtype;
  if (!HasOneType(code) || (dtype != kInt32 && dtype != kFloat32 && dtype != kFloat64))
    return UnsupportedTypes(code);
  WriteEach(code, [&](Value x) {
    const Value zero = code.Number(dtype, 0);
    // Zeros of both signs give 0, and NaN stays.
    const Value otherwise = dtype.is_floating() ? Select(x == zero, zero, x) : zero;
    return Select(zero < x, code.Number(dtype, 1),
                  Select(x < zero, code.Number(dtype, -1), otherwise));
  });
  return absl::OkStatus();
}

absl::Status BuildLogicalNot(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  if (!code.input(0).dtype.is_bool() || !HasOneType(code)) return UnsupportedTypes(code);
  WriteEach(code, [](Value x) { return !x; });
  return absl::OkStatus();
}

absl::Status BuildElu(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  if (IsFloat(code)) {
    WriteEach(code, [&](Value x) { return Select(x < 0, CallOf(OpKind::kExp, x) - 1, x); });
    return absl::OkStatus();
  }
  if (code.input(0).dtype != kInt8) return UnsupportedTypes(code);
  return WriteByFunction(code, [](float x) { return x < 0 ? std::expm1(x) : x; });
}

absl::Status BuildGelu(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  const bool by_tanh = code.attributes().Int("approximate") != 0;
  if (IsHalf(code)) {
    BuildHalfGelu(code, by_tanh);
    return absl::OkStatus();
  }
  if (!IsFloat(code)) return WriteByFunction(code, by_tanh ? GeluByTanhOf : GeluOf);
  const auto number = [&](double value) { return code.Number(kFloat32, value); };
  WriteEach(code, [&](Value x) {
    const Value inner = by_tanh ? (x + x * x * x * number(0.044715)) *
                                      number(std::numbers::inv_sqrtpi * std::numbers::sqrt2)
                                : x * number(std::numbers::sqrt2 / 2);
    return x * number(0.5) * (number(1) + CallOf(by_tanh ? OpKind::kTanh : OpKind::kErf, inner));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
