// Softmax, LogSoftmax and Hardmax along `axis`. With the attribute `flatten`, as in old operator
// sets, they run over all axes from `axis` on.

#include "frontends/graph/operators.h"
#include "frontends/graph/plain/plain.h"
#include "frontends/graph/plain/quantized_builders.h"
#include "ir/builtins.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

absl::Status BuildSoftmax(OperatorCode& code) {
  if (!IsQuantized(code)) TENON_TRY(CheckOneType(code, kFloats));
  const Tensor& x = code.input(0);
  const bool flatten = code.attributes().Int("flatten") != 0;
  const std::vector<int64_t> shape = MemoryShape(x);
  const auto rank = static_cast<int64_t>(shape.size());
  TENON_ASSIGN_OR(const size_t axis, AxisIn(code, code.attributes().Int("axis", -1), rank));
  const size_t end = flatten ? shape.size() : axis + 1;
  const int64_t depth = ExtentOf(shape, axis, end);
  const std::vector<int64_t> seen = {ExtentOf(shape, 0, axis), depth,
                                     ExtentOf(shape, end, shape.size())};
  if (IsQuantized(code)) return BuildQuantizedSoftmax(code, seen);
  const Array from = code.Flat(code.In(0), seen);
  const Array to = code.Flat(code.Out(), seen);
  const DataType dtype = x.dtype;
  const DataType work = WorkType(dtype);
  const bool is_log = code.op().kind == "log_softmax";
  const int64_t others[] = {seen[0], seen[2]};
  code.Grid("i", others, [&](const std::vector<Value>& at) {
    const Array most = code.Scalar("most", work);
    const Array sum = code.Scalar("sum", work);
    const auto place = [&](Value c) { return std::vector<Value>{at[0], c, at[1]}; };
    const auto centred = [&](Value c) { return Cast(work, from.Load(place(c))) - code.Get(most); };
    code.Set(most, LeastOf(code, work));
    code.Set(sum, code.Number(work, 0));
    code.For("c", depth, [&](Value c) {
      code.Set(most, Max(code.Get(most), Cast(work, from.Load(place(c)))));
    });
    code.For("c", depth, [&](Value c) {
      const Value exponential = CallOf(OpKind::kExp, centred(c));
      if (is_log || work != dtype) return code.Set(sum, code.Get(sum) + exponential);
      code.Store(to, place(c), exponential);
      code.Set(sum, code.Get(sum) + to.Load(place(c)));
    });
    if (is_log) code.Set(sum, CallOf(OpKind::kLog, code.Get(sum)));
    code.For("c", depth, [&](Value c) {
      Value result = centred(c);
      if (is_log) {
        result = result - code.Get(sum);
      } else {
        const Value kept = work == dtype ? to.Load(place(c)) : CallOf(OpKind::kExp, result);
        result = Div(kept, code.Get(sum));
      }
      code.Store(to, place(c), Cast(dtype, result));
    });
  });
  return absl::OkStatus();
}

// 1 at the first of the greatest elements, and 0 elsewhere.
absl::Status BuildHardmax(OperatorCode& code) {
  TENON_TRY(CheckOneType(code, kFloats));
  const std::vector<int64_t> shape = MemoryShape(code.input(0));
  const auto rank = static_cast<int64_t>(shape.size());
  TENON_ASSIGN_OR(const size_t axis, AxisIn(code, code.attributes().Int("axis", -1), rank));
  const size_t end = code.attributes().Int("flatten") != 0 ? shape.size() : axis + 1;
  const int64_t depth = ExtentOf(shape, axis, end);
  const std::vector<int64_t> seen = {ExtentOf(shape, 0, axis), depth,
                                     ExtentOf(shape, end, shape.size())};
  const Array from = code.Flat(code.In(0), seen);
  const Array to = code.Flat(code.Out(), seen);
  const DataType dtype = code.output().dtype;
  const DataType work = WorkType(dtype);
  const int64_t others[] = {seen[0], seen[2]};
  code.Grid("i", others, [&](const std::vector<Value>& at) {
    const Array best = code.Scalar("best", kInt32);
    const auto element = [&](Value c) { return Cast(work, from({at[0], c, at[1]})); };
    code.Set(best, code.Int(0));
    code.For("c", depth, [&](Value c) {
      code.If(element(code.Get(best)) < element(c), [&] { code.Set(best, c); });
    });
    code.For("c", depth, [&](Value c) {
      code.Store(to, {at[0], c, at[1]},
                 Select(c == code.Get(best), code.Number(dtype, 1), code.Number(dtype, 0)));
    });
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph::plain
