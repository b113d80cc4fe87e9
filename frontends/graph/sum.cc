#include "frontends/graph/sum.h"

#include <algorithm>

#include "frontends/graph/broadcast.h"
#include "frontends/graph/elementwise.h"
#include "frontends/graph/quantized.h"

namespace tenon::graph {

namespace {

absl::Status SumOfQuantized(OperatorCode& code, bool subtract) {
  const Tensor& output = code.output();
  if (!HasScale(code.input(0)) || !HasScale(code.input(1)) || !HasScale(output))
    return code.Wrong("expected inputs and output with one scale greater than 0");
  const absl::StatusOr<Interval> interval = ActivationInterval(code, output);
  if (!interval.ok()) return interval.status();
  const int finer_bits = output.dtype.bits() == 16 ? 15 : 20;
  const double common =
      2 * double{std::max(code.input(0).quantization.scale(), code.input(1).quantization.scale())};
  const auto scale_of = [&](size_t index) {
    return ToFixedPoint(double{code.input(index).quantization.scale()} / common);
  };
  const auto scaled = [&](size_t index, const std::vector<Value>& at) {
    const Tensor& from = code.input(index);
    const FixedPoint scale = scale_of(index);
    Rescaled facts;
    if (FitsShortStep(MostCentred(from) << finer_bits, -scale.shift)) facts.step = kInt32;
    const Value x =
        Cast(kInt32, BroadcastElement(code, index, at)) - from.quantization.zero_point();
    return RescaleTwice(x << finer_bits, scale, facts);
  };
  // No input's scale exceeds half of the common one.
  const int64_t most =
      ((MostCentred(code.input(0)) + MostCentred(code.input(1))) << finer_bits) / 2 + 2;
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
  if (dtype.is_int() && dtype.bits() <= 16) return SumOfQuantized(code, subtract);
  if (dtype != DataType::Float(32) && dtype != kInt32 && dtype != DataType::Int(64))
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
