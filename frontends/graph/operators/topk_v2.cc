// TOPK_V2: the k largest elements of the last axis, the largest first, and their indices. Of equal
// elements, the first comes first.

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildTopkV2(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 2, 2); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& values = code.output(0);
  const Tensor& places = code.output(1);
  if (values.dtype != x.dtype || x.dtype.is_bool() || !places.dtype.is_int())
    return UnsupportedTypes(code);
  if (x.rank() == 0 || values.shape != places.shape || values.rank() != x.rank() ||
      values.shape.back() > x.shape.back() || x.shape.back() == 0)
    return code.Wrong("expected outputs of at most the last axis' elements");
  const int64_t depth = x.shape.back();
  const int64_t rows = x.elements() / depth;
  const int64_t count = values.shape.back();
  if (values.elements() != rows * count) return code.Wrong("expected outputs that fit the input");
  const Array from = code.Flat(code.In(0), {rows, depth});
  const Array to = code.Flat(code.Out(0), {rows, count});
  const Array to_place = code.Flat(code.Out(1), {rows, count});
  code.For("row", rows, [&](Value row) {
    // The element that was chosen last, and the best one of those that come after it.
    const Array last = code.Scalar("last", x.dtype), best = code.Scalar("best", x.dtype);
    const Array last_place = code.Scalar("last_place", kInt32);
    const Array place = code.Scalar("place", kInt32);
    code.Set(last, code.Number(x.dtype, 0));
    code.Set(last_place, code.Int(-1));
    code.For("j", count, [&](Value j) {
      code.Set(place, code.Int(-1));
      code.Set(best, code.Number(x.dtype, 0));
      code.For("c", depth, [&](Value c) {
        const Value element = from({row, c});
        const Value follows =
            element < code.Get(last) || (element == code.Get(last) && code.Get(last_place) < c);
        const Value is_open = j == code.Int(0) || follows;
        const Value is_better = code.Get(place) < 0 || code.Get(best) < element;
        code.If(is_open && is_better, [&] {
          code.Set(best, element);
          code.Set(place, c);
        });
      });
      code.Set(last, code.Get(best));
      code.Set(last_place, code.Get(place));
      code.Store(to, {row, j}, code.Get(best));
      code.Store(to_place, {row, j}, Cast(places.dtype, Max(code.Get(place), 0)));
    });
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
