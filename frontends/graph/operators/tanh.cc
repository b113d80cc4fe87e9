// TANH: the hyperbolic tangent. Integers of 8 bits have a table of all results. Integers of 16 bits
// use the table of the logistic function, because tanh(x) = 2 / (1 + exp(-2x)) - 1.

#include <cmath>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"
#include "frontends/graph/short_table.h"
#include "ir/builtins.h"

namespace tenon::graph {

namespace {

absl::Status BuildShortTanh(OperatorCode& code) {
  const Quantization& output = code.output().quantization;
  int exponent = 0;
  if (!(output.scale() > 0) || !IsPowerOfTwo(output.scale(), exponent) || exponent != -15 ||
      output.zero_point() != 0)
    return OtherOutputScale(code, 1.0F / 32768, 0);
  const absl::StatusOr<SigmoidTable> table = SigmoidTable::Make(code, 1);
  if (!table.ok()) return table.status();
  constexpr int kBits = 8;
  WriteEach(code, [&](Value value) {
    const Value x = code.Once(table->Input(value));
    const Value zero = code.Int(0);
    const Value line =
        table->Magnitude(code.Once(Max(x, zero - x)), kBits, int64_t{0xFFFF} << kBits);
    const Value above = line - (1 << 23);
    const Value by_sign = Select(zero <= x, above, code.Int(-1) - above);
    return Cast(DataType::Int(16), (by_sign + (1 << (kBits - 1))) >> kBits);
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status BuildTanh(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  if (x.dtype != output.dtype) return UnsupportedTypes(code);
  if (x.dtype == kFloat32 || x.dtype == kFloat16) {
    WriteEach(code, [&](Value value) {
      return Cast(x.dtype, CallOf(OpKind::kTanh, Cast(kFloat32, value)));
    });
    return absl::OkStatus();
  }
  if (x.dtype == DataType::Int(16)) return BuildShortTanh(code);
  if (x.dtype.bits() != 8 || !HasScale(x) || !HasScale(output)) return UnsupportedScales(code);
  WriteByTable(
      code, [&](int64_t value) { return QuantizedInFloat(output, std::tanh(RealOf(x, value))); });
  return absl::OkStatus();
}

}  // namespace tenon::graph
