// DEQUANTIZE: the real numbers that integers stand for.

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"

namespace tenon::graph {

absl::Status BuildDequantize(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  const Tensor& x = code.input(0);
  if (code.output().dtype != DataType::Float(32)) return UnsupportedTypes(code);
  if (x.dtype == DataType::Float(16)) {
    WriteEach(code, [&](Value value) { return Cast(DataType::Float(32), value); });
    return absl::OkStatus();
  }
  if (!HasScale(x)) return UnsupportedTypes(code);
  // The product in double precision, rounded to float: the product of two floats.
  WriteEach(code, [&](Value value) {
    const Value centred = Cast(DataType::Int(32), value) - x.quantization.zero_point();
    return Cast(DataType::Float(32), centred) *
           code.Number(DataType::Float(32), double{x.quantization.scale()});
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
