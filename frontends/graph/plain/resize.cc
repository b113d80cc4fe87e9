// Resize: the attributes `scales` or `sizes` belong to `axes`, or to all axes. Each element of the
// output is a weighted sum of elements along each axis. Places and weights are known at compile
// time, so they are tables.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/plain/plain.h"
#include "frontends/graph/plain/resize_axis.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

/// The tables of one axis: rows of places and weights, and whether the place is outside.
struct AxisTables {
  int64_t taps = 0;
  Array places, weights, outside;

  bool exists() const { return taps > 0; }
};

AxisTables TablesOf(OperatorCode& code, const AxisTaps& axis, DataType dtype) {
  AxisTables tables;
  if (axis.is_identity) return tables;
  tables.taps = axis.taps;
  const auto count = static_cast<int64_t>(axis.places.size());
  tables.places =
      code.Flat(IntConstant(code, "places", axis.places), {count / axis.taps, axis.taps});
  if (axis.taps > 1) {
    tables.weights = code.Flat(RealConstant(code, "weights", dtype, axis.weights),
                               {count / axis.taps, axis.taps});
  }
  if (std::find(axis.outside.begin(), axis.outside.end(), 1) != axis.outside.end())
    tables.outside = IntConstant(code, "outside", axis.outside);
  return tables;
}

/// Writes the sum over all taps of all axes.
void AddTaps(OperatorCode& code, const std::vector<AxisTables>& axes, const std::vector<Value>& at,
             std::vector<Value>& place, Value weight, const Array& sum) {
  const size_t axis = place.size();
  if (axis == axes.size()) {
    const Value element = Cast(sum.dtype(), code.In(0).Load(place));
    return code.Set(sum, code.Get(sum) + weight * element);
  }
  const AxisTables& tables = axes[axis];
  code.For("t" + std::to_string(axis), std::max<int64_t>(tables.taps, 1), [&](Value tap) {
    Value scaled = weight;
    if (tables.taps > 1) scaled = weight * tables.weights({at[axis], tap});
    place.push_back(tables.exists() ? tables.places({at[axis], tap}) : at[axis]);
    AddTaps(code, axes, at, place, scaled, sum);
    place.pop_back();
  });
}

}  // namespace

absl::StatusOr<Shapes> ShapeOfResize(const OperatorView& op) {
  TENON_ASSIGN_OR(const std::vector<ResizeAxis> axes, ResizeAxesOf(op));
  TensorShape shape;
  for (const ResizeAxis& axis : axes) shape.push_back(axis.output);
  return Shapes{std::move(shape)};
}

absl::Status BuildResize(OperatorCode& code) {
  TENON_TRY(CheckOneType(code, kNumbers));
  TENON_ASSIGN_OR(const std::vector<ResizeAxis> settings, ResizeAxesOf(code));
  const DataType dtype = code.output().dtype;
  const DataType work = dtype == kFloat64 ? kFloat64 : kFloat32;
  std::vector<AxisTables> axes;
  bool is_sum = false;
  for (const ResizeAxis& setting : settings) {
    TENON_ASSIGN_OR(const AxisTaps taps, TapsOf(code, setting));
    axes.push_back(TablesOf(code, taps, work));
    is_sum = is_sum || axes.back().taps > 1;
  }
  const Array from = code.In(0);
  TENON_ASSIGN_OR(const Value fill, NumberSetting(code, "extrapolation_value", dtype));
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    Value result = fill;
    if (is_sum) {
      const Array sum = code.Scalar("sum", work);
      code.Set(sum, code.Number(work, 0));
      std::vector<Value> place;
      AddTaps(code, axes, at, place, code.Number(work, 1), sum);
      result = Cast(dtype, code.Get(sum));
    } else {
      std::vector<Value> place;
      for (size_t axis = 0; axis < axes.size(); ++axis)
        place.push_back(axes[axis].exists() ? axes[axis].places({at[axis], code.Int(0)})
                                            : at[axis]);
      if (place.empty()) place.push_back(code.Int(0));
      result = from.Load(place);
    }
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      if (!axes[axis].outside.exists()) continue;
      result = Select(axes[axis].outside({at[axis]}) == code.Int(0), result, fill);
    }
    return result;
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph::plain
