// MUL: the product of two tensors.

#include "frontends/graph/broadcast.h"
#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"

namespace tenon::graph {

namespace {

absl::Status MulQuantized(OperatorCode& code) {
  const Tensor& output = code.output();
  if (!HasScale(code.input(0)) || !HasScale(code.input(1)) || !HasScale(output))
    return UnsupportedScales(code);
  const absl::StatusOr<Interval> interval = ActivationInterval(code, output);
  if (!interval.ok()) return interval.status();
  // In float arithmetic, like TensorFlow Lite.
  const float scale = code.input(0).quantization.scale() * code.input(1).quantization.scale() /
                      output.quantization.scale();
  const FixedPoint fixed = ToFixedPoint(double{scale});
  const ScaleIntegers zero_points(
      code, "inputs",
      {code.input(0).quantization.zero_point(), code.input(1).quantization.zero_point()});
  const auto centred = [&](size_t index, const std::vector<Value>& at) {
    return Cast(kInt32, BroadcastElement(code, index, at)) - zero_points[index];
  };
  const Rescaler rescale(code, fixed);
  const OutputStep step(code, output.quantization.zero_point(), *interval);
  const Array to = code.Out();
  code.Grid("i", MemoryShape(output), [&](const std::vector<Value>& at) {
    const Array product = code.Scalar("product", kInt32);
    code.Set(product, centred(0, at) * centred(1, at));
    code.Store(to, at, step(rescale(code.Get(product))));
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status BuildMul(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 2); !status.ok()) return status;
  if (absl::Status status = CheckBroadcast(code); !status.ok()) return status;
  const DataType dtype = code.output().dtype;
  if (code.input(0).dtype != dtype || code.input(1).dtype != dtype) return UnsupportedTypes(code);
  if (dtype == kUInt8 || dtype == kInt8 || dtype == kInt16) return MulQuantized(code);
  if (dtype != kFloat32 && dtype != kFloat16 && dtype != kInt32 && dtype != kInt64 &&
      dtype != DataType::UInt(32))
    return UnsupportedTypes(code);
  if (dtype.is_uint() && code.attributes().Text("activation", "none") != "none")
    return code.Unsupported("a fused activation of uint32");
  if (const auto probe = Activate(code, code.Number(dtype, 0)); !probe.ok()) return probe.status();
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    return *Activate(code, BroadcastElement(code, 0, at) * BroadcastElement(code, 1, at));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
