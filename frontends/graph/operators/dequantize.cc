// DEQUANTIZE: the real numbers that integers stand for.

#include <algorithm>
#include <vector>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"

namespace tenon::graph {

namespace {

/// Integers whose scales belong to the indices of an axis.
absl::Status DequantizeByAxis(OperatorCode& code) {
  const Tensor& x = code.input(0);
  const Quantization& quantization = x.quantization;
  const auto axis = static_cast<size_t>(quantization.axis);
  if (axis >= x.shape.size() || static_cast<int64_t>(quantization.scales.size()) != x.shape[axis])
    return code.Wrong("expected a scale for each index of the axis");
  const Array scales = FloatConstant(code, "scales", quantization.scales);
  const std::vector<int32_t> all(quantization.zero_points.begin(), quantization.zero_points.end());
  const bool is_centred =
      std::all_of(all.begin(), all.end(), [](int32_t zero) { return zero == 0; });
  const Array zero_points = is_centred ? Array() : IntConstant(code, "zero_points", all);
  const Array from = code.In(0);
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    const Value value = Cast(kInt32, from.Load(at));
    const Value centred = is_centred ? value : value - zero_points({at[axis]});
    return Cast(kFloat32, centred) * scales({at[axis]});
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status BuildDequantize(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  const Tensor& x = code.input(0);
  if (code.output().dtype != kFloat32) return UnsupportedTypes(code);
  if (x.dtype == DataType::Float(16)) {
    WriteEach(code, [&](Value value) { return Cast(kFloat32, value); });
    return absl::OkStatus();
  }
  if (HasScales(x) && x.quantization.is_per_axis() && x.dtype.is_integer() && x.dtype.bits() <= 16)
    return DequantizeByAxis(code);
  if (!HasScale(x)) return UnsupportedScales(code);
  // The product in double precision, rounded to float: the product of two floats.
  const ScaleIntegers zero_point(code, "zero_point", {x.quantization.zero_point()});
  const Value scale = ScaleNumber(code, x.quantization.scale());
  WriteEach(code, [&](Value value) {
    return Cast(kFloat32, Cast(kInt32, value) - zero_point[0]) * scale;
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
