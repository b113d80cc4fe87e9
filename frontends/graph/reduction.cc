#include "frontends/graph/reduction.h"

#include <algorithm>

#include "frontends/graph/movement.h"
#include "frontends/graph/shapes.h"
#include "support/status_macros.h"

namespace tenon::graph {

absl::StatusOr<std::vector<bool>> ReducedAxes(const OperatorView& op) {
  const Tensor& x = op.input(0);
  TENON_ASSIGN_OR(const std::vector<int64_t> axes, KnownIntegers(op, 1, "axes that are"));
  std::vector<bool> goes(x.shape.size(), false);
  for (const int64_t number : axes) {
    const std::optional<size_t> axis = AxisOf(number, x.rank());
    if (axis) goes[*axis] = true;
    if (!axis && x.rank() > 0) return op.Wrong("expected axes of the input");
  }
  return goes;
}

absl::StatusOr<Reduction> Reduction::Make(const OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 2); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const std::vector<int64_t> shape = MemoryShape(x);
  Reduction made;
  TENON_ASSIGN_OR(made.goes_, ReducedAxes(code));
  // The memory of a tensor without dimensions has one.
  if (x.rank() == 0) made.goes_ = {true};
  int64_t elements = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const bool goes = made.goes_[axis];
    made.kept_.push_back(goes ? 1 : shape[axis]);
    made.reduced_.push_back(goes ? shape[axis] : 1);
    made.count_ *= made.reduced_.back();
    elements *= made.kept_.back();
  }
  if (elements != code.output().elements())
    return code.Wrong("expected an output of the axes that are kept");
  return made;
}

bool Reduction::is_total() const {
  return std::all_of(goes_.begin(), goes_.end(), [](bool goes) { return goes; });
}

void Reduction::Write(OperatorCode& code, const Steps& steps) const {
  const Array from = code.In(0);
  const Array to = code.Flat(code.Out(), kept_);
  code.Grid("i", kept_, [&](const std::vector<Value>& at) {
    steps.begin();
    code.Grid("k", reduced_, [&](const std::vector<Value>& inner) {
      std::vector<Value> own;
      for (size_t axis = 0; axis < at.size(); ++axis)
        own.push_back(goes_[axis] ? inner[axis] : at[axis]);
      steps.fold(from.Load(own));
    });
    code.Store(to, at, steps.end());
  });
}

}  // namespace tenon::graph
