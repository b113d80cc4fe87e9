// LOGISTIC: 1 / (1 + exp(-x)). Integers of 8 bits have a table of all results, and integers of 16
// bits a table of magnitudes.

#include <cmath>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"
#include "frontends/graph/short_table.h"
#include "ir/builtins.h"

namespace tenon::graph {

namespace {

absl::Status BuildShortLogistic(OperatorCode& code) {
  const Quantization& output = code.output().quantization;
  if (output.scale() != 1.0F / 32768 || output.zero_point() != 0)
    return OtherOutputScale(code, 1.0F / 32768, 0);
  const absl::StatusOr<SigmoidTable> table = SigmoidTable::Make(code, 0);
  if (!table.ok()) return table.status();
  constexpr int kBits = 9;
  WriteEach(code, [&](Value value) {
    const Value x = code.Once(table->Input(value));
    const Value zero = code.Int(0);
    const Value line = table->Magnitude(code.Once(Max(x, zero - x)), kBits, int64_t{0x7FFF} << 10);
    const Value one = code.Int((1 << 25) - 1);
    const Value by_sign = Select(zero <= x, line, one - line);
    return Cast(DataType::Int(16), (by_sign + (1 << kBits)) >> (kBits + 1));
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status BuildLogistic(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  if (x.dtype != output.dtype) return UnsupportedTypes(code);
  if (x.dtype == kFloat32 || x.dtype == kFloat16) {
    const Value zero = code.Number(kFloat32, 0);
    const Value one = code.Number(kFloat32, 1);
    WriteEach(code, [&](Value value) {
      const Value power = CallOf(OpKind::kExp, zero - Cast(kFloat32, value));
      return Cast(x.dtype, Div(one, one + power));
    });
    return absl::OkStatus();
  }
  if (x.dtype == DataType::Int(16)) return BuildShortLogistic(code);
  if (x.dtype.bits() != 8 || !HasScale(x) || !HasScale(output)) return UnsupportedScales(code);
  WriteByTable(code, [&](int64_t value) {
    return QuantizedInFloat(output, 1.0F / (1.0F + std::exp(-RealOf(x, value))));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
