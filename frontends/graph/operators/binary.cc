// Operators that compute each element from two elements without a fused activation: FLOOR_DIV,
// FLOOR_MOD, LOGICAL_AND, LOGICAL_OR, POW and SQUARED_DIFFERENCE.

#include <algorithm>
#include <functional>

#include "frontends/graph/broadcast.h"
#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"
#include "ir/builtins.h"

namespace tenon::graph {

namespace {

/// Checks that two inputs and the output have one dtype, and that their shapes fit.
absl::Status CheckBinary(const OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 2); !status.ok()) return status;
  if (absl::Status status = CheckBroadcast(code); !status.ok()) return status;
  const DataType dtype = code.output().dtype;
  if (code.input(0).dtype == dtype && code.input(1).dtype == dtype) return absl::OkStatus();
  return UnsupportedTypes(code);
}

void WritePairs(OperatorCode& code, const std::function<Value(Value a, Value b)>& element) {
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    return element(BroadcastElement(code, 0, at), BroadcastElement(code, 1, at));
  });
}

absl::Status BuildOfBools(OperatorCode& code, const std::function<Value(Value, Value)>& element) {
  if (absl::Status status = CheckBinary(code); !status.ok()) return status;
  if (!code.output().dtype.is_bool()) return UnsupportedTypes(code);
  WritePairs(code, element);
  return absl::OkStatus();
}

/// Both numbers on a grid that is twice as fine as the larger scale, then the square of the
/// difference.
absl::Status BuildQuantizedDifference(OperatorCode& code) {
  const Tensor& output = code.output();
  if (!HasScale(code.input(0)) || !HasScale(code.input(1)) || !HasScale(output))
    return UnsupportedScales(code);
  constexpr int kGridBits = 7;
  const float scales[] = {code.input(0).quantization.scale(), code.input(1).quantization.scale()};
  const double twice = double{2 * std::max(scales[0], scales[1])};
  const FixedPoint to_grid[] = {ToFixedPoint(double{scales[0]} / twice),
                                ToFixedPoint(double{scales[1]} / twice)};
  const float unit = static_cast<float>(1 << (2 * kGridBits)) * output.quantization.scale();
  const FixedPoint to_output = ToFixedPoint(twice * twice / double{unit});
  if (to_output.shift > 0) return ScalesTooFarApart(code);
  const Interval range = RangeOf(output.dtype);
  const auto on_grid = [&](size_t i, Value x) {
    const Value centred = Cast(kInt32, x) - code.input(i).quantization.zero_point();
    return RescaleTwice(centred << kGridBits, to_grid[i]);
  };
  WritePairs(code, [&](Value a, Value b) {
    const Value difference = code.Once(on_grid(0, a) - on_grid(1, b));
    const Value square = code.Once(difference * difference);
    const Value result = RescaleTwice(square, to_output) + output.quantization.zero_point();
    return Cast(output.dtype, Max(Min(result, range.high), range.low));
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status BuildLogicalAnd(OperatorCode& code) {
  return BuildOfBools(code, [](Value a, Value b) { return a && b; });
}
absl::Status BuildLogicalOr(OperatorCode& code) {
  return BuildOfBools(code, [](Value a, Value b) { return a || b; });
}

absl::Status BuildSquaredDifference(OperatorCode& code) {
  if (absl::Status status = CheckBinary(code); !status.ok()) return status;
  const DataType dtype = code.output().dtype;
  if (dtype == kInt8) return BuildQuantizedDifference(code);
  if (dtype != kInt32 && dtype != kFloat32) return UnsupportedTypes(code);
  WritePairs(code, [&](Value a, Value b) {
    const Value difference = code.Once(a - b);
    return difference * difference;
  });
  return absl::OkStatus();
}

absl::Status BuildFloorDiv(OperatorCode& code) {
  if (absl::Status status = CheckBinary(code); !status.ok()) return status;
  const DataType dtype = code.output().dtype;
  if (dtype == kFloat32) {
    WritePairs(code, [](Value a, Value b) { return CallOf(OpKind::kFloor, Div(a, b)); });
    return absl::OkStatus();
  }
  if (!dtype.is_int()) return UnsupportedTypes(code);
  WritePairs(code, [](Value a, Value b) { return FloorDiv(a, Divisor(b)); });
  return absl::OkStatus();
}

absl::Status BuildFloorMod(OperatorCode& code) {
  if (absl::Status status = CheckBinary(code); !status.ok()) return status;
  const DataType dtype = code.output().dtype;
  if (dtype == kFloat32) {
    WritePairs(code, [&](Value a, Value b) {
      const Value zero = code.Number(dtype, 0);
      const Value rest = code.Once(CallOf(OpKind::kFmod, a, b));
      const Value signs_differ = (b < zero) != (rest < zero);
      return Select(rest != zero && signs_differ, rest + b, rest);
    });
    return absl::OkStatus();
  }
  if (!dtype.is_int()) return UnsupportedTypes(code);
  WritePairs(code, [](Value a, Value b) { return FloorMod(a, Divisor(b)); });
  return absl::OkStatus();
}

absl::Status BuildPow(OperatorCode& code) {
  if (absl::Status status = CheckBinary(code); !status.ok()) return status;
  const DataType dtype = code.output().dtype;
  if (dtype != kInt32 && dtype != kFloat32) return UnsupportedTypes(code);
  WritePairs(code, [&](Value a, Value b) {
    if (dtype == kFloat32) return CallOf(OpKind::kPow, a, b);
    return Cast(dtype, CallOf(OpKind::kPow, Cast(kFloat64, a), Cast(kFloat64, b)));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
