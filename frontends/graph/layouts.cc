#include "frontends/graph/layouts.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "frontends/graph/layout_rules.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

namespace {

/// A tensor as memory has it with this order. The data stay those of the tensor.
Tensor InMemory(const Tensor& tensor, const AxisOrder& order) {
  Tensor made = tensor;
  made.is_state = false;
  made.shape = Ordered(tensor.shape, order);
  if (made.quantization.is_per_axis()) {
    const auto axis = static_cast<size_t>(made.quantization.axis);
    made.quantization.axis = static_cast<int64_t>(PlacesOf(order)[axis]);
  }
  return made;
}

bool WritesState(const Operator& op) { return op.has_effects || op.kind == "assign_variable"; }

}  // namespace

Layouts::Layouts(const Graph& graph, const LayoutOptions& options)
    : graph_(graph), options_(options), made_(graph), versions_(graph.tensors.size()) {
  made_.operators.clear();
  for (size_t i = 0; i < graph.tensors.size(); ++i) {
    const Tensor& tensor = graph.tensors[i];
    if (tensor.data || tensor.is_state)
      versions_[i].push_back({InOrder(tensor.shape.size()), static_cast<int>(i)});
  }
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const int number = graph.inputs[i];
    const size_t rank = RankOf(number);
    made_.inputs[i] = Out(number, options.inputs.contains(i) ? ChannelsLast(rank) : InOrder(rank));
  }
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const size_t rank = RankOf(graph.outputs[i]);
    pinned_[graph.outputs[i]].insert(options.outputs.contains(i) ? ChannelsLast(rank)
                                                                 : InOrder(rank));
  }
  for (const Operator& op : graph.operators) {
    if (!WritesState(op)) continue;
    for (const int input : op.inputs)
      if (input != kAbsent) pinned_[input].insert(InOrder(RankOf(input)));
  }
}

Graph Layouts::Run() {
  for (const Operator& op : graph_.operators) {
    place_ = op.place;
    const LayoutRule rule = FindLayoutRule(op.kind);
    // Both branches of an If write one tensor, and a rule would see only one of them.
    const bool may_follow =
        options_.channels_last && op.refusal.empty() && op.guards.empty() && rule != nullptr;
    if (!may_follow || !rule(*this, op)) Keep(op);
    FollowState(op);
    Pin(op);
  }
  place_ = "outputs";
  for (size_t i = 0; i < graph_.outputs.size(); ++i) {
    const int number = graph_.outputs[i];
    const bool is_last = options_.outputs.contains(i);
    made_.outputs[i] = is_last ? In(number, ChannelsLast(RankOf(number))) : In(number);
  }
  return std::move(made_);
}

void Layouts::Keep(const Operator& op) {
  Operator kept = op;
  for (Guard& guard : kept.guards) guard.condition = In(guard.condition);
  for (int& input : kept.inputs) input = In(input);
  for (int& output : kept.outputs) output = Out(output);
  Add(std::move(kept));
}

void Layouts::FollowState(const Operator& op) {
  if (op.inputs.empty() || op.inputs[0] == kAbsent) return;
  const bool reads = op.kind == "read_variable";
  const bool keeps = IsReshape(graph_.format, op) && state_memory_.contains(op.inputs[0]);
  if (!reads && !keeps) return;
  for (const int output : op.outputs)
    if (output != kAbsent) state_memory_.insert(output);
}

void Layouts::Pin(const Operator& op) {
  for (const int output : op.outputs) {
    const auto found = pinned_.find(output);
    if (found == pinned_.end()) continue;
    for (const AxisOrder& order : found->second) In(output, order);
  }
}

AxisOrder Layouts::OrderOf(int number) const {
  const std::vector<Version>& versions = versions_[static_cast<size_t>(number)];
  return versions.empty() ? InOrder(RankOf(number)) : versions[0].order;
}

bool Layouts::IsThere(int number, const AxisOrder& order) const {
  if (tensor(number).data) return true;
  const Version* nearest = Nearest(number, order);
  return nearest != nullptr && HaveSamePlaces(tensor(number).shape, nearest->order, order);
}

const Layouts::Version* Layouts::Nearest(int number, const AxisOrder& order) const {
  const std::vector<Version>& versions = versions_[static_cast<size_t>(number)];
  for (const Version& version : versions)
    if (version.order == order) return &version;
  for (const Version& version : versions)
    if (HaveSamePlaces(tensor(number).shape, version.order, order)) return &version;
  return versions.empty() ? nullptr : versions.data();
}

AxisOrder Layouts::ChosenOrder(std::span<const int> inputs, size_t rank) const {
  AxisOrder chosen = InOrder(rank);
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const int candidate : inputs) {
    if (candidate == kAbsent || tensor(candidate).data || RankOf(candidate) != rank) continue;
    const AxisOrder order = OrderOf(candidate);
    int64_t cost = 0;
    for (const int input : inputs) {
      if (input == kAbsent || RankOf(input) != rank || IsThere(input, order)) continue;
      cost += tensor(input).elements();
    }
    // Operators that follow gain from another order than that of the file.
    if (cost > least || (cost == least && !IsInOrder(chosen))) continue;
    least = cost;
    chosen = order;
  }
  return chosen;
}

int Layouts::In(int number, const AxisOrder& order) {
  if (number == kAbsent) return kAbsent;
  const size_t rank = RankOf(number);
  const size_t added = order.size() - rank;
  AxisOrder own;
  for (const size_t axis : order)
    if (axis >= added) own.push_back(axis - added);
  const int there = InOrderOf(number, own);
  if (added == 0) return there;
  std::vector<int64_t> wide(added, 1);
  wide.insert(wide.end(), tensor(number).shape.begin(), tensor(number).shape.end());
  std::vector<int64_t> shape = Ordered(wide, order);
  // Operators repeat a tensor without its axes of one element in front.
  while (shape.size() > rank && shape.front() == 1) shape.erase(shape.begin());
  if (shape == made_.tensor(there).shape) return there;
  const auto [known, is_new] = wider_.emplace(std::pair(number, order), 0);
  if (!is_new) return known->second;
  const int wider = AddLike(tensor(number), std::move(shape));
  known->second = wider;
  if (tensor(number).data) {
    made_.tensors[static_cast<size_t>(wider)].data = made_.tensor(there).data;
  } else {
    AddMove(there, wider, {});
  }
  return wider;
}

int Layouts::InOrderOf(int number, const AxisOrder& order) {
  RowsInOrder(number);
  const Version* found = Nearest(number, order);
  // An operator that gives no value has written it.
  if (found == nullptr) return number;
  const Version nearest = *found;
  if (nearest.order == order) return nearest.number;
  const Tensor& of = tensor(number);
  int to = number;
  if (of.data) {
    to = OrderedConstant(number, order);
  } else {
    if (!IsInOrder(order)) to = AddTensor(InMemory(of, order));
    if (HaveSamePlaces(of.shape, nearest.order, order)) {
      AddMove(nearest.number, to, {});
    } else {
      const std::vector<size_t> places = PlacesOf(nearest.order);
      std::vector<size_t> perm;
      for (const size_t axis : order) perm.push_back(places[axis]);
      AddMove(nearest.number, to, perm);
    }
  }
  versions_[static_cast<size_t>(number)].push_back({order, to});
  return to;
}

int Layouts::OrderedConstant(int number, const AxisOrder& order) {
  const Tensor& of = tensor(number);
  Tensor ordered = InMemory(of, order);
  if (!HaveSamePlaces(of.shape, InOrder(of.shape.size()), order))
    return AddConstant(std::move(ordered), OrderedBytes(of, order));
  return AddTensor(std::move(ordered));
}

int Layouts::Out(int number, const AxisOrder& order) {
  if (number == kAbsent) return kAbsent;
  const Tensor& of = tensor(number);
  const int to = IsInOrder(order) ? number : AddTensor(InMemory(of, order));
  versions_[static_cast<size_t>(number)].push_back({order, to});
  return to;
}

int Layouts::OutRows(int number, int64_t channels) {
  const int to = AddLike(tensor(number), tensor(number).shape);
  rows_[number] = {to, channels};
  return to;
}

int64_t Layouts::ChannelsOfRows(int number) const {
  const auto found = rows_.find(number);
  if (found == rows_.end() || !versions_[static_cast<size_t>(number)].empty()) return 0;
  return found->second.second;
}

void Layouts::RowsInOrder(int number) {
  const int64_t channels = ChannelsOfRows(number);
  if (channels == 0) return;
  const Tensor& of = tensor(number);
  const int64_t places = of.shape[1] / channels;
  const int seen = AddLike(of, {of.shape[0], places, channels});
  const int moved = AddLike(of, {of.shape[0], channels, places});
  AddMove(InRows(number), seen, {});
  AddMove(seen, moved, {0, 2, 1});
  AddMove(moved, number, {});
  versions_[static_cast<size_t>(number)].push_back({InOrder(2), number});
}

int Layouts::AddConstant(Tensor tensor, std::vector<uint8_t> bytes) {
  auto owner = std::make_shared<std::vector<uint8_t>>(std::move(bytes));
  tensor.data = TensorData{*owner, owner, false};
  return AddTensor(std::move(tensor));
}

int Layouts::AddTensor(Tensor tensor) {
  made_.tensors.push_back(std::move(tensor));
  return static_cast<int>(made_.tensors.size()) - 1;
}

int Layouts::AddLike(const Tensor& of, std::vector<int64_t> shape) {
  Tensor tensor = of;
  tensor.data.reset();
  tensor.is_state = false;
  tensor.shape = std::move(shape);
  return AddTensor(std::move(tensor));
}

void Layouts::AddMove(int from, int to, const std::vector<size_t>& perm) {
  Operator op;
  op.kind = perm.empty() ? "reshape" : "transpose";
  op.name = op.kind;
  op.place = std::string(place_);
  op.inputs = {from};
  op.outputs = {to};
  if (perm.empty()) {
    op.attributes.Set("shape", made_.tensor(to).shape);
    op.attributes.Set("allowzero", int64_t{1});
  } else {
    op.attributes.Set("perm", std::vector<int64_t>(perm.begin(), perm.end()));
  }
  Add(std::move(op));
}

}  // namespace tenon::graph
