#include "frontends/graph/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "frontends/graph/quantized.h"
#include "frontends/graph/short_table.h"
#include "support/check.h"

namespace tenon::graph {

void WriteElements(OperatorCode& code, size_t output,
                   const std::function<Value(const std::vector<Value>& at)>& element) {
  const Array to = code.Out(output);
  code.Grid("i", MemoryShape(code.output(output)),
            [&](const std::vector<Value>& at) { code.Store(to, at, element(at)); });
}

void WriteEach(OperatorCode& code, const std::function<Value(Value x)>& element) {
  const Array from = code.In(0);
  WriteElements(code, 0, [&](const std::vector<Value>& at) { return element(from.Load(at)); });
}

void WriteByTable(OperatorCode& code, const std::function<int64_t(int64_t x)>& element) {
  const DataType dtype = code.output().dtype;
  TENON_CHECK(dtype.bits() == 8 && code.input(0).dtype.bits() == 8);
  const Interval from = RangeOf(code.input(0).dtype);
  const Interval to = RangeOf(dtype);
  std::vector<uint8_t> bytes;
  for (int64_t x = from.low; x <= from.high; ++x)
    bytes.push_back(static_cast<uint8_t>(std::clamp(element(x), to.low, to.high)));
  const Array table = code.Constant("table", dtype, {256}, std::move(bytes));
  WriteEach(code, [&](Value x) { return table({Cast(DataType::Int(32), x) - from.low}); });
}

absl::Status WriteByFunction(OperatorCode& code, const std::function<float(float x)>& of) {
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  if (x.dtype != output.dtype || !HasScale(x) || !HasScale(output)) return UnsupportedScales(code);
  if (x.dtype.bits() == 8) {
    WriteByTable(code,
                 [&](int64_t value) { return QuantizedInFloat(output, of(RealOf(x, value))); });
    return absl::OkStatus();
  }
  if (!x.dtype.is_int()) return UnsupportedTypes(code);
  const ShortTable table(code, "table", x, output, of);
  WriteEach(code,
            [&](Value value) { return Cast(output.dtype, table(code.Once(Cast(kInt32, value)))); });
  return absl::OkStatus();
}

absl::Status CheckUnary(const OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(1, 1); !status.ok()) return status;
  if (code.input(0).shape == code.output().shape) return absl::OkStatus();
  return code.Wrong("expected an output of the input's shape, found " + code.output().TypeText() +
                    " for " + code.input(0).TypeText());
}

absl::Status CheckOutputType(const OperatorCode& code) {
  const std::string found = code.output().dtype.ToString();
  const std::string_view wanted = code.attributes().Text("output_type", found);
  if (wanted == found) return absl::OkStatus();
  return code.Wrong(fmt::format("expected an output of {}, found {}", wanted, found));
}

Value Divisor(Value x) {
  Code& code = *x.code;
  return Select(x == code.Integer(x.dtype(), 0), code.Integer(x.dtype(), 1), x);
}

int64_t QuantizedInFloat(const Tensor& output, float real) {
  const float inverse = 1 / output.quantization.scale();
  const float steps = std::round(real * inverse);
  // The product of 0 and an infinite inverse is NaN.
  if (std::isnan(steps)) return output.quantization.zero_point();
  const float zero_point = static_cast<float>(output.quantization.zero_point());
  constexpr float kMost = 1 << 30;
  return static_cast<int64_t>(std::clamp(steps + zero_point, -kMost, kMost));
}

float RealOf(const Tensor& x, int64_t value) {
  return x.quantization.scale() * static_cast<float>(value - x.quantization.zero_point());
}

}  // namespace tenon::graph
