#include "frontends/graph/variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "frontends/graph/operators.h"
#include "support/little_endian.h"

namespace tenon::graph {

namespace {

int NewTensor(Graph& graph, Tensor tensor) {
  graph.tensors.push_back(std::move(tensor));
  return static_cast<int>(graph.tensors.size()) - 1;
}

/// Elements that stand for the number 0.
TensorData Zeros(const Tensor& tensor) {
  std::string element;
  if (tensor.dtype.is_integer()) AppendLittleEndian(tensor.quantization.zero_point(), &element);
  element.resize(static_cast<size_t>(tensor.dtype.element_bytes()), '\0');
  std::string bytes;
  for (int64_t i = 0; i < tensor.elements(); ++i) bytes += element;
  return DataOf(std::move(bytes));
}

/// The operator that computes a tensor, as the end of a sentence.
std::string SourceOf(const Graph& graph, int tensor) {
  for (const Operator& op : graph.operators) {
    if (std::find(op.outputs.begin(), op.outputs.end(), tensor) != op.outputs.end())
      return fmt::format(": {} computes it", op.place);
  }
  return {};
}

/// The operands of an operator that reads or writes a state. Without an initial value the state has
/// the variable's bits.
std::vector<int> WithInitial(const Graph& graph, std::vector<int> inputs, int initial) {
  const std::span<const uint8_t> bytes = graph.tensor(initial).data->bytes;
  const bool is_zero =
      std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte == 0; });
  if (!is_zero) inputs.push_back(initial);
  return inputs;
}

}  // namespace

void Variables::Handle(int handle, std::string_view container, std::string_view name) {
  const auto [found, is_new] =
      numbers_.emplace(std::pair(std::string(container), std::string(name)), variables_.size());
  if (is_new) variables_.push_back({.name = std::string(name)});
  handles_[handle] = found->second;
}

void Variables::Restore(const Values& values) {
  // Names that came later keep their places, without values.
  for (size_t i = 0; i < variables_.size(); ++i)
    variables_[i] = i < values.size() ? values[i] : Variable{.name = variables_[i].name};
}

absl::StatusOr<Variables::Variable*> Variables::Find(const Operator& op) {
  const auto found = op.inputs.empty() ? handles_.end() : handles_.find(op.inputs[0]);
  if (found != handles_.end()) return &variables_[found->second];
  return absl::UnimplementedError("its first input is not the handle of a VAR_HANDLE");
}

absl::StatusOr<int> Variables::Read(Graph& graph, const Operator& op) {
  const absl::StatusOr<Variable*> found = Find(op);
  if (!found.ok()) return found.status();
  Variable& variable = **found;
  if (is_initialising_) {
    if (variable.initial != kAbsent) return variable.initial;
    return absl::UnimplementedError(
        fmt::format("the variable `{}` is read before it has an initial value", variable.name));
  }
  const Tensor& output = graph.tensor(op.outputs[0]);
  if (variable.initial != kAbsent && graph.tensor(variable.initial).dtype != output.dtype) {
    return absl::UnimplementedError(
        fmt::format("the variable `{}` begins as {}, and is read as {}", variable.name,
                    graph.tensor(variable.initial).TypeText(), output.TypeText()));
  }
  if (variable.value == kAbsent) AddState(graph, variable, op);
  return variable.value;
}

void Variables::AddState(Graph& graph, Variable& variable, const Operator& op) {
  Tensor read = graph.tensor(op.outputs[0]);
  read.is_inner = true;
  if (variable.initial == kAbsent) {
    Tensor initial = read;
    initial.data = Zeros(initial);
    variable.initial = NewTensor(graph, std::move(initial));
  }
  read.shape = graph.tensor(variable.initial).shape;
  Tensor state = read;
  state.name = variable.name;
  state.is_state = true;
  variable.state = NewTensor(graph, std::move(state));
  variable.read = NewTensor(graph, std::move(read));
  variable.value = variable.read;
  graph.operators.push_back({"read_variable",
                             op.name,
                             op.place,
                             WithInitial(graph, {variable.state}, variable.initial),
                             {variable.read},
                             {}});
}

absl::Status Variables::Assign(Graph& graph, const Operator& op) {
  const absl::StatusOr<Variable*> found = Find(op);
  if (!found.ok()) return found.status();
  Variable& variable = **found;
  const int value = op.inputs[1];
  if (!is_initialising_) {
    variable.value = value;
    variable.place = op.place;
    variable.assigned = graph.operators.size();
    return absl::OkStatus();
  }
  if (variable.value != kAbsent) {
    return absl::UnimplementedError(
        fmt::format("an operator before it reads or assigns the variable `{}`", variable.name));
  }
  if (!graph.tensor(value).data) {
    return absl::UnimplementedError(
        fmt::format("the initial value of the variable `{}` is not a constant{}", variable.name,
                    SourceOf(graph, value)));
  }
  variable.initial = value;
  variable.has_initial = true;
  return absl::OkStatus();
}

std::map<int, size_t> Variables::StateMemory(const Graph& graph,
                                             const std::set<size_t>& copied) const {
  std::map<int, size_t> memory;
  for (size_t i = 0; i < variables_.size(); ++i)
    if (variables_[i].HasState() && !copied.contains(i)) memory[variables_[i].read] = i;
  for (const Operator& op : graph.operators) {
    if (!IsReshape(graph.format, op) || op.inputs.empty() || op.outputs.size() != 1) continue;
    const auto found = memory.find(op.inputs[0]);
    if (found != memory.end()) memory[op.outputs[0]] = found->second;
  }
  return memory;
}

std::set<size_t> Variables::Copied(const Graph& graph) const {
  const std::map<int, size_t> memory = StateMemory(graph, {});
  std::set<size_t> copied;
  for (const Variable& variable : variables_) {
    const auto found = memory.find(variable.value);
    if (variable.HasState() && found != memory.end()) copied.insert(found->second);
  }
  return copied;
}

std::vector<size_t> Variables::WritePlaces(const Graph& graph,
                                           const std::map<int, size_t>& memory) const {
  std::vector<size_t> places;
  for (const Variable& variable : variables_) places.push_back(variable.assigned);
  for (size_t i = 0; i < graph.operators.size(); ++i) {
    const auto read = [&](int tensor) {
      const auto found = memory.find(tensor);
      if (found != memory.end()) places[found->second] = std::max(places[found->second], i + 1);
    };
    for (const int tensor : graph.operators[i].inputs) read(tensor);
    for (const Guard& guard : graph.operators[i].guards) read(guard.condition);
  }
  return places;
}

Operator Variables::WriteOf(const Graph& graph, const Variable& variable) {
  Operator op{"assign_variable",
              "ASSIGN_VARIABLE",
              variable.place,
              WithInitial(graph, {variable.state, variable.value}, variable.initial),
              {},
              {}};
  const Tensor& state = graph.tensor(variable.state);
  const Tensor& value = graph.tensor(variable.value);
  if (state.dtype != value.dtype || state.shape != value.shape) {
    op.refusal = fmt::format("the variable `{}` changes from {} to {}", variable.name,
                             state.TypeText(), value.TypeText());
  }
  return op;
}

void Variables::Finish(Graph& graph) const {
  const std::set<size_t> copied = Copied(graph);
  const std::vector<size_t> places = WritePlaces(graph, StateMemory(graph, copied));
  std::set<int> copied_reads;
  std::set<int> constants;
  std::map<int, std::string> unknown;
  for (size_t i = 0; i < variables_.size(); ++i) {
    const Variable& variable = variables_[i];
    if (copied.contains(i)) copied_reads.insert(variable.read);
    if (variable.state == kAbsent || variable.HasState()) continue;
    if (!variable.has_initial) {
      unknown[variable.read] = fmt::format("no operator gives `{}` a value", variable.name);
      continue;
    }
    // It keeps its initial value.
    graph.tensors[static_cast<size_t>(variable.read)].data = graph.tensor(variable.initial).data;
    constants.insert(variable.read);
  }
  std::vector<Operator> operators;
  for (size_t at = 0; at <= graph.operators.size(); ++at) {
    for (size_t i = 0; i < variables_.size(); ++i)
      if (variables_[i].HasState() && places[i] == at)
        operators.push_back(WriteOf(graph, variables_[i]));
    if (at == graph.operators.size()) break;
    Operator& op = graph.operators[at];
    if (op.kind == "read_variable" && op.refusal.empty()) {
      if (constants.contains(op.outputs[0])) continue;
      if (const auto found = unknown.find(op.outputs[0]); found != unknown.end()) {
        op.refusal = found->second;
        op.has_effects = true;
      }
      if (copied_reads.contains(op.outputs[0])) op.attributes.Set("copy", int64_t{1});
    }
    operators.push_back(std::move(op));
  }
  graph.operators = std::move(operators);
}

}  // namespace tenon::graph
