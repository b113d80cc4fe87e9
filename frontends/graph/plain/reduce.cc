// ReduceSum, ReduceMean and the like over any axes, ArgMax and ArgMin.

#include <fmt/format.h>

#include <functional>
#include <utility>

#include "frontends/graph/operators.h"
#include "frontends/graph/plain/plain.h"
#include "frontends/graph/plain/quantized_builders.h"
#include "ir/builtins.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

/// For each axis of the input, whether it goes.
absl::StatusOr<std::vector<bool>> GoingAxes(const OperatorView& op) {
  const int64_t rank = op.input(0).rank();
  std::vector<bool> goes(static_cast<size_t>(rank));
  const bool is_empty = op.attributes().Ints("axes").empty();
  if (is_empty) {
    goes.assign(goes.size(), op.attributes().Int("noop_with_empty_axes") == 0);
    return goes;
  }
  TENON_ASSIGN_OR(const std::vector<size_t> axes, AxesIn(op, rank));
  for (const size_t axis : axes) goes[axis] = true;
  return goes;
}

TensorShape WithoutAxes(const OperatorView& op, const std::vector<bool>& goes) {
  const bool keep = op.attributes().Int("keepdims", 1) != 0;
  TensorShape shape;
  for (size_t axis = 0; axis < goes.size(); ++axis) {
    if (!goes[axis]) shape.push_back(op.input(0).shape[axis]);
    if (goes[axis] && keep) shape.push_back(1);
  }
  return shape;
}

/// How elements become one. `begin` is the first value, `fold` brings in a term, `end` makes the
/// result.
struct ReduceRow {
  std::string_view kind;
  Types types;
  Value (*begin)(Code& code, DataType dtype);
  Value (*term)(Value x);
  Value (*fold)(Value so_far, Value term);
  Value (*end)(Value total, int64_t count);
  /// Whether integers are computed in floats.
  bool in_floats = false;
};

Value Zero(Code& code, DataType dtype) { return code.Number(dtype, 0); }
Value Same(Value x) { return x; }
Value Square(Value x) { return x * x; }
Value Add(Value a, Value b) { return a + b; }
Value End(Value total, int64_t) { return total; }
Value Magnitude(Value x) {
  if (x.dtype().is_floating()) return CallOf(OpKind::kFabs, x);
  return x.dtype().is_uint() ? x : Select(x < 0, x.code->Integer(x.dtype(), 0) - x, x);
}
Value Mean(Value total, int64_t count) {
  if (!total.dtype().is_floating()) return count == 0 ? total : Div(total, count);
  return Div(total, total.code->Number(total.dtype(), static_cast<double>(count)));
}

constexpr ReduceRow kReduceRows[] = {
    {"reduce_sum", kNumbers, &Zero, &Same, &Add, &End},
    {"reduce_mean", kNumbers, &Zero, &Same, &Add, &Mean},
    {"reduce_max", kAnyType, &LeastOf, &Same, &MaxOf, &End},
    {"reduce_min", kAnyType, &GreatestOf, &Same, &MinOf, &End},
    {"reduce_prod", kNumbers, [](Code& code, DataType dtype) { return code.Number(dtype, 1); },
     &Same, [](Value a, Value b) { return a * b; }, &End},
    {"reduce_l1", kNumbers, &Zero, &Magnitude, &Add, &End},
    {"reduce_l2", kNumbers, &Zero, &Square, &Add,
     [](Value total, int64_t) { return CallOf(OpKind::kSqrt, total); }, true},
    {"reduce_log_sum", kNumbers, &Zero, &Same, &Add,
     [](Value total, int64_t) { return CallOf(OpKind::kLog, total); }, true},
    {"reduce_log_sum_exp", kNumbers, &Zero, [](Value x) { return CallOf(OpKind::kExp, x); }, &Add,
     [](Value total, int64_t) { return CallOf(OpKind::kLog, total); }, true},
    {"reduce_sum_square", kNumbers, &Zero, &Square, &Add, &End},
};

/// The dtype of the sum. The mean of small integers needs more bits than they have.
DataType SumType(const ReduceRow& row, DataType dtype) {
  if (dtype.is_bool()) return kUInt8;
  if (dtype.is_floating()) return WorkType(dtype);
  if (row.in_floats) return kFloat64;
  return row.kind == "reduce_mean" ? dtype.with_bits(64) : dtype;
}

/// Loops over the output, and for each element over what becomes the element.
class Reducer {
 public:
  Reducer(OperatorCode& code, std::vector<bool> goes) : code_(code), goes_(std::move(goes)) {
    const std::vector<int64_t> shape = MemoryShape(code.input(0));
    // The memory of a tensor without dimensions has one.
    goes_.resize(shape.size(), false);
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      kept_.push_back(goes_[axis] ? 1 : shape[axis]);
      reduced_.push_back(goes_[axis] ? shape[axis] : 1);
      count_ *= reduced_.back();
    }
  }

  int64_t count() const { return count_; }

  void ForEachOutput(const std::function<void(const std::vector<Value>& at)>& body) {
    code_.Grid("i", kept_, body);
  }
  /// `body` gets the elements of an output.
  void ForEachElement(const std::vector<Value>& at,
                      const std::function<void(Value element)>& body) {
    const Array from = code_.In(0);
    code_.Grid("k", reduced_, [&](const std::vector<Value>& inner) {
      std::vector<Value> own;
      for (size_t axis = 0; axis < at.size(); ++axis)
        own.push_back(goes_[axis] ? inner[axis] : at[axis]);
      body(from.Load(own));
    });
  }
  void Store(const std::vector<Value>& at, Value value) {
    code_.Store(code_.Flat(code_.Out(), kept_), at, value);
  }

 private:
  OperatorCode& code_;
  std::vector<bool> goes_;
  std::vector<int64_t> kept_;
  std::vector<int64_t> reduced_;
  int64_t count_ = 1;
};

absl::Status BuildQuantizedMean(OperatorCode& code) {
  TENON_ASSIGN_OR(std::vector<bool> goes, GoingAxes(code));
  Reducer reducer(code, std::move(goes));
  TENON_ASSIGN_OR(const QuantizedMean mean,
                  QuantizedMean::Make(code, reducer.count(), true, false));
  reducer.ForEachOutput([&](const std::vector<Value>& at) {
    const Array sum = mean.NewSum();
    reducer.ForEachElement(at, [&](Value element) { mean.Add(sum, element); });
    reducer.Store(at, mean.Result(sum, code.Int(0)));
  });
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shapes> ShapeOfReduce(const OperatorView& op) {
  TENON_ASSIGN_OR(const std::vector<bool> goes, GoingAxes(op));
  return Shapes{WithoutAxes(op, goes)};
}

absl::Status BuildReduce(OperatorCode& code) {
  const ReduceRow* row = nullptr;
  for (const ReduceRow& one : kReduceRows)
    if (one.kind == code.op().kind) row = &one;
  if (row == nullptr) return code.Unsupported("an operator without a row");
  if (IsQuantized(code) && row->kind == "reduce_mean") return BuildQuantizedMean(code);
  TENON_TRY(CheckOneType(code, row->types));
  TENON_ASSIGN_OR(std::vector<bool> goes, GoingAxes(code));
  const DataType dtype = SumType(*row, code.output().dtype);
  const bool shifts = row->kind == "reduce_log_sum_exp";
  Reducer reducer(code, std::move(goes));
  reducer.ForEachOutput([&](const std::vector<Value>& at) {
    Array most;
    if (shifts) {
      // Exponentials of differences to the greatest element do not overflow.
      most = code.Scalar("most", dtype);
      code.Set(most, LeastOf(code, dtype));
      reducer.ForEachElement(at,
                             [&](Value x) { code.Set(most, Max(code.Get(most), Cast(dtype, x))); });
      const Value is_finite = code.Get(most) - code.Get(most) == code.Number(dtype, 0);
      code.Set(most, Select(is_finite, code.Get(most), code.Number(dtype, 0)));
    }
    const Array result = code.Scalar("result", dtype);
    code.Set(result, row->begin(code, dtype));
    reducer.ForEachElement(at, [&](Value x) {
      const Value wide = Cast(dtype, x);
      const Value term = row->term(shifts ? wide - code.Get(most) : wide);
      code.Set(result, row->fold(code.Get(result), term));
    });
    Value total = row->end(code.Get(result), reducer.count());
    if (shifts) total = total + code.Get(most);
    reducer.Store(at, Cast(code.output().dtype, total));
  });
  return absl::OkStatus();
}

absl::StatusOr<Shapes> ShapeOfArg(const OperatorView& op) {
  TENON_ASSIGN_OR(const size_t axis, AxisIn(op, op.attributes().Int("axis"), op.input(0).rank()));
  std::vector<bool> goes(op.input(0).shape.size());
  goes[axis] = true;
  return Shapes{WithoutAxes(op, goes)};
}

// The place of the greatest or the least element: the first of them, or with `select_last_index`
// the last one.
absl::Status BuildArg(OperatorCode& code) {
  TENON_TRY(CheckInput(code, 0, kNumbers));
  TENON_TRY(CheckOutput(code, kInt64));
  const Tensor& x = code.input(0);
  TENON_ASSIGN_OR(const size_t axis, AxisIn(code, code.attributes().Int("axis"), x.rank()));
  const bool is_last = code.attributes().Int("select_last_index") != 0;
  const bool is_max = code.op().kind == "arg_max";
  const int64_t depth = x.shape[axis];
  if (depth == 0) return code.Wrong("expected elements along the axis");
  const int64_t others[] = {ExtentOf(x.shape, 0, axis),
                            ExtentOf(x.shape, axis + 1, x.shape.size())};
  const Array from = code.Flat(code.In(0), {others[0], depth, others[1]});
  const Array to = code.Flat(code.Out(), {others[0], others[1]});
  code.Grid("i", others, [&](const std::vector<Value>& at) {
    const Array best = code.Scalar("best", kInt32);
    code.Set(best, code.Int(0));
    code.For("k", depth, [&](Value k) {
      const Value element = Widened(from({at[0], k, at[1]}));
      const Value so_far = Widened(from({at[0], code.Get(best), at[1]}));
      const Value low = is_max ? so_far : element;
      const Value high = is_max ? element : so_far;
      code.If(is_last ? low <= high : low < high, [&] { code.Set(best, k); });
    });
    code.Store(to, at, Cast(kInt64, code.Get(best)));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph::plain
