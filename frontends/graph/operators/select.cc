// SELECT and SELECT_V2: an element of the second or of the third input, as the first one says. A
// SELECT may have one condition for each index of the first axis.

#include "frontends/graph/broadcast.h"
#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

namespace {

absl::Status BuildSelected(OperatorCode& code, bool by_row) {
  if (absl::Status status = code.CheckCounts(3, 3); !status.ok()) return status;
  const Tensor& condition = code.input(0);
  const DataType dtype = code.output().dtype;
  if (!condition.dtype.is_bool() || code.input(1).dtype != dtype || code.input(2).dtype != dtype)
    return UnsupportedTypes(code);
  by_row = by_row && condition.rank() == 1 && code.output().rank() > 1;
  for (size_t i = by_row ? 1 : 0; i < 3; ++i)
    if (absl::Status status = CheckRepeats(code, i); !status.ok()) return status;
  if (by_row && condition.shape[0] != code.output().shape[0])
    return code.Wrong("expected a condition for each row of the output");
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    const Value chosen = by_row ? code.In(0)({at[0]}) : BroadcastElement(code, 0, at);
    return Select(chosen, BroadcastElement(code, 1, at), BroadcastElement(code, 2, at));
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status BuildSelect(OperatorCode& code) { return BuildSelected(code, true); }
absl::Status BuildSelectV2(OperatorCode& code) { return BuildSelected(code, false); }

}  // namespace tenon::graph
