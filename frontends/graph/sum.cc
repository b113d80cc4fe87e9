#include "frontends/graph/sum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "frontends/graph/broadcast.h"
#include "frontends/graph/elementwise.h"
#include "frontends/graph/quantized.h"
#include "frontends/graph/short_fixed_point.h"

namespace tenon::graph {

namespace {

/// The exponent of a scale that TensorFlow Lite takes for a power of two: within 0.1 % of one.
std::optional<int> PowerOfTwo(const Tensor& tensor) {
  const float exponent = std::log(tensor.quantization.scale()) * (1.0F / std::log(2.0F));
  const float nearest = std::round(exponent);
  if (!(std::abs(exponent - nearest) < 1e-3F)) return std::nullopt;
  return static_cast<int>(nearest);
}

/// The bits by which each input of int16 is shifted to the right, if the operator asks for shifts
/// and all scales are powers of two.
std::optional<std::array<int, 2>> ShiftsOf(const OperatorCode& code) {
  if (code.output().dtype != kInt16 || code.attributes().Int("pot_scale_int16") == 0)
    return std::nullopt;
  const std::optional<int> a = PowerOfTwo(code.input(0));
  const std::optional<int> b = PowerOfTwo(code.input(1));
  const std::optional<int> to = PowerOfTwo(code.output());
  if (!a || !b || !to) return std::nullopt;
  return std::array{*to - *a, *to - *b};
}

absl::Status SumOfShifted(OperatorCode& code, bool subtract, const std::array<int, 2>& shifts) {
  const absl::StatusOr<Interval> interval = ActivationInterval(code, code.output());
  if (!interval.ok()) return interval.status();
  const bool is_shifted = shifts[0] >= 0 && shifts[1] >= 0 && (shifts[0] == 0 || shifts[1] == 0);
  if (!is_shifted) {
    return code.Wrong(
        "expected that one input has the output's scale, and that the other's is not larger");
  }
  const auto shifted = [&](size_t index, const std::vector<Value>& at) {
    const Value x = Cast(kInt32, BroadcastElement(code, index, at));
    return shifts[index] == 0 ? x : RoundedQuotient(x, std::min(shifts[index], 31));
  };
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    const Value a = shifted(0, at);
    const Value b = shifted(1, at);
    const Value sum = subtract ? a - b : a + b;
    return Cast(kInt16, Max(Min(sum, interval->high), interval->low));
  });
  return absl::OkStatus();
}

absl::Status SumOfQuantized(OperatorCode& code, bool subtract) {
  const Tensor& output = code.output();
  if (!HasScale(code.input(0)) || !HasScale(code.input(1)) || !HasScale(output))
    return UnsupportedScales(code);
  if (const auto shifts = ShiftsOf(code)) return SumOfShifted(code, subtract, *shifts);
  const absl::StatusOr<Interval> interval = ActivationInterval(code, output);
  if (!interval.ok()) return interval.status();
  const int finer_bits = output.dtype.bits() == 16 ? 15 : 20;
  const double common =
      2 * double{std::max(code.input(0).quantization.scale(), code.input(1).quantization.scale())};
  const auto scale_of = [&](size_t index) {
    return ToFixedPoint(double{code.input(index).quantization.scale()} / common);
  };
  const auto most_of = [&](size_t index) {
    const Tensor& x = code.input(index);
    return code.has_replaceable_scales() ? int64_t{1} << x.dtype.bits() : MostCentred(x);
  };
  // Both inputs have the larger of the two steps.
  const int furthest = std::max(-scale_of(0).shift, -scale_of(1).shift);
  const auto fits = [&](size_t index, int shift) {
    return FitsShortStep(most_of(index) << finer_bits, shift);
  };
  const bool is_short =
      code.Choose("right shifts of inputs have less than 30 bits (0: no):", furthest < 30,
                  furthest < 30, [&](int64_t holds) { return holds == 0 || furthest < 30; }) != 0;
  const auto rescaler = [&](size_t index) {
    const FixedPoint scale = scale_of(index);
    const int shift = code.has_replaceable_scales() ? (is_short ? 29 : 31) : -scale.shift;
    Rescaled facts;
    if (fits(index, shift)) facts.step = kInt32;
    return Rescaler(code, scale, facts);
  };
  const Rescaler rescalers[] = {rescaler(0), rescaler(1)};
  const ScaleIntegers zero_points(
      code, "inputs",
      {code.input(0).quantization.zero_point(), code.input(1).quantization.zero_point()});
  const auto scaled = [&](size_t index, const std::vector<Value>& at) {
    const Value x = Cast(kInt32, BroadcastElement(code, index, at)) - zero_points[index];
    return rescalers[index](x << finer_bits);
  };
  // No input's scale exceeds half of the common one.
  const int64_t most = ((most_of(0) + most_of(1)) << finer_bits) / 2 + 2;
  const double last = common / ((1 << finer_bits) * double{output.quantization.scale()});
  const Requantizer requantizer(code, Rounding::kTwice, {last}, {most},
                                output.quantization.zero_point(), *interval);
  const Array to = code.Out();
  code.Grid("i", MemoryShape(output), [&](const std::vector<Value>& at) {
    const Array sum = code.Scalar("sum", kInt32);
    const Value a = scaled(0, at);
    const Value b = scaled(1, at);
    code.Set(sum, subtract ? a - b : a + b);
    code.Store(to, at, requantizer(code.Get(sum), code.Int(0)));
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status BuildSum(OperatorCode& code, bool subtract) {
  if (absl::Status status = code.CheckCounts(2, 2); !status.ok()) return status;
  if (absl::Status status = CheckBroadcast(code); !status.ok()) return status;
  const DataType dtype = code.output().dtype;
  if (code.input(0).dtype != dtype || code.input(1).dtype != dtype) return UnsupportedTypes(code);
  if (dtype == kUInt8 || dtype == kInt8 || dtype == kInt16) return SumOfQuantized(code, subtract);
  const bool is_half = dtype == kFloat16 && !subtract;
  if (dtype != kFloat32 && !is_half && dtype != kInt32 && dtype != kInt64)
    return UnsupportedTypes(code);
  if (const auto probe = Activate(code, code.Number(dtype, 0)); !probe.ok()) return probe.status();
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    const Value a = BroadcastElement(code, 0, at);
    const Value b = BroadcastElement(code, 1, at);
    return *Activate(code, subtract ? a - b : a + b);
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
