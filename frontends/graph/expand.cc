#include "frontends/graph/expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "frontends/graph/resolve.h"
#include "frontends/graph/variables.h"

namespace tenon::graph {

namespace {

/// The most operators that graphs may run, also those that are folded.
constexpr int64_t kMostOperators = 1 << 14;
/// The most graphs within each other.
constexpr size_t kMostDepth = 64;
/// The most steps of all folded operators.
constexpr int64_t kMostLoopSteps = int64_t{1} << 25;

/// Attributes that are numbers of graphs.
constexpr std::string_view kGraphAttributes[] = {"condition", "body", "then", "else", "graph"};

bool SameNumbers(const Quantization& a, const Quantization& b) {
  return a.scales == b.scales && a.zero_points == b.zero_points && a.axis == b.axis;
}

class Expansion {
 public:
  Expansion(const std::vector<Graph>& graphs, size_t main) : graphs_(graphs), main_(main) {}

  absl::StatusOr<Graph> Run() {
    const Graph& main = graphs_[main_];
    result_.name = main.name;
    result_.number = main.number;
    result_.tensors = main.tensors;
    result_.inputs = main.inputs;
    result_.outputs = main.outputs;
    result_.output_names = main.output_names;
    Frame frame = {&main, main_, {}};
    for (size_t i = 0; i < main.tensors.size(); ++i) frame.tensors.push_back(static_cast<int>(i));
    active_.insert(main_);
    for (const Operator& op : main.operators)
      if (absl::Status status = Step(frame, op); !status.ok()) return status;
    variables_.Finish(result_);
    // A later step compares the file's shapes with those that operators give.
    for (size_t i = 0; i < main.tensors.size(); ++i)
      if (!result_.tensors[i].data) result_.tensors[i].shape = main.tensors[i].shape;
    return std::move(result_);
  }

 private:
  /// One run of a graph: the numbers that its tensors have in the result.
  struct Frame {
    const Graph* graph;
    size_t number;
    std::vector<int> tensors;
  };

  /// A point of the expansion, for taking back what comes after it.
  struct Mark {
    size_t operators;
    Variables::Values variables;
  };

  absl::Status Step(Frame& frame, const Operator& op);
  /// Counts an operator, or a turn of a loop.
  absl::Status Count();
  absl::Status RunIf(Frame& frame, const Operator& op, const Operator& mapped);
  absl::Status RunWhile(Frame& frame, const Operator& op, const Operator& mapped);
  absl::Status RunComposite(Frame& frame, const Operator& op, const Operator& mapped);
  absl::Status RunOnce(const Operator& mapped);
  absl::Status RunVariable(Frame& frame, const Operator& op, const Operator& mapped);

  /// The outputs of a graph for arguments. Unimplemented errors are reasons of refusals.
  absl::StatusOr<std::vector<int>> Call(const Operator& op, std::string_view graph,
                                        const std::vector<int>& arguments);
  absl::StatusOr<Frame> NewFrame(const Operator& op, size_t number,
                                 const std::vector<int>& arguments);
  /// Whether the condition of a WHILE holds.
  absl::StatusOr<bool> Holds(const Operator& op, const std::vector<int>& values);

  /// The tensor `value`, as a tensor with the numbers of `like`.
  absl::StatusOr<int> Viewed(const Operator& op, int value, const Tensor& like);
  /// Gives the outputs of an operator their values.
  absl::Status Bind(Frame& frame, const Operator& op, const Operator& mapped,
                    const std::vector<int>& values);

  Mark Here() const { return {result_.operators.size(), variables_.Save()}; }
  /// Keeps an operator with the reason why it is not expanded.
  absl::Status Refuse(const Operator& mapped, const Mark& mark, const absl::Status& reason);
  /// True if the operator, or one that it runs, reads or assigns variables.
  bool HasVariables(const Operator& op) const;
  void Append(Operator op);
  void View(int value, int to, const Operator& op);
  /// Where the value of a tensor comes from, if it is not a constant.
  std::string SourceOf(int tensor) const;

  const std::vector<Graph>& graphs_;
  size_t main_;
  Graph result_;
  Variables variables_;
  /// Constants and states of graphs, by the graph and the tensor's number in it.
  std::map<std::pair<size_t, int>, int> fixed_;
  /// Graphs that run.
  std::set<size_t> active_;
  /// Graphs that gave variables their initial values.
  std::set<size_t> done_;
  int64_t operators_ = 0;
  int64_t steps_ = kMostLoopSteps;
};

void Expansion::Append(Operator op) {
  if (ResolveOperator(result_, op, steps_).value_or(false)) return;
  result_.operators.push_back(std::move(op));
}

void Expansion::View(int value, int to, const Operator& op) {
  Append({"view", op.name, op.place, {value}, {to}, {}});
}

absl::Status Expansion::Count() {
  if (++operators_ <= kMostOperators) return absl::OkStatus();
  return absl::UnimplementedError(
      fmt::format("it runs more than {} operators, one after another", kMostOperators));
}

absl::Status Expansion::Step(Frame& frame, const Operator& op) {
  if (frame.number == main_) {
    operators_ = 0;
    steps_ = kMostLoopSteps;
  } else if (absl::Status status = Count(); !status.ok()) {
    return status;
  }
  Operator mapped = op;
  for (std::vector<int>* tensors : {&mapped.inputs, &mapped.outputs, &mapped.intermediates}) {
    for (int& tensor : *tensors)
      if (tensor != kAbsent) tensor = frame.tensors[static_cast<size_t>(tensor)];
  }
  if (op.kind == "if") return RunIf(frame, op, mapped);
  if (op.kind == "while") return RunWhile(frame, op, mapped);
  if (op.kind == "composite") return RunComposite(frame, op, mapped);
  if (op.kind == "call_once") return RunOnce(mapped);
  if (op.kind == "var_handle" || op.kind == "read_variable" || op.kind == "assign_variable")
    return RunVariable(frame, op, mapped);
  Append(std::move(mapped));
  return absl::OkStatus();
}

absl::Status Expansion::Refuse(const Operator& mapped, const Mark& mark,
                               const absl::Status& reason) {
  if (!absl::IsUnimplemented(reason)) return reason;
  result_.operators.resize(mark.operators);
  variables_.Restore(mark.variables);
  Operator op = mapped;
  op.refusal = std::string(reason.message());
  op.has_effects = HasVariables(op);
  result_.operators.push_back(std::move(op));
  return absl::OkStatus();
}

bool Expansion::HasVariables(const Operator& op) const {
  std::set<size_t> seen;
  std::vector<const Operator*> left = {&op};
  while (!left.empty()) {
    const Operator& next = *left.back();
    left.pop_back();
    if (next.kind == "read_variable" || next.kind == "assign_variable" || next.kind == "call_once")
      return true;
    for (const std::string_view name : kGraphAttributes) {
      const int64_t number = next.attributes.Int(name, -1);
      if (number < 0 || !seen.insert(static_cast<size_t>(number)).second) continue;
      for (const Operator& inner : graphs_[static_cast<size_t>(number)].operators)
        left.push_back(&inner);
    }
  }
  return false;
}

absl::StatusOr<Expansion::Frame> Expansion::NewFrame(const Operator& op, size_t number,
                                                     const std::vector<int>& arguments) {
  const Graph& graph = graphs_[number];
  if (graph.inputs.size() != arguments.size()) {
    return absl::InvalidArgumentError(
        fmt::format("{}: expected {} arguments for subgraph {}, found {}", op.place,
                    graph.inputs.size(), number, arguments.size()));
  }
  Frame frame = {&graph, number, std::vector<int>(graph.tensors.size(), kAbsent)};
  for (size_t i = 0; i < arguments.size(); ++i) {
    const int input = graph.inputs[i];
    const absl::StatusOr<int> argument = Viewed(op, arguments[i], graph.tensor(input));
    if (!argument.ok()) return argument.status();
    frame.tensors[static_cast<size_t>(input)] = *argument;
  }
  for (size_t i = 0; i < graph.tensors.size(); ++i) {
    if (frame.tensors[i] != kAbsent) continue;
    const Tensor& tensor = graph.tensors[i];
    const int next = static_cast<int>(result_.tensors.size());
    frame.tensors[i] = next;
    if (tensor.data || tensor.is_state)
      frame.tensors[i] = fixed_.emplace(std::pair(number, static_cast<int>(i)), next).first->second;
    if (frame.tensors[i] != next) continue;
    result_.tensors.push_back(tensor);
    result_.tensors.back().is_inner = true;
  }
  return frame;
}

absl::StatusOr<std::vector<int>> Expansion::Call(const Operator& op, std::string_view graph,
                                                 const std::vector<int>& arguments) {
  const auto number = static_cast<size_t>(op.attributes.Int(graph));
  if (active_.size() >= kMostDepth) {
    return absl::UnimplementedError(
        fmt::format("its subgraph is within {} others", active_.size()));
  }
  if (!active_.insert(number).second) {
    return absl::InvalidArgumentError(fmt::format("{}: subgraph {} runs itself", op.place, number));
  }
  absl::StatusOr<Frame> frame = NewFrame(op, number, arguments);
  absl::Status status = frame.status();
  if (frame.ok()) {
    for (const Operator& inner : frame->graph->operators)
      if (status.ok()) status = Step(*frame, inner);
  }
  active_.erase(number);
  if (!status.ok()) return status;
  std::vector<int> outputs;
  for (const int tensor : frame->graph->outputs)
    outputs.push_back(frame->tensors[static_cast<size_t>(tensor)]);
  return outputs;
}

absl::StatusOr<int> Expansion::Viewed(const Operator& op, int value, const Tensor& like) {
  if (value == kAbsent) return absl::UnimplementedError("an input is missing");
  if (variables_.IsHandle(value)) return value;
  const Tensor& tensor = result_.tensor(value);
  if (tensor.dtype != like.dtype) {
    return absl::InvalidArgumentError(fmt::format("{}: expected a value of {}, found {}", op.place,
                                                  like.TypeText(), tensor.TypeText()));
  }
  if (SameNumbers(tensor.quantization, like.quantization)) return value;
  Tensor copy = like;
  copy.shape = tensor.shape;
  copy.data = tensor.data;
  copy.is_inner = true;
  const int number = static_cast<int>(result_.tensors.size());
  result_.tensors.push_back(std::move(copy));
  if (!result_.tensors.back().data) View(value, number, op);
  return number;
}

absl::Status Expansion::Bind(Frame& frame, const Operator& op, const Operator& mapped,
                             const std::vector<int>& values) {
  if (values.size() != mapped.outputs.size()) {
    return absl::InvalidArgumentError(fmt::format("{}: expected {} outputs, found {}", op.place,
                                                  values.size(), mapped.outputs.size()));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const int output = op.outputs[i];
    const int number = mapped.outputs[i];
    const absl::StatusOr<int> value = Viewed(op, values[i], result_.tensor(number));
    if (!value.ok()) return value.status();
    // Tensors of the main graph keep their numbers.
    if (frame.number != main_ || variables_.IsHandle(*value)) {
      frame.tensors[static_cast<size_t>(output)] = *value;
      continue;
    }
    result_.tensors[static_cast<size_t>(number)].shape = result_.tensor(*value).shape;
    View(*value, number, op);
  }
  return absl::OkStatus();
}

std::string Expansion::SourceOf(int tensor) const {
  for (size_t i = result_.operators.size(); i-- > 0;) {
    const Operator& op = result_.operators[i];
    if (std::find(op.outputs.begin(), op.outputs.end(), tensor) == op.outputs.end()) continue;
    const auto input = std::find_if(op.inputs.begin(), op.inputs.end(), [&](int number) {
      return number != kAbsent && !result_.tensor(number).data;
    });
    if (input == op.inputs.end() || result_.tensor(*input).is_state)
      return fmt::format("the result of {}", op.place);
    tensor = *input;
  }
  return fmt::format("`{}`", result_.tensor(tensor).name);
}

absl::Status Expansion::RunIf(Frame& frame, const Operator& op, const Operator& mapped) {
  const Mark mark = Here();
  if (mapped.inputs.empty() || mapped.inputs[0] == kAbsent)
    return absl::InvalidArgumentError(fmt::format("{}: expected a condition", op.place));
  const Tensor& condition = result_.tensor(mapped.inputs[0]);
  if (!condition.HasIntegers() || condition.elements() != 1) {
    return Refuse(mapped, mark,
                  absl::UnimplementedError(fmt::format(
                      "its condition depends on {}, which is known only when the model runs",
                      SourceOf(mapped.inputs[0]))));
  }
  const absl::StatusOr<std::vector<int>> values =
      Call(mapped, condition.IntegerAt(0) != 0 ? "then" : "else",
           {mapped.inputs.begin() + 1, mapped.inputs.end()});
  const absl::Status status = values.ok() ? Bind(frame, op, mapped, *values) : values.status();
  return status.ok() ? status : Refuse(mapped, mark, status);
}

absl::StatusOr<bool> Expansion::Holds(const Operator& op, const std::vector<int>& values) {
  const absl::StatusOr<std::vector<int>> outputs = Call(op, "condition", values);
  if (!outputs.ok()) return outputs.status();
  if (outputs->size() != 1 || result_.tensor(outputs->front()).elements() != 1) {
    return absl::InvalidArgumentError(
        fmt::format("{}: expected a condition of one element", op.place));
  }
  const Tensor& condition = result_.tensor(outputs->front());
  if (condition.HasIntegers()) return condition.IntegerAt(0) != 0;
  return absl::UnimplementedError(
      fmt::format("its condition depends on {}, which is known only when the model runs",
                  SourceOf(outputs->front())));
}

absl::Status Expansion::RunWhile(Frame& frame, const Operator& op, const Operator& mapped) {
  const Mark mark = Here();
  std::vector<int> values = mapped.inputs;
  while (true) {
    if (absl::Status status = Count(); !status.ok()) return Refuse(mapped, mark, status);
    const absl::StatusOr<bool> holds = Holds(mapped, values);
    if (!holds.ok()) return Refuse(mapped, mark, holds.status());
    if (!*holds) break;
    absl::StatusOr<std::vector<int>> next = Call(mapped, "body", values);
    if (!next.ok()) return Refuse(mapped, mark, next.status());
    values = *std::move(next);
  }
  const absl::Status status = Bind(frame, op, mapped, values);
  return status.ok() ? status : Refuse(mapped, mark, status);
}

absl::Status Expansion::RunComposite(Frame& frame, const Operator& op, const Operator& mapped) {
  const Mark mark = Here();
  const absl::StatusOr<std::vector<int>> values = Call(mapped, "graph", mapped.inputs);
  const absl::Status status = values.ok() ? Bind(frame, op, mapped, *values) : values.status();
  return status.ok() ? status : Refuse(mapped, mark, status);
}

absl::Status Expansion::RunOnce(const Operator& mapped) {
  if (!done_.insert(static_cast<size_t>(mapped.attributes.Int("graph"))).second)
    return absl::OkStatus();
  const Mark mark = Here();
  const bool is_within = variables_.SetInitialising(true);
  const absl::StatusOr<std::vector<int>> values = Call(mapped, "graph", {});
  variables_.SetInitialising(is_within);
  if (!values.ok()) return Refuse(mapped, mark, values.status());
  // Operators without outputs do more than to compute the initial values.
  for (size_t i = mark.operators; i < result_.operators.size(); ++i) {
    const Operator& left = result_.operators[i];
    if (!left.refusal.empty() || left.outputs.empty()) {
      return Refuse(
          mapped, mark,
          absl::UnimplementedError(fmt::format("it runs {}, which is not supported{}{}", left.place,
                                               left.refusal.empty() ? "" : ": ", left.refusal)));
    }
  }
  result_.operators.resize(mark.operators);
  return absl::OkStatus();
}

absl::Status Expansion::RunVariable(Frame& frame, const Operator& op, const Operator& mapped) {
  const bool is_read = op.kind == "read_variable";
  const bool is_handle = op.kind == "var_handle";
  const size_t inputs = is_handle ? 0 : is_read ? 1 : 2;
  const size_t outputs = is_handle || is_read ? 1 : 0;
  if (op.inputs.size() != inputs || op.outputs.size() != outputs ||
      std::count(op.inputs.begin(), op.inputs.end(), kAbsent) > 0) {
    return absl::InvalidArgumentError(
        fmt::format("{}: expected {} inputs and {} outputs, found {} and {}", op.place, inputs,
                    outputs, op.inputs.size(), op.outputs.size()));
  }
  if (is_handle) {
    variables_.Handle(mapped.outputs[0], op.attributes.Text("container"),
                      op.attributes.Text("shared_name"));
    return absl::OkStatus();
  }
  const Mark mark = Here();
  if (!is_read) {
    const absl::Status status = variables_.Assign(result_, mapped);
    return status.ok() ? status : Refuse(mapped, mark, status);
  }
  const absl::StatusOr<int> value = variables_.Read(result_, mapped);
  if (!value.ok()) return Refuse(mapped, mark, value.status());
  return Bind(frame, op, mapped, {*value});
}

}  // namespace

absl::StatusOr<Graph> ExpandGraphs(const std::vector<Graph>& graphs, size_t main) {
  return Expansion(graphs, main).Run();
}

}  // namespace tenon::graph
