// ARG_MAX and ARG_MIN: the index of the largest or of the least element along an axis; the first
// one of equal elements.

#include "frontends/graph/elementwise.h"
#include "frontends/graph/movement.h"
#include "frontends/graph/operators.h"
#include "ir/builtins.h"
#include "support/status_macros.h"

namespace tenon::graph {

namespace {

/// True if `x` takes the place of `best`: NaN gives way to every number.
Value IsBetter(Value x, Value best, bool largest) {
  const Value better = largest ? best < x : x < best;
  if (!x.dtype().is_floating()) return better;
  return better || (IsNan(best) && !IsNan(x));
}

absl::Status BuildArg(OperatorCode& code, bool largest) {
  if (absl::Status status = code.CheckCounts(2, 2); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  TENON_ASSIGN_OR(const int64_t number, AxisNumber(code, 1));
  const std::optional<size_t> axis = AxisOf(number, x.rank());
  if (!axis || x.shape[*axis] == 0) return code.Wrong("expected an axis with elements");
  std::vector<int64_t> shape = x.shape;
  shape[*axis] = 1;
  if (output.elements() * x.shape[*axis] != x.elements())
    return code.Wrong("expected an output of the axes that are kept");
  if (output.dtype != kInt32 && output.dtype != kInt64) return UnsupportedTypes(code);
  TENON_TRY(CheckOutputType(code));
  const DataType dtype = x.dtype.is_bool() ? kInt8 : x.dtype;
  const Array from = code.In(0);
  const Array to = code.Flat(code.Out(), shape);
  code.Grid("i", shape, [&](const std::vector<Value>& at) {
    const auto element = [&](Value k) {
      std::vector<Value> own = at;
      own[*axis] = k;
      return Cast(dtype, from.Load(own));
    };
    const Array best = code.Scalar("best", dtype);
    const Array place = code.Scalar("place", kInt32);
    code.Set(best, element(code.Int(0)));
    code.Set(place, code.Int(0));
    code.For("k", x.shape[*axis], [&](Value k) {
      code.If(IsBetter(element(k), code.Get(best), largest), [&] {
        code.Set(best, element(k));
        code.Set(place, k);
      });
    });
    code.Store(to, at, Cast(output.dtype, code.Get(place)));
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status BuildArgMax(OperatorCode& code) { return BuildArg(code, true); }
absl::Status BuildArgMin(OperatorCode& code) { return BuildArg(code, false); }

}  // namespace tenon::graph
