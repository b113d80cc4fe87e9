// GATHER_ND: the elements or slices of the first input that the rows of the second input name.

#include <algorithm>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/movement.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildGatherNd(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 2); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& rows = code.input(1);
  const Tensor& output = code.output();
  if (x.dtype != output.dtype || !rows.dtype.is_int()) return UnsupportedTypes(code);
  if (rows.rank() == 0 || rows.shape.back() > x.rank())
    return code.Wrong("expected rows of indices for axes of the first input");
  const auto named = static_cast<size_t>(rows.shape.back());
  std::vector<int64_t> shape(rows.shape.begin(), rows.shape.end() - 1);
  const size_t leading = shape.size();
  shape.insert(shape.end(), x.shape.begin() + static_cast<int64_t>(named), x.shape.end());
  const bool is_empty = std::find(x.shape.begin(), x.shape.end(), 0) != x.shape.end();
  if (shape != output.shape || is_empty)
    return code.Wrong("expected inputs that give the output's " + output.TypeText());
  const Array from = code.In(0);
  const Array numbers = code.In(1);
  WriteElements(code, 0, [&](const std::vector<Value>& to) {
    std::vector<Value> own;
    for (size_t i = 0; i < named; ++i) {
      std::vector<Value> place(to.begin(), to.begin() + static_cast<int64_t>(leading));
      place.push_back(code.Int(static_cast<int64_t>(i)));
      own.push_back(IndexWithin(rows, numbers.Load(place), x.shape[i]));
    }
    for (size_t i = leading; i < shape.size(); ++i) own.push_back(to[i]);
    if (own.empty()) own.push_back(code.Int(0));
    return from.Load(own);
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
