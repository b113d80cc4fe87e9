// FILL (shape, value) and ZEROS_LIKE: one value in every element. The output's shape is known.

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildFill(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(0, 2); !status.ok()) return status;
  if (!code.HasInput(1)) return code.Wrong("the value is missing");
  if (code.input(1).dtype != code.output().dtype) return UnsupportedTypes(code);
  if (code.input(1).elements() != 1) return code.Wrong("expected one element to fill with");
  const Array value = code.Flat(code.In(1), {1});
  WriteElements(code, 0, [&](const std::vector<Value>&) { return code.Get(value); });
  return absl::OkStatus();
}

absl::Status BuildZerosLike(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  const DataType dtype = code.output().dtype;
  if (dtype != code.input(0).dtype || dtype.is_bool()) return UnsupportedTypes(code);
  WriteElements(code, 0, [&](const std::vector<Value>&) { return code.Number(dtype, 0); });
  return absl::OkStatus();
}

}  // namespace tenon::graph
