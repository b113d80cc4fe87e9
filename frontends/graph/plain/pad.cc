// Pad. `pads` has numbers of elements before and after the axes that `axes` names, all begins
// first; negative numbers remove elements, before the others repeat what is left. Input 1 may have
// the constant, or the attribute `value`.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/plain/plain.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

struct AxisPad {
  int64_t before = 0;
  int64_t after = 0;
};

absl::StatusOr<std::vector<AxisPad>> PadsOf(const OperatorView& op) {
  const Tensor& x = op.input(0);
  TENON_ASSIGN_OR(const std::vector<size_t> axes, AxesIn(op, x.rank()));
  const std::vector<int64_t> numbers = op.attributes().Ints("pads");
  if (numbers.size() != 2 * axes.size())
    return op.Wrong(
        fmt::format("expected {} numbers in `pads`, found {}", 2 * axes.size(), numbers.size()));
  std::vector<AxisPad> pads(x.shape.size());
  for (size_t i = 0; i < axes.size(); ++i) pads[axes[i]] = {numbers[i], numbers[i + axes.size()]};
  for (const AxisPad& pad : pads) {
    for (const int64_t number : {pad.before, pad.after}) {
      if (number < -kMostExtent || number > kMostExtent)
        return op.Wrong(fmt::format("expected pads of at most {}, found {}", kMostExtent, number));
    }
  }
  return pads;
}

/// The elements of an axis that stay, from the front: negative pads remove the others.
struct Kept {
  int64_t first = 0;
  int64_t extent = 0;
};

Kept KeptOf(const AxisPad& pad, int64_t extent) {
  const int64_t first = std::max<int64_t>(-pad.before, 0);
  return {first, extent - first - std::max<int64_t>(-pad.after, 0)};
}

/// The place in an axis of `extent` elements whose element stands at `at`, which may be outside.
absl::StatusOr<Value> PlaceOf(const OperatorView& op, std::string_view mode, Value at,
                              int64_t extent) {
  if (mode == "edge") return Min(Max(at, 0), extent - 1);
  if (mode == "wrap") return FloorMod(at, extent);
  if (mode != "reflect")
    return op.Wrong(
        fmt::format("expected constant, edge, reflect or wrap in `mode`, found `{}`", mode));
  if (extent == 1) return at.code->Int(0);
  const int64_t period = 2 * (extent - 1);
  const Value phase = FloorMod(at, period);
  return Min(phase, at.code->Int(period) - phase);
}

}  // namespace

absl::StatusOr<Shapes> ShapeOfPad(const OperatorView& op) {
  TENON_ASSIGN_OR(const std::vector<AxisPad> pads, PadsOf(op));
  TensorShape shape = op.input(0).shape;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    shape[axis] += pads[axis].before + pads[axis].after;
    if (shape[axis] < 0)
      return op.Wrong(fmt::format(
          "expected pads that leave elements, found {} of them along axis {}", shape[axis], axis));
  }
  return Shapes{std::move(shape)};
}

absl::Status BuildPad(OperatorCode& code) {
  TENON_TRY(CheckOneType(code, kAnyType));
  TENON_ASSIGN_OR(const std::vector<AxisPad> pads, PadsOf(code));
  const Tensor& x = code.input(0);
  const std::string_view mode = code.attributes().Text("mode", "constant");
  if (code.HasInput(1) && code.input(1).elements() != 1)
    return code.Wrong("expected one number to pad with, found " + code.input(1).TypeText());
  const bool is_constant = mode == "constant";
  for (size_t axis = 0; !is_constant && axis < x.shape.size(); ++axis) {
    if (KeptOf(pads[axis], x.shape[axis]).extent <= 0 && code.output().elements() > 0)
      return code.Wrong(
          fmt::format("expected elements to pad with, found none along axis {}", axis));
  }
  const auto probe = PlaceOf(code, is_constant ? "edge" : mode, code.Int(0), 1);
  if (!probe.ok()) return probe.status();
  TENON_ASSIGN_OR(Value fill, NumberSetting(code, "value", x.dtype));
  if (code.HasInput(1)) {
    const std::vector<Value> first(MemoryShape(code.input(1)).size(), code.Int(0));
    fill = code.In(1).Load(first);
  }
  const Array from = code.In(0);
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    std::vector<Value> own;
    Value inside = code.Bool(true);
    const auto require = [&](Value condition) {
      const bool is_first = IsConstInt(inside.expr, 1);
      inside = is_first ? condition : inside && condition;
    };
    for (size_t axis = 0; axis < x.shape.size(); ++axis) {
      const AxisPad& pad = pads[axis];
      const int64_t extent = x.shape[axis];
      Value place = at[axis] - pad.before;
      if (is_constant) {
        if (pad.before > 0) require(0 <= place);
        if (pad.after > 0) require(place < extent);
      } else if (pad.before > 0 || pad.after > 0) {
        const Kept kept = KeptOf(pad, extent);
        if (kept.first > 0) place = place - kept.first;
        place = *PlaceOf(code, mode, place, kept.extent);
        if (kept.first > 0) place = place + kept.first;
      }
      own.push_back(place);
    }
    if (own.empty()) own.push_back(code.Int(0));
    return IfThenElse(inside, from.Load(own), fill);
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph::plain
