// BatchNormalization for inference, InstanceNormalization, GroupNormalization, LayerNormalization,
// RMSNormalization, LpNormalization and LRN.

#include <fmt/format.h>

#include <functional>
#include <optional>

#include "frontends/graph/axis_order.h"
#include "frontends/graph/broadcast.h"
#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/plain/plain.h"
#include "frontends/graph/plain/sliding.h"
#include "ir/builtins.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

/// An element of `values`, for the output's element at `at` of the shape that rows are seen in.
using ElementAt = std::function<Value(const std::vector<Value>& at)>;

/// Rows of a tensor that are brought to one scale.
struct Rows {
  /// The tensor's shape; axes from `axis` on are the elements of a row.
  std::vector<int64_t> seen;
  size_t axis = 0;
  /// The order in which memory has these axes.
  AxisOrder order = InOrder(seen.size());
  /// False for RMSNormalization, which subtracts no mean.
  bool has_mean = true;
  ElementAt scale;
  /// Empty if nothing is added.
  ElementAt bias;
};

/// One over the square root of a variance.
Value InverseDeviation(OperatorCode& code, Value variance) {
  const DataType dtype = variance.dtype();
  const Value epsilon = code.Number(dtype, code.attributes().Real("epsilon", 1e-5F));
  return Div(code.Number(dtype, 1), CallOf(OpKind::kSqrt, variance + epsilon));
}

void WriteRows(OperatorCode& code, const Rows& rows) {
  const Array from = code.Flat(code.In(0), Ordered(rows.seen, rows.order));
  const Array to = code.Flat(code.Out(0), Ordered(rows.seen, rows.order));
  const auto place_of = [&](const std::vector<Value>& at) {
    std::vector<Value> place;
    for (const size_t axis : rows.order) place.push_back(at[axis]);
    return place;
  };
  const auto element = [&](const std::vector<Value>& at) {
    return Cast(WorkType(code.output().dtype), from.Load(place_of(at)));
  };
  const std::span<const int64_t> all(rows.seen);
  const int64_t depth = ExtentOf(all, rows.axis, all.size());
  const DataType dtype = WorkType(code.output().dtype);
  const Value count = code.Number(dtype, static_cast<double>(depth));
  const auto stored = [&](size_t output, std::span<const Value> at, Value value) {
    if (!code.HasOutput(output)) return;
    std::vector<Value> place(at.begin(), at.end());
    place.resize(MemoryShape(code.output(output)).size(), code.Int(0));
    code.Store(code.Out(output), place, Cast(code.output(output).dtype, value));
  };
  code.Grid("i", all.first(rows.axis), [&](const std::vector<Value>& row) {
    const auto for_each = [&](const std::function<void(const std::vector<Value>& at)>& body) {
      code.Grid("k", all.subspan(rows.axis), [&](const std::vector<Value>& inner) {
        std::vector<Value> at = row;
        at.insert(at.end(), inner.begin(), inner.end());
        body(at);
      });
    };
    const Array mean = code.Scalar("mean", dtype);
    const Array deviation = code.Scalar("inverse_deviation", dtype);
    const auto centred = [&](const std::vector<Value>& at) {
      const Value x = element(at);
      return rows.has_mean ? x - code.Get(mean) : x;
    };
    code.Set(mean, code.Number(dtype, 0));
    code.Set(deviation, code.Number(dtype, 0));
    if (rows.has_mean) {
      for_each([&](const std::vector<Value>& at) { code.Set(mean, code.Get(mean) + element(at)); });
      code.Set(mean, Div(code.Get(mean), count));
    }
    for_each([&](const std::vector<Value>& at) {
      const Value difference = code.Once(centred(at));
      code.Set(deviation, code.Get(deviation) + difference * difference);
    });
    code.Set(deviation, InverseDeviation(code, Div(code.Get(deviation), count)));
    for_each([&](const std::vector<Value>& at) {
      Value result = centred(at) * code.Get(deviation) * Cast(dtype, rows.scale(at));
      if (rows.bias) result = result + Cast(dtype, rows.bias(at));
      code.Store(to, place_of(at), Cast(code.output().dtype, result));
    });
    stored(1, row, code.Get(mean));
    stored(2, row, code.Get(deviation));
  });
}

absl::Status CheckParameters(const OperatorView& op, int64_t elements) {
  for (size_t i = 1; i < op.inputs(); ++i) {
    TENON_TRY(op.CheckPresent(i + 1));
    TENON_TRY(CheckInput(op, i, kFloats));
    if (op.input(i).rank() != 1 || op.input(i).shape[0] != elements)
      return op.Wrong(fmt::format("expected {} elements in input {}, found {}", elements, i,
                                  op.input(i).TypeText()));
  }
  return absl::OkStatus();
}

absl::Status CheckFloats(const OperatorView& op) {
  TENON_TRY(CheckInput(op, 0, kFloats));
  return CheckOutput(op, op.input(0).dtype);
}

}  // namespace

absl::Status BuildBatchNormalization(OperatorCode& code) {
  TENON_TRY(CheckFloats(code));
  if (code.attributes().Int("training_mode") != 0)
    return code.Unsupported("training (`training_mode` = 1)");
  const Tensor& x = code.input(0);
  if (x.rank() == 0) return code.Wrong("expected an input with dimensions, found a number");
  const bool last = HasChannelsLast(code);
  const size_t axis = last ? x.shape.size() - 1 : (x.shape.size() == 1 ? 0 : 1);
  // A tensor of one dimension has one channel.
  const int64_t channels = x.rank() == 1 ? 1 : x.shape[axis];
  TENON_TRY(CheckParameters(code, channels));
  const DataType dtype = WorkType(x.dtype);
  const auto parameter = [&](size_t input, Value channel) {
    return Cast(dtype, code.In(input)({channel}));
  };
  const std::vector<int64_t> seen = {
      x.rank() == 1 ? 1 : ExtentOf(x.shape, 0, axis), channels,
      x.rank() == 1 ? x.shape[0] : ExtentOf(x.shape, axis + 1, x.shape.size())};
  const Array from = code.Flat(code.In(0), seen);
  const Array to = code.Flat(code.Out(), seen);
  const auto factor_of = [&](Value channel) {
    return parameter(1, channel) * InverseDeviation(code, parameter(4, channel));
  };
  Array factors;
  if (last) {
    factors = code.Allocate("factors", dtype, {&seen[1], 1});
    code.For("c", channels, [&](Value c) { code.Store(factors, {c}, factor_of(c)); });
  }
  const int64_t outer[] = {seen[0], seen[1]};
  code.Grid("i", outer, [&](const std::vector<Value>& at) {
    const Value factor = last ? factors({at[1]}) : code.Once(factor_of(at[1]));
    code.For("k", seen[2], [&](Value k) {
      const Value centred = Cast(dtype, from({at[0], at[1], k})) - parameter(3, at[1]);
      code.Store(to, {at[0], at[1], k}, Cast(x.dtype, centred * factor + parameter(2, at[1])));
    });
  });
  return absl::OkStatus();
}

absl::Status BuildInstanceNormalization(OperatorCode& code) {
  TENON_TRY(CheckFloats(code));
  const Tensor& x = code.input(0);
  if (x.rank() < 3)
    return code.Wrong("expected an input of 3 or more dimensions, found " + x.TypeText());
  const bool last = HasChannelsLast(code);
  const AxisOrder order = last ? ChannelsLast(x.shape.size()) : InOrder(x.shape.size());
  std::vector<int64_t> seen;
  for (const size_t place : PlacesOf(order)) seen.push_back(x.shape[place]);
  TENON_TRY(CheckParameters(code, seen[1]));
  Rows rows{.seen = seen, .axis = 2, .order = order, .scale = {}, .bias = {}};
  rows.scale = [&](const std::vector<Value>& at) { return code.In(1)({at[1]}); };
  rows.bias = [&](const std::vector<Value>& at) { return code.In(2)({at[1]}); };
  WriteRows(code, rows);
  return absl::OkStatus();
}

// Scales and biases are those of channels, or, in an old operator set, those of groups.
absl::Status BuildGroupNormalization(OperatorCode& code) {
  TENON_TRY(CheckFloats(code));
  const Tensor& x = code.input(0);
  if (x.rank() < 2) return code.Wrong("expected an input with channels, found " + x.TypeText());
  const bool last = HasChannelsLast(code);
  const int64_t channels = last ? x.shape.back() : x.shape[1];
  const int64_t groups = code.attributes().Int("num_groups");
  if (groups < 1 || channels % groups != 0)
    return code.Wrong(
        fmt::format("expected groups that divide {} channels, found {}", channels, groups));
  const int64_t size = channels / groups;
  const bool of_groups = code.input(1).elements() == groups && groups != channels;
  TENON_TRY(CheckParameters(code, of_groups ? groups : channels));
  const int64_t places =
      last ? ExtentOf(x.shape, 1, x.shape.size() - 1) : ExtentOf(x.shape, 2, x.shape.size());
  Rows rows{.seen = {x.shape[0], groups, size, places},
            .axis = 2,
            .order = last ? AxisOrder{0, 3, 1, 2} : InOrder(4),
            .scale = {},
            .bias = {}};
  const auto channel = [=](const std::vector<Value>& at) {
    return of_groups ? at[1] : at[1] * size + at[2];
  };
  rows.scale = [&](const std::vector<Value>& at) { return code.In(1)({channel(at)}); };
  rows.bias = [&](const std::vector<Value>& at) { return code.In(2)({channel(at)}); };
  WriteRows(code, rows);
  return absl::OkStatus();
}

// The mean and one over the deviation may be outputs; both have an element for each row.
absl::StatusOr<Shapes> ShapeOfLayerNormalization(const OperatorView& op) {
  const Tensor& x = op.input(0);
  TENON_ASSIGN_OR(const size_t axis, AxisIn(op, op.attributes().Int("axis", -1), x.rank()));
  for (size_t i = 1; i < op.inputs(); ++i) {
    if (!op.HasInput(i)) continue;
    TENON_ASSIGN_OR(const TensorShape shape, BroadcastShape(op, {x.shape, op.input(i).shape}));
    if (shape != x.shape)
      return op.Wrong(fmt::format("expected an input {} that can be repeated to {}, found {}", i,
                                  x.TypeText(), op.input(i).TypeText()));
  }
  TensorShape rows = x.shape;
  for (size_t i = axis; i < rows.size(); ++i) rows[i] = 1;
  Shapes shapes(op.outputs(), rows);
  shapes[0] = x.shape;
  return shapes;
}

absl::Status BuildLayerNormalization(OperatorCode& code) {
  TENON_TRY(CheckFloats(code));
  for (size_t i = 1; i < code.inputs(); ++i)
    if (code.HasInput(i)) TENON_TRY(CheckInput(code, i, kFloats));
  for (size_t i = 1; i < code.outputs(); ++i)
    if (code.HasOutput(i) && !IsOneOf(code.output(i).dtype, kFloats)) return UnsupportedTypes(code);
  const Tensor& x = code.input(0);
  TENON_ASSIGN_OR(const size_t axis, AxisIn(code, code.attributes().Int("axis", -1), x.rank()));
  Rows rows{.seen = x.shape,
            .axis = axis,
            .has_mean = code.op().kind != "rms_normalization",
            .scale = {},
            .bias = {}};
  rows.scale = [&](const std::vector<Value>& at) { return BroadcastElement(code, 1, at); };
  if (code.HasInput(2))
    rows.bias = [&](const std::vector<Value>& at) { return BroadcastElement(code, 2, at); };
  WriteRows(code, rows);
  return absl::OkStatus();
}

absl::Status BuildLpNormalization(OperatorCode& code) {
  TENON_TRY(CheckFloats(code));
  const Tensor& x = code.input(0);
  TENON_ASSIGN_OR(const size_t axis, AxisIn(code, code.attributes().Int("axis", -1), x.rank()));
  const int64_t power = code.attributes().Int("p", 2);
  if (power != 1 && power != 2)
    return code.Wrong(fmt::format("expected `p` of 1 or 2, found {}", power));
  const std::vector<int64_t> seen = {ExtentOf(x.shape, 0, axis), x.shape[axis],
                                     ExtentOf(x.shape, axis + 1, x.shape.size())};
  const Array from = code.Flat(code.In(0), seen);
  const Array to = code.Flat(code.Out(), seen);
  const DataType dtype = WorkType(x.dtype);
  const Value zero = code.Number(dtype, 0);
  const int64_t others[] = {seen[0], seen[2]};
  code.Grid("i", others, [&](const std::vector<Value>& at) {
    const auto element = [&](Value k) { return Cast(dtype, from({at[0], k, at[1]})); };
    const Array norm = code.Scalar("norm", dtype);
    code.Set(norm, zero);
    code.For("k", seen[1], [&](Value k) {
      const Value term = power == 1 ? CallOf(OpKind::kFabs, element(k)) : element(k) * element(k);
      code.Set(norm, code.Get(norm) + term);
    });
    if (power == 2) code.Set(norm, CallOf(OpKind::kSqrt, code.Get(norm)));
    code.For("k", seen[1], [&](Value k) {
      const Value quotient = Div(element(k), code.Get(norm));
      code.Store(to, {at[0], k, at[1]},
                 Cast(x.dtype, Select(code.Get(norm) == zero, zero, quotient)));
    });
  });
  return absl::OkStatus();
}

// Each element over a power of a sum of squares: those of `size` neighbouring channels.
absl::Status BuildLrn(OperatorCode& code) {
  TENON_TRY(CheckFloats(code));
  const Tensor& x = code.input(0);
  if (x.rank() < 2) return code.Wrong("expected an input with channels, found " + x.TypeText());
  const int64_t size = code.attributes().Int("size");
  if (size < 1 || size > kMostWindowSteps)
    return code.Wrong(
        fmt::format("expected a `size` of 1 to {}, found {}", kMostWindowSteps, size));
  const size_t channels = HasChannelsLast(code) ? x.shape.size() - 1 : 1;
  const std::vector<int64_t> seen = {ExtentOf(x.shape, 0, channels), x.shape[channels],
                                     ExtentOf(x.shape, channels + 1, x.shape.size())};
  const Array from = code.Flat(code.In(0), seen);
  const Array to = code.Flat(code.Out(), seen);
  const DataType dtype = WorkType(x.dtype);
  const auto setting = [&](std::string_view name, double otherwise) {
    return code.attributes().Real(name, otherwise);
  };
  const double alpha = setting("alpha", 1e-4F) / static_cast<double>(size);
  const WindowAxis axis{.input = seen[1],
                        .output = seen[1],
                        .kernel = size,
                        .stride = 1,
                        .dilation = 1,
                        .pad = (size - 1) / 2};
  code.Grid("i", seen, [&](const std::vector<Value>& at) {
    const Array sum = code.Scalar("sum", dtype);
    code.Set(sum, code.Number(dtype, 0));
    code.For("k", size, [&](Value k) {
      const Value place = axis.Place(at[1], k);
      code.If(axis.IsInside(place), [&] {
        const Value element = Cast(dtype, from({at[0], place, at[2]}));
        code.Set(sum, code.Get(sum) + element * element);
      });
    });
    const Value base =
        code.Number(dtype, setting("bias", 1)) + code.Number(dtype, alpha) * code.Get(sum);
    const Value power = CallOf(OpKind::kPow, base, code.Number(dtype, setting("beta", 0.75)));
    code.Store(to, at, Cast(x.dtype, Div(Cast(dtype, from.Load(at)), power)));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph::plain
