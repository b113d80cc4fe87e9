#include "frontends/graph/layout_rules.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "frontends/graph/movement.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

namespace {

using Numbers = std::vector<int64_t>;

constexpr size_t kLeastImageRank = 3, kMostImageRank = 5;

/// An order without an axis, for the tensor without it.
AxisOrder Without(const AxisOrder& order, size_t axis) {
  AxisOrder made;
  for (const size_t other : order)
    if (other != axis) made.push_back(other > axis ? other - 1 : other);
  return made;
}

/// The order of the first input and its rank, if there is one.
struct First {
  int input = kAbsent;
  AxisOrder order;
  size_t rank() const { return order.size(); }
};

/// Nullopt if the first input is in order.
std::optional<First> FirstOf(const Layouts& layouts, const Operator& op) {
  if (op.inputs.empty() || op.inputs[0] == kAbsent) return std::nullopt;
  First first{op.inputs[0], layouts.OrderOf(op.inputs[0])};
  if (IsInOrder(first.order)) return std::nullopt;
  return first;
}

/// Adds an operator whose first input has the order. Other inputs are in order.
void AddWith(Layouts& layouts, Operator op, const AxisOrder& input, const AxisOrder& output) {
  op.inputs[0] = layouts.In(op.inputs[0], input);
  for (size_t i = 1; i < op.inputs.size(); ++i) op.inputs[i] = layouts.In(op.inputs[i]);
  for (int& number : op.outputs) number = layouts.Out(number, output);
  layouts.Add(std::move(op));
}

/// Operators with one element for each element of rows, and the same numbers for all of them.
bool FollowRows(Layouts& layouts, const Operator& op) {
  if (op.inputs.empty() || op.inputs[0] == kAbsent || op.outputs.size() != 1) return false;
  const int64_t channels = layouts.ChannelsOfRows(op.inputs[0]);
  if (channels == 0) return false;
  if (layouts.tensor(op.outputs[0]).shape != layouts.tensor(op.inputs[0]).shape) return false;
  for (size_t i = 1; i < op.inputs.size(); ++i)
    if (op.inputs[i] != kAbsent && layouts.tensor(op.inputs[i]).elements() != 1) return false;
  Operator made = op;
  made.inputs[0] = layouts.InRows(op.inputs[0]);
  for (size_t i = 1; i < op.inputs.size(); ++i) made.inputs[i] = layouts.In(op.inputs[i]);
  made.outputs[0] = layouts.OutRows(op.outputs[0], channels);
  layouts.Add(std::move(made));
  return true;
}

/// Operators that compute each element from the elements at its place, which may be repeated.
bool FollowElements(Layouts& layouts, const Operator& op) {
  if (op.outputs.empty() || op.outputs[0] == kAbsent) return false;
  if (FollowRows(layouts, op)) return true;
  const size_t rank = layouts.RankOf(op.outputs[0]);
  const AxisOrder order = layouts.ChosenOrder(op.inputs, rank);
  if (IsInOrder(order)) return false;
  Operator made = op;
  for (int& input : made.inputs) input = layouts.In(input, order);
  for (int& output : made.outputs) {
    // DynamicQuantizeLinear also has numbers.
    const bool has_axes = output != kAbsent && layouts.RankOf(output) == rank;
    output = has_axes ? layouts.Out(output, order) : layouts.Out(output);
  }
  layouts.Add(std::move(made));
  return true;
}

/// Sets the attribute `axis` to the axis's place in memory. The axis itself; nullopt if the tensor
/// does not have it.
std::optional<size_t> SetAxis(Operator& op, const AxisOrder& order, int64_t otherwise) {
  const auto axis =
      AxisOf(op.attributes.Int("axis", otherwise), static_cast<int64_t>(order.size()));
  if (axis) op.attributes.Set("axis", static_cast<int64_t>(PlacesOf(order)[*axis]));
  return axis;
}

/// Operators along the axis of the attribute `axis`, whose outputs have the axes of the input.
template <int64_t kAxis>
bool FollowAxis(Layouts& layouts, const Operator& op) {
  const auto first = FirstOf(layouts, op);
  if (!first || op.attributes.Int("flatten") != 0) return false;
  Operator made = op;
  if (!SetAxis(made, first->order, kAxis)) return false;
  AddWith(layouts, std::move(made), first->order, first->order);
  return true;
}

/// Scales belong to the tensor, to indices of an axis, or to blocks of all axes.
bool FollowScales(Layouts& layouts, const Operator& op) {
  if (FollowRows(layouts, op)) return true;
  const auto first = FirstOf(layouts, op);
  if (!first) return false;
  Operator made = op;
  // A scale of the whole tensor has no axis.
  SetAxis(made, first->order, 1);
  for (int& input : made.inputs) {
    const bool has_axes = input != kAbsent && layouts.RankOf(input) == first->rank();
    input = has_axes ? layouts.In(input, first->order) : layouts.In(input);
  }
  made.outputs[0] = layouts.Out(op.outputs[0], first->order);
  layouts.Add(std::move(made));
  return true;
}

bool FollowConcat(Layouts& layouts, const Operator& op) {
  const size_t rank = layouts.RankOf(op.outputs[0]);
  const AxisOrder order = layouts.ChosenOrder(op.inputs, rank);
  Operator made = op;
  if (IsInOrder(order) || !SetAxis(made, order, 0)) return false;
  for (int& input : made.inputs) input = layouts.In(input, order);
  made.outputs[0] = layouts.Out(op.outputs[0], order);
  layouts.Add(std::move(made));
  return true;
}

/// Sets `axes` to the places of the axes that it names, or of the first `count` axes.
bool SetAxes(Operator& op, const AxisOrder& order, size_t count) {
  Numbers axes = op.attributes.Ints("axes");
  if (!op.attributes.Has("axes")) {
    for (const size_t axis : InOrder(std::min(count, order.size())))
      axes.push_back(static_cast<int64_t>(axis));
  }
  const std::vector<size_t> places = PlacesOf(order);
  for (int64_t& number : axes) {
    const auto axis = AxisOf(number, static_cast<int64_t>(order.size()));
    if (!axis) return false;
    number = static_cast<int64_t>(places[*axis]);
  }
  op.attributes.Set("axes", std::move(axes));
  return true;
}

/// Operators with numbers for each of the axes that `axes` names.
bool FollowAxes(Layouts& layouts, const Operator& op) {
  const auto first = FirstOf(layouts, op);
  if (!first) return false;
  const size_t count = op.kind == "slice" ? op.attributes.Ints("starts").size() : first->rank();
  Operator made = op;
  if (!SetAxes(made, first->order, count)) return false;
  AddWith(layouts, std::move(made), first->order, first->order);
  return true;
}

/// Operators with a number for each axis of the output in the attribute.
bool FollowExtents(Layouts& layouts, const Operator& op) {
  const auto first = FirstOf(layouts, op);
  const std::string_view name = op.kind == "tile" ? "repeats" : "shape";
  if (!first || layouts.RankOf(op.outputs[0]) != first->rank()) return false;
  Numbers extents = op.attributes.Ints(name);
  extents.insert(extents.begin(), first->rank() - extents.size(), 1);
  Operator made = op;
  made.attributes.Set(name, Ordered(extents, first->order));
  AddWith(layouts, std::move(made), first->order, first->order);
  return true;
}

bool FollowReduction(Layouts& layouts, const Operator& op) {
  const auto first = FirstOf(layouts, op);
  if (!first) return false;
  Operator made = op;
  AxisOrder order = first->order;
  const Numbers axes = op.attributes.Ints("axes");
  if (!axes.empty()) {
    if (!SetAxes(made, first->order, 0)) return false;
    if (op.attributes.Int("keepdims", 1) == 0) {
      Numbers gone;
      for (const int64_t axis : axes)
        gone.push_back(axis < 0 ? axis + static_cast<int64_t>(first->rank()) : axis);
      std::sort(gone.begin(), gone.end());
      while (!gone.empty()) {
        order = Without(order, static_cast<size_t>(gone.back()));
        gone.pop_back();
      }
    }
  } else if (layouts.RankOf(op.outputs[0]) != first->rank()) {
    order.clear();
  }
  AddWith(layouts, std::move(made), first->order, order);
  return true;
}

/// Operators along one axis, which their outputs may go without.
bool FollowOneAxis(Layouts& layouts, const Operator& op, bool keeps) {
  const auto first = FirstOf(layouts, op);
  if (!first) return false;
  Operator made = op;
  const auto axis = SetAxis(made, first->order, 0);
  if (!axis) return false;
  AddWith(layouts, std::move(made), first->order,
          keeps ? first->order : Without(first->order, *axis));
  return true;
}

bool FollowArg(Layouts& layouts, const Operator& op) {
  return FollowOneAxis(layouts, op, op.attributes.Int("keepdims", 1) != 0);
}

/// Indices of one axis, or one index.
bool FollowGather(Layouts& layouts, const Operator& op) {
  const size_t rank = layouts.RankOf(op.inputs[1]);
  return rank <= 1 && FollowOneAxis(layouts, op, rank == 1);
}

/// Norms over the last axes, which the others may precede in any order.
bool FollowLayerNorm(Layouts& layouts, const Operator& op) {
  const auto first = FirstOf(layouts, op);
  if (!first) return false;
  const size_t rank = first->rank();
  const auto axis = AxisOf(op.attributes.Int("axis", -1), static_cast<int64_t>(rank));
  if (!axis) return false;
  for (size_t i = *axis; i < rank; ++i)
    if (first->order[i] != i) return false;
  for (size_t i = 1; i < op.inputs.size(); ++i)
    if (op.inputs[i] != kAbsent && layouts.RankOf(op.inputs[i]) > rank - *axis) return false;
  AddWith(layouts, op, first->order, first->order);
  return true;
}

/// Operators over images with the attribute `layout`.
bool FollowImage(Layouts& layouts, const Operator& op, bool is_first) {
  if (op.inputs.empty() || op.inputs[0] == kAbsent || op.attributes.Has("layout")) return false;
  const size_t rank = layouts.RankOf(op.inputs[0]);
  if (rank < kLeastImageRank || rank > kMostImageRank) return false;
  const AxisOrder order = ChannelsLast(rank);
  if (!is_first &&
      (IsInOrder(layouts.OrderOf(op.inputs[0])) || !layouts.IsThere(op.inputs[0], order)))
    return false;
  Operator made = op;
  made.attributes.Set("layout", "NHWC");
  AddWith(layouts, std::move(made), order, order);
  return true;
}

bool FollowPlaces(Layouts& layouts, const Operator& op) { return FollowImage(layouts, op, false); }
/// Convolutions are the reason for channels last, so their input is transposed for them.
bool LeadImages(Layouts& layouts, const Operator& op) { return FollowImage(layouts, op, true); }

/// Memory stays, and its axes get other numbers.
bool FollowTranspose(Layouts& layouts, const Operator& op) {
  const int x = op.inputs[0];
  if (layouts.tensor(x).data || layouts.HasStateMemory(x) || layouts.ChannelsOfRows(x) != 0)
    return false;
  const AxisOrder order = layouts.OrderOf(x);
  AxisOrder perm = InOrder(order.size());
  std::reverse(perm.begin(), perm.end());
  if (op.attributes.Has("perm")) {
    const Numbers given = op.attributes.Ints("perm");
    if (given.size() != order.size()) return false;
    for (size_t i = 0; i < given.size(); ++i) {
      const auto axis = AxisOf(given[i], static_cast<int64_t>(given.size()));
      if (!axis) return false;
      perm[i] = *axis;
    }
  }
  const std::vector<size_t> places = PlacesOf(perm);
  AxisOrder made;
  for (const size_t axis : order) made.push_back(places[axis]);
  const int from = layouts.In(x, order);
  layouts.AddMove(from, layouts.Out(op.outputs[0], made), {});
  return true;
}

/// Neighbouring axes of two shapes that have the same elements. Axes of one element are left out.
struct AxisGroup {
  AxisOrder from, to;
};

std::optional<std::vector<AxisGroup>> GroupsOf(const Numbers& from, const Numbers& to) {
  std::vector<AxisGroup> groups;
  size_t i = 0, j = 0;
  const auto take = [](const Numbers& shape, size_t& axis, AxisOrder& axes) {
    if (shape[axis] != 1) axes.push_back(axis);
    return shape[axis++];
  };
  const auto skip = [](const Numbers& shape, size_t& axis) {
    while (axis < shape.size() && shape[axis] == 1) ++axis;
    return axis < shape.size();
  };
  while (skip(from, i) && skip(to, j)) {
    AxisGroup& group = groups.emplace_back();
    int64_t a = take(from, i, group.from);
    int64_t b = take(to, j, group.to);
    while (a != b) {
      if ((a < b ? i == from.size() : j == to.size()) || a == 0 || b == 0) return std::nullopt;
      if (a < b) {
        a *= take(from, i, group.from);
      } else {
        b *= take(to, j, group.to);
      }
    }
  }
  return groups;
}

/// An order of all axes, by the order of those with more than one element.
AxisOrder WithShortAxes(const AxisOrder& of, const Numbers& shape) {
  AxisOrder order = of;
  const auto try_order = [&](const AxisOrder& wanted) {
    AxisOrder rest = wanted;
    std::erase_if(rest, [&](size_t axis) { return shape[axis] == 1; });
    return rest == of;
  };
  if (try_order(InOrder(shape.size()))) return InOrder(shape.size());
  if (try_order(ChannelsLast(shape.size()))) return ChannelsLast(shape.size());
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] != 1) continue;
    const auto before = axis == 0 ? order.end() : std::find(order.begin(), order.end(), axis - 1);
    order.insert(before == order.end() ? order.begin() : before + 1, axis);
  }
  return order;
}

/// The groups in the order in which memory has their first axes.
void SortGroups(std::vector<AxisGroup>& groups, const std::vector<size_t>& places) {
  const auto first = [&](const AxisGroup& group) {
    size_t least = places.size();
    for (const size_t axis : group.from) least = std::min(least, places[axis]);
    return least;
  };
  std::sort(groups.begin(), groups.end(),
            [&](const AxisGroup& a, const AxisGroup& b) { return first(a) < first(b); });
}

/// A reshape of neighbouring axes keeps the order of the others.
bool FollowReshape(Layouts& layouts, const Operator& op) {
  if (FollowRows(layouts, op)) return true;
  const auto first = FirstOf(layouts, op);
  if (!first || layouts.tensor(first->input).data) return false;
  const Numbers& from = layouts.tensor(first->input).shape;
  const Numbers& to = layouts.tensor(op.outputs[0]).shape;
  auto groups = GroupsOf(from, to);
  if (!groups) return false;
  SortGroups(*groups, PlacesOf(first->order));
  AxisOrder wanted, made;
  for (const AxisGroup& group : *groups) {
    wanted.insert(wanted.end(), group.from.begin(), group.from.end());
    made.insert(made.end(), group.to.begin(), group.to.end());
  }
  wanted = WithShortAxes(wanted, from);
  const bool moves = !HaveSamePlaces(from, wanted, first->order);
  const bool is_image = HaveSamePlaces(from, first->order, ChannelsLast(from.size()));
  if (moves && is_image && to.size() == 2 && to[0] == from[0]) {
    const int image = layouts.In(first->input, first->order);
    layouts.AddMove(image, layouts.OutRows(op.outputs[0], from[1]), {});
    return true;
  }
  if (moves && IsInOrder(wanted)) return false;
  const int moved = layouts.In(first->input, moves ? wanted : first->order);
  layouts.AddMove(moved, layouts.Out(op.outputs[0], WithShortAxes(made, to)), {});
  return true;
}

/// Products of rows with constant weights: the weights follow the order of the rows.
template <size_t kWeights>
bool FollowProducts(Layouts& layouts, const Operator& op) {
  const int64_t channels = layouts.ChannelsOfRows(op.inputs[0]);
  if (channels == 0 || op.attributes.Int("transA") != 0) return false;
  Tensor weights = layouts.tensor(op.inputs[kWeights]);
  const bool is_last = op.attributes.Int("transB") != 0;
  const bool has_scales_of_rows =
      weights.quantization.is_per_axis() && weights.quantization.axis == (is_last ? 1 : 0);
  if (!weights.data || weights.rank() != 2 || has_scales_of_rows) return false;
  const Numbers shape = weights.shape;
  const int64_t places = shape[is_last ? 1 : 0] / channels;
  weights.shape =
      is_last ? Numbers{shape[0], channels, places} : Numbers{channels, places, shape[1]};
  std::vector<uint8_t> bytes =
      OrderedBytes(weights, is_last ? AxisOrder{0, 2, 1} : AxisOrder{1, 0, 2});
  weights.shape = shape;
  Operator made = op;
  for (size_t i = 1; i < op.inputs.size(); ++i) {
    made.inputs[i] = i == kWeights ? layouts.AddConstant(weights, bytes) : layouts.In(op.inputs[i]);
  }
  made.inputs[0] = layouts.InRows(op.inputs[0]);
  for (int& output : made.outputs) output = layouts.Out(output);
  layouts.Add(std::move(made));
  return true;
}

struct RuleRow {
  OperatorBuilder build;
  LayoutRule rule;
};

constexpr RuleRow kRules[] = {
    {&plain::BuildArg, &FollowArg},
    {&plain::BuildAveragePool, &FollowPlaces},
    {&plain::BuildBatchNormalization, &FollowPlaces},
    {&plain::BuildBinary, &FollowElements},
    {&plain::BuildCast, &FollowElements},
    {&plain::BuildClip, &FollowElements},
    {&plain::BuildComparison, &FollowElements},
    {&plain::BuildConcat, &FollowConcat},
    {&plain::BuildConv, &LeadImages},
    {&plain::BuildConvInteger, &LeadImages},
    {&plain::BuildConvTranspose, &LeadImages},
    {&plain::BuildCumulative, &FollowAxis<0>},
    {&plain::BuildDepthToSpace, &FollowPlaces},
    {&plain::BuildDequantizeLinear, &FollowScales},
    {&plain::BuildDynamicQuantizeLinear, &FollowElements},
    {&plain::BuildExpand, &FollowExtents},
    {&plain::BuildFloatTest, &FollowElements},
    {&plain::BuildGather, &FollowGather},
    {&plain::BuildGemm, &FollowProducts<1>},
    {&plain::BuildGroupNormalization, &FollowPlaces},
    {&plain::BuildHardmax, &FollowAxis<-1>},
    {&plain::BuildInstanceNormalization, &FollowPlaces},
    {&plain::BuildLayerNormalization, &FollowLayerNorm},
    {&plain::BuildLpNormalization, &FollowAxis<-1>},
    {&plain::BuildLpPool, &FollowPlaces},
    {&plain::BuildLrn, &FollowPlaces},
    {&plain::BuildLookUp, &FollowScales},
    {&plain::BuildMatmul, &FollowProducts<1>},
    {&plain::BuildMatmulInteger, &FollowProducts<1>},
    {&plain::BuildMaxPool, &FollowPlaces},
    {&plain::BuildPad, &FollowAxes},
    {&plain::BuildPow, &FollowElements},
    {&plain::BuildQlinearConv, &LeadImages},
    {&plain::BuildQlinearMatmul, &FollowProducts<3>},
    {&plain::BuildQuantizeLinear, &FollowScales},
    {&plain::BuildReduce, &FollowReduction},
    {&plain::BuildReshape, &FollowReshape},
    {&plain::BuildResize, &FollowAxes},
    {&plain::BuildSlice, &FollowAxes},
    {&plain::BuildSoftmax, &FollowAxis<-1>},
    {&plain::BuildSpaceToDepth, &FollowPlaces},
    {&plain::BuildSplit, &FollowAxis<0>},
    {&plain::BuildTile, &FollowExtents},
    {&plain::BuildTopK, &FollowAxis<-1>},
    {&plain::BuildTranspose, &FollowTranspose},
    {&plain::BuildUnary, &FollowElements},
    {&plain::BuildVariadic, &FollowElements},
    {&plain::BuildWhere, &FollowElements},
};

}  // namespace

LayoutRule FindLayoutRule(std::string_view kind) {
  const OperatorKind* known = FindOperatorKind(Format::kOnnx, kind);
  if (known == nullptr) return nullptr;
  for (const RuleRow& row : kRules)
    if (row.build == known->build) return row.rule;
  return nullptr;
}

bool LeadsLayout(std::string_view kind) { return FindLayoutRule(kind) == &LeadImages; }

}  // namespace tenon::graph
