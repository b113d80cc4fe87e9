#include "frontends/onnx/import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "frontends/graph/variables.h"
#include "frontends/onnx/inputs.h"
#include "frontends/onnx/interface_types.h"
#include "frontends/onnx/model.h"
#include "frontends/onnx/node.h"
#include "frontends/onnx/quantized_groups.h"
#include "frontends/onnx/rows.h"
#include "frontends/onnx/tensor_data.h"
#include "support/nearest_name.h"
#include "support/shown_text.h"
#include "support/status_macros.h"

namespace tenon::onnx {

namespace {

/// Calls of functions, and graphs of nodes, within each other.
constexpr int kMostCalls = 64;
/// A value after a node without a known shape.
constexpr int kUnknown = -2;

/// Operators whose results have as many elements as a run finds.
constexpr std::string_view kDynamic[] = {"Compress", "NonMaxSuppression", "Unique"};

std::string_view DomainOf(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}

/// Names of values, and what the nodes around them are.
struct Scope {
  const Scope* parent = nullptr;
  const std::vector<OperatorSet>* operator_sets = nullptr;
  /// The attributes of the function's call.
  const std::vector<AttributeProto>* call = nullptr;
  /// Begins the places of nodes: `node "f" (F): `.
  std::string prefix;
  int depth = 0;
  absl::flat_hash_map<std::string_view, int> values;

  std::optional<int> Find(std::string_view name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->parent) {
      const auto found = scope->values.find(name);
      if (found != scope->values.end()) return found->second;
    }
    return std::nullopt;
  }
  int64_t VersionOf(std::string_view domain) const {
    for (const OperatorSet& set : *operator_sets)
      if (DomainOf(set.domain) == domain) return set.version;
    return 0;
  }
};

class Importer {
 public:
  Importer(const std::shared_ptr<const FileBytes>& file, const ReadOptions& options)
      : wire_(file->view()),
        tensors_(file),
        builder_(&tensors_),
        inputs_(options),
        options_(options) {}

  absl::StatusOr<Import> Run() {
    const ModelProto model = ReadModelProto(wire_);
    TENON_TRY(wire_.status());
    TENON_TRY(CheckVersions(model.operator_sets, "Model.opset_import"));
    for (const FunctionProto& function : model.functions) {
      functions_.emplace(std::tuple(DomainOf(function.domain), function.name, function.overload),
                         &function);
    }
    const GraphProto& graph = *model.graph;
    for (const auto* values : {&graph.values, &graph.outputs})
      for (const ValueInfo& value : *values) declared_.emplace(value.name, &value);
    Scope scope;
    scope.operator_sets = &model.operator_sets;
    TENON_TRY(ReadInitializers(graph, scope));
    TENON_TRY(ReadInputs(graph, scope));
    TENON_TRY(ReadNodes(graph.nodes, scope));
    TENON_TRY(ReadOutputs(graph, scope));
    JoinQuantizedGroups(builder_.graph());
    TENON_TRY(WriteStates());
    states_.Finish(builder_.graph());
    result_.graph = std::move(builder_.graph());
    result_.graph.name = std::string(graph.name);
    return std::move(result_);
  }

 private:
  static absl::Status CheckVersions(const std::vector<OperatorSet>& sets, std::string_view place) {
    for (const OperatorSet& set : sets) {
      if (!DomainOf(set.domain).empty()) continue;
      if (set.version >= kFirstVersion && set.version <= kLastVersion) continue;
      return absl::UnimplementedError(
          fmt::format("{}: expected version {} to {} of ONNX's operators, found {}", place,
                      kFirstVersion, kLastVersion, set.version));
    }
    return absl::OkStatus();
  }

  /// Gives a name to a value.
  absl::Status Define(std::string_view place, std::string_view name, int tensor, Scope& scope) {
    if (!scope.values.emplace(name, tensor).second) {
      return Wrong(place, fmt::format("`{}` has a value already, as an input, a constant or the "
                                      "output of a node",
                                      ShownText(name)));
    }
    if (tensor < 0) return absl::OkStatus();
    graph::Tensor& of = builder_.graph().tensors[static_cast<size_t>(tensor)];
    const bool is_inner = scope.parent != nullptr || scope.call != nullptr;
    if (of.name.empty() || (of.is_inner && !is_inner)) {
      of.name = std::string(name);
      of.is_inner = is_inner;
    }
    return is_inner ? absl::OkStatus() : CheckDeclared(place, name, of);
  }

  /// An error if the file says another type for a value than its node gives. Another shape is
  /// noted: exporters write wrong ones, and onnxruntime also takes those of the nodes.
  absl::Status CheckDeclared(std::string_view place, std::string_view name,
                             const graph::Tensor& tensor) {
    const auto found = declared_.find(name);
    if (found == declared_.end() || !tensor.unsupported.empty()) return absl::OkStatus();
    const ValueInfo& value = *found->second;
    if (value.is_tensor && value.element_type != 0 && TypeOf(value.element_type) != tensor.dtype) {
      const std::optional<DataType> dtype = TypeOf(value.element_type);
      return Wrong(place, fmt::format("expected {} for `{}`, as the file says, found {}",
                                      dtype ? dtype->ToString() : TypeName(value.element_type),
                                      ShownText(name), tensor.TypeText()));
    }
    if (!value.shape) return absl::OkStatus();
    std::vector<std::string> extents;
    bool is_right = value.shape->size() == tensor.shape.size();
    for (size_t i = 0; i < value.shape->size(); ++i) {
      const Dimension& dimension = (*value.shape)[i];
      extents.push_back(dimension.value ? std::to_string(*dimension.value)
                                        : ShownText(dimension.name));
      if (is_right && dimension.value && *dimension.value >= 0)
        is_right = *dimension.value == tensor.shape[i];
    }
    if (!is_right) {
      result_.stale.push_back(fmt::format("`{}`: {} instead of [{}]", ShownText(name),
                                          tensor.TypeText(), fmt::join(extents, ", ")));
    }
    return absl::OkStatus();
  }

  absl::Status ReadInitializers(const GraphProto& graph, Scope& scope) {
    for (const TensorProto& proto : graph.initializers) {
      TENON_ASSIGN_OR(graph::Tensor tensor, tensors_.Read(proto));
      TENON_TRY(Define(proto.place, proto.name, builder_.Add(std::move(tensor)), scope));
    }
    return absl::OkStatus();
  }

  absl::Status ReadInputs(const GraphProto& graph, Scope& scope) {
    std::set<std::string_view> inputs;
    for (const ValueInfo& input : graph.inputs) {
      if (!inputs.insert(input.name).second)
        return Wrong(input.place, fmt::format("`{}` is an input twice", ShownText(input.name)));
      // Old files list constants among the inputs, so that a caller can replace them.
      if (scope.values.contains(input.name)) continue;
      TENON_ASSIGN_OR(graph::Tensor tensor, inputs_.Read(input));
      const bool is_constant = tensor.data.has_value();
      int number = builder_.Add(std::move(tensor));
      if (!is_constant && options_.states.contains(input.name)) {
        TENON_ASSIGN_OR(number, ReadState(input, number));
      } else if (!is_constant) {
        builder_.graph().inputs.push_back(number);
      }
      scope.values.emplace(input.name, number);
    }
    TENON_TRY(inputs_.Finish(graph));
    return CheckStates(graph);
  }

  /// The value that a state has at the beginning of a run.
  absl::StatusOr<int> ReadState(const ValueInfo& input, int tensor) {
    const graph::Tensor& of = builder_.tensor(tensor);
    if (!of.unsupported.empty())
      return WrongOption(input.place, fmt::format("the state `{}` {}", of.name, of.unsupported));
    states_.Handle(tensor, {}, input.name);
    state_handles_.emplace(input.name, tensor);
    return states_.Read(builder_.graph(), StateOperator(input.place, input.name, {tensor}, tensor));
  }

  static graph::Operator StateOperator(std::string_view place, std::string_view name,
                                       std::vector<int> inputs, int output) {
    graph::Operator op;
    op.name = std::string(name);
    op.place = std::string(place);
    op.inputs = std::move(inputs);
    op.outputs = {output};
    return op;
  }

  /// Each of --state names an input without a value, and an output of its own.
  absl::Status CheckStates(const GraphProto& graph) const {
    std::vector<std::string> outputs;
    for (const ValueInfo& output : graph.outputs) outputs.emplace_back(output.name);
    std::map<std::string_view, std::string_view> inputs;
    for (const auto& [input, output] : options_.states) {
      const bool is_input =
          std::any_of(graph.inputs.begin(), graph.inputs.end(),
                      [&name = input](const ValueInfo& each) { return each.name == name; });
      // A state of another file; others have been checked.
      if (!is_input) continue;
      if (!state_handles_.contains(input)) {
        return WrongOption("--state",
                           fmt::format("expected an input without a value, found `{}`, which "
                                       "is a constant",
                                       input));
      }
      if (std::find(outputs.begin(), outputs.end(), output) == outputs.end()) {
        return WrongOption("--state", fmt::format("expected an output of the file, found `{}`{}",
                                                  output, DidYouMean(output, outputs)));
      }
      const auto [other, is_new] = inputs.emplace(output, input);
      if (!is_new) {
        return WrongOption("--state",
                           fmt::format("expected an output for each input, found `{}` for "
                                       "`{}` and `{}`",
                                       output, other->second, input));
      }
    }
    return absl::OkStatus();
  }

  /// The input that has the value of an output in the next run, if it is a state.
  std::optional<std::string_view> StateOf(std::string_view output) const {
    for (const auto& state : options_.states)
      if (state.second == output) return state.first;
    return std::nullopt;
  }

  /// An output becomes the value of a state in the next run.
  absl::Status WriteState(const ValueInfo& output, std::string_view input, int number) {
    const int handle = state_handles_.find(input)->second;
    const graph::Tensor& state = builder_.tensor(handle);
    const graph::Tensor& value = builder_.tensor(number);
    if (state.dtype != value.dtype || state.shape != value.shape) {
      return WrongOption(
          output.place,
          fmt::format("expected {} for the output `{}` of --state {}={}, as the input has, "
                      "found {}",
                      state.TypeText(), ShownText(output.name), input, output.name,
                      value.TypeText()));
    }
    return states_.Assign(builder_.graph(),
                          StateOperator(output.place, input, {handle, number}, graph::kAbsent));
  }

  /// Sets the types of inputs and outputs, and then writes the states: their places count
  /// operators.
  absl::Status WriteStates() {
    if (options_.interface_type) {
      std::set<int> kept;
      for (const StateValue& value : state_values_) kept.insert(value.tensor);
      TENON_TRY(SetInterfaceTypes(builder_.graph(), *options_.interface_type, kept));
    }
    for (const StateValue& value : state_values_)
      TENON_TRY(WriteState(*value.output, value.input, value.tensor));
    return absl::OkStatus();
  }

  absl::Status ReadOutputs(const GraphProto& graph, const Scope& scope) {
    if (graph.outputs.empty()) return Wrong(graph.place, "expected an output, found none");
    for (const ValueInfo& output : graph.outputs) {
      TENON_ASSIGN_OR(const int number, Lookup(output.place, output.name, scope));
      if (number < 0) continue;
      if (const std::optional<std::string_view> state = StateOf(output.name)) {
        state_values_.push_back({&output, *state, number});
        continue;
      }
      graph::Graph& of = builder_.graph();
      if (of.tensor(number).name != output.name)
        of.output_names[of.outputs.size()] = std::string(output.name);
      of.outputs.push_back(number);
    }
    return absl::OkStatus();
  }

  static absl::StatusOr<int> Lookup(std::string_view place, std::string_view name,
                                    const Scope& scope) {
    const std::optional<int> found = scope.Find(name);
    if (found) return *found;
    return Wrong(place,
                 fmt::format("`{}` is read, but no input, constant or earlier node has this name",
                             ShownText(name)));
  }

  absl::Status ReadNodes(const std::vector<NodeProto>& nodes, Scope& scope) {
    for (const NodeProto& node : nodes) {
      if (++result_.nodes > static_cast<int64_t>(kMostNodes)) {
        return Wrong("Model.functions",
                     fmt::format("expected at most {} nodes, found more", kMostNodes));
      }
      TENON_TRY(ReadNode(node, scope));
    }
    return absl::OkStatus();
  }

  static std::string PlaceOf(const NodeProto& node, const Scope& scope) {
    const std::string type(ShownText(node.op_type));
    if (node.name.empty()) return fmt::format("{}node {} ({})", scope.prefix, node.index, type);
    return fmt::format("{}node `{}` ({})", scope.prefix, ShownText(node.name), type);
  }

  absl::Status ReadNode(const NodeProto& node, Scope& scope) {
    const std::string place = PlaceOf(node, scope);
    std::vector<int> inputs;
    bool is_known = true;
    for (const std::string_view name : node.inputs) {
      int number = graph::kAbsent;
      if (!name.empty()) {
        TENON_ASSIGN_OR(number, Lookup(place, name, scope));
      }
      is_known = is_known && number != kUnknown;
      inputs.push_back(number);
    }
    const std::string_view domain = DomainOf(node.domain);
    const auto function = functions_.find(std::tuple(domain, node.op_type, node.overload));
    const std::vector<AttributeProto> attributes = Resolved(node, scope);
    if (function != functions_.end())
      return Call(*function->second, node, attributes, inputs, place, scope);
    if (domain.empty() && node.op_type == "If" && is_known)
      return ReadIf(node, attributes, inputs, place, scope);
    const int64_t version = scope.VersionOf(domain);
    if (domain.empty() && version == 0) {
      return Wrong(place,
                   "expected the version of ONNX's operators in `opset_import` of the model or "
                   "function, found none");
    }
    const OperatorRow* row = FindRow(domain, node.op_type, version);
    if (row == nullptr)
      return Refuse(node, inputs, place, ReasonOf(domain, node.op_type, version), scope);
    if (!is_known)
      return DefineAll(node, place, std::vector<int>(node.outputs.size(), kUnknown), scope);
    return Convert(*row, node, attributes, inputs, place, scope);
  }

  static std::string ReasonOf(std::string_view domain, std::string_view op_type, int64_t version) {
    if (domain.empty() &&
        std::find(std::begin(kDynamic), std::end(kDynamic), op_type) != std::end(kDynamic))
      return "the shape of its result depends on values that are known only at run time";
    if (!HasAnyRow(domain, op_type)) {
      return domain.empty()
                 ? "Tenon has no such operator"
                 : fmt::format("Tenon has no such operator of the domain `{}`", ShownText(domain));
    }
    return fmt::format("not for version {} of the operators", version);
  }

  /// The attributes of a node. Those that name an attribute of the function's caller get its value.
  static std::vector<AttributeProto> Resolved(const NodeProto& node, const Scope& scope) {
    std::vector<AttributeProto> attributes;
    for (const AttributeProto& attribute : node.attributes) {
      if (attribute.reference.empty()) {
        attributes.push_back(attribute);
        continue;
      }
      if (scope.call == nullptr) continue;
      for (const AttributeProto& given : *scope.call) {
        if (given.name != attribute.reference) continue;
        attributes.push_back(given);
        attributes.back().name = attribute.name;
      }
    }
    return attributes;
  }

  absl::Status DefineAll(const NodeProto& node, std::string_view place,
                         const std::vector<int>& tensors, Scope& scope) {
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i].empty()) continue;
      if (tensors[i] == graph::kAbsent)
        return Wrong(place, fmt::format("output {} is more than the operator has", i));
      TENON_TRY(Define(place, node.outputs[i], tensors[i], scope));
    }
    return absl::OkStatus();
  }

  absl::Status Convert(const OperatorRow& row, const NodeProto& proto,
                       const std::vector<AttributeProto>& attributes,
                       const std::vector<int>& inputs, const std::string& place, Scope& scope) {
    const size_t operators = builder_.graph().operators.size();
    Node node(builder_, proto, row, place, inputs);
    absl::Status status = UnsupportedInput(inputs);
    if (status.ok()) status = node.ReadAttributes(attributes);
    if (status.ok()) status = row.convert(node);
    if (status.ok()) return DefineAll(proto, place, node.bound(), scope);
    if (!absl::IsUnimplemented(status)) return status;
    builder_.graph().operators.resize(operators);
    std::string reason(status.message());
    if (reason.starts_with(place + ": ")) reason.erase(0, place.size() + 2);
    return Refuse(proto, inputs, place, reason, scope);
  }

  absl::Status UnsupportedInput(const std::vector<int>& inputs) const {
    for (const int number : inputs) {
      if (number < 0 || builder_.tensor(number).unsupported.empty()) continue;
      return absl::UnimplementedError(fmt::format("its input `{}` {}", builder_.tensor(number).name,
                                                  builder_.tensor(number).unsupported));
    }
    return absl::OkStatus();
  }

  /// Notes a node without support. It stays in the graph if the file says the types of its outputs.
  absl::Status Refuse(const NodeProto& node, const std::vector<int>& inputs,
                      const std::string& place, const std::string& reason, Scope& scope) {
    result_.refusals.push_back(fmt::format("{}: {}", place, reason));
    graph::Operator op;
    op.name = std::string(node.op_type);
    op.place = place;
    op.inputs = inputs;
    op.refusal = reason;
    bool is_known = std::find(inputs.begin(), inputs.end(), kUnknown) == inputs.end();
    for (const std::string_view name : node.outputs) {
      if (name.empty()) {
        op.outputs.push_back(graph::kAbsent);
        continue;
      }
      const auto declared = declared_.find(name);
      const bool is_declared = declared != declared_.end() && scope.parent == nullptr &&
                               scope.call == nullptr && declared->second->is_tensor;
      const auto shape = is_declared ? inputs_.Known(*declared->second) : std::nullopt;
      const auto dtype = is_declared ? TypeOf(declared->second->element_type) : std::nullopt;
      if (!shape || !dtype || !CheckShape(place, *shape).ok()) {
        is_known = false;
        break;
      }
      graph::Tensor tensor;
      tensor.dtype = *dtype;
      tensor.shape = *shape;
      op.outputs.push_back(builder_.Add(std::move(tensor)));
    }
    if (!is_known) {
      result_.is_cut = true;
      return DefineAll(node, place, std::vector<int>(node.outputs.size(), kUnknown), scope);
    }
    const std::vector<int> outputs = op.outputs;
    builder_.graph().operators.push_back(std::move(op));
    return DefineAll(node, place, outputs, scope);
  }

  static absl::Status CheckDepth(const NodeProto& node, const Scope& scope) {
    if (scope.depth < kMostCalls) return absl::OkStatus();
    return Wrong(PlaceOf(node, Scope()),
                 fmt::format("functions and branches are nested more than {} times, or "
                             "without end",
                             kMostCalls));
  }

  /// Reads the nodes of a function in place of its call.
  absl::Status Call(const FunctionProto& function, const NodeProto& node,
                    std::vector<AttributeProto> attributes, const std::vector<int>& inputs,
                    const std::string& place, Scope& scope) {
    TENON_TRY(CheckDepth(node, scope));
    TENON_TRY(CheckVersions(function.operator_sets, function.place));
    if (inputs.size() > function.inputs.size() || node.outputs.size() > function.outputs.size()) {
      return Wrong(place, fmt::format("expected at most {} inputs and {} outputs, found {} and {}",
                                      function.inputs.size(), function.outputs.size(),
                                      inputs.size(), node.outputs.size()));
    }
    for (const AttributeProto& value : function.defaults) {
      if (node.Find(value.name) == nullptr) attributes.push_back(value);
    }
    Scope own;
    own.operator_sets = &function.operator_sets;
    own.call = &attributes;
    own.prefix = place + ": ";
    own.depth = scope.depth + 1;
    for (size_t i = 0; i < function.inputs.size(); ++i) {
      const int number = i < inputs.size() ? inputs[i] : graph::kAbsent;
      if (!own.values.emplace(function.inputs[i], number).second)
        return Wrong(function.place, fmt::format("`{}` is an input twice", function.inputs[i]));
    }
    TENON_TRY(ReadNodes(function.nodes, own));
    std::vector<int> outputs;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      TENON_ASSIGN_OR(const int number, Lookup(function.place, function.outputs[i], own));
      outputs.push_back(number);
    }
    return DefineAll(node, place, outputs, scope);
  }

  /// Reads the branch that a known condition chooses in place of the node, else both.
  absl::Status ReadIf(const NodeProto& node, const std::vector<AttributeProto>& attributes,
                      const std::vector<int>& inputs, const std::string& place, Scope& scope) {
    TENON_TRY(CheckDepth(node, scope));
    if (inputs.size() != 1 || inputs[0] == graph::kAbsent)
      return Wrong(place, fmt::format("expected one input, found {}", inputs.size()));
    const graph::Tensor& condition = builder_.tensor(inputs[0]);
    if (condition.elements() != 1 || !condition.dtype.is_bool() || !condition.unsupported.empty())
      return Wrong(place, "expected one bool, found " + condition.TypeText());
    if (!condition.HasIntegers()) return ReadBranches(node, attributes, inputs, place, scope);
    const bool holds = condition.IntegerAt(0) != 0;
    TENON_ASSIGN_OR(const std::vector<int> outputs,
                    ReadBranch(node, attributes, holds, place, scope));
    return DefineAll(node, place, outputs, scope);
  }

  /// Reads the nodes of a branch, and gives the tensors of its outputs.
  absl::StatusOr<std::vector<int>> ReadBranch(const NodeProto& node,
                                              const std::vector<AttributeProto>& attributes,
                                              bool holds, const std::string& place, Scope& scope) {
    const std::string_view wanted = holds ? "then_branch" : "else_branch";
    const GraphProto* branch = nullptr;
    for (const AttributeProto& attribute : attributes)
      if (attribute.name == wanted) branch = attribute.graph.get();
    if (branch == nullptr || branch->outputs.size() < node.outputs.size())
      return Wrong(place, fmt::format("expected a graph with {} outputs in the attribute `{}`",
                                      node.outputs.size(), wanted));
    Scope own;
    own.parent = &scope;
    own.operator_sets = scope.operator_sets;
    own.call = scope.call;
    own.prefix = place + ": ";
    own.depth = scope.depth + 1;
    TENON_TRY(ReadInitializers(*branch, own));
    TENON_TRY(ReadNodes(branch->nodes, own));
    std::vector<int> outputs;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      TENON_ASSIGN_OR(const int number, Lookup(place, branch->outputs[i].name, own));
      outputs.push_back(number);
    }
    return outputs;
  }

  /// Reads both branches of a condition that only a run knows. Their outputs must have the same
  /// types, since memory is planned before the run.
  absl::Status ReadBranches(const NodeProto& node, const std::vector<AttributeProto>& attributes,
                            const std::vector<int>& inputs, const std::string& place,
                            Scope& scope) {
    std::vector<graph::Operator>& operators = builder_.graph().operators;
    const size_t first = operators.size();
    TENON_ASSIGN_OR(std::vector<int> results, ReadBranch(node, attributes, true, place, scope));
    const size_t middle = operators.size();
    TENON_ASSIGN_OR(std::vector<int> others, ReadBranch(node, attributes, false, place, scope));
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i] < 0 || others[i] < 0)
        return DefineAll(node, place, std::vector<int>(node.outputs.size(), kUnknown), scope);
      const graph::Tensor& a = builder_.tensor(results[i]);
      const graph::Tensor& b = builder_.tensor(others[i]);
      if (a.dtype == b.dtype && a.shape == b.shape) continue;
      operators.resize(first);
      return Refuse(node, inputs, place,
                    fmt::format("its branches give {} and {} for output {}, and the condition `{}` "
                                "is known only at run time; if it follows from an input, such as a "
                                "sample rate, --constant INPUT=VALUE decides it",
                                a.TypeText(), b.TypeText(), i, builder_.tensor(inputs[0]).name),
                    scope);
    }
    std::vector<graph::Operator> rest(operators.begin() + static_cast<ptrdiff_t>(middle),
                                      operators.end());
    operators.resize(middle);
    std::vector<int> merged;
    for (const int result : results) {
      graph::Tensor tensor;
      tensor.dtype = builder_.tensor(result).dtype;
      tensor.shape = builder_.tensor(result).shape;
      merged.push_back(builder_.Add(std::move(tensor)));
    }
    EndBranch(first, {inputs[0], true}, results, merged, place);
    const size_t second = operators.size();
    operators.insert(operators.end(), rest.begin(), rest.end());
    EndBranch(second, {inputs[0], false}, others, merged, place);
    return DefineAll(node, place, merged, scope);
  }

  /// Puts the operators from `first` on under a guard. `results` go to the tensors `merged`.
  void EndBranch(size_t first, graph::Guard guard, const std::vector<int>& results,
                 const std::vector<int>& merged, const std::string& place) {
    std::vector<graph::Operator>& operators = builder_.graph().operators;
    std::map<int, int> renamed;
    for (size_t i = 0; i < results.size(); ++i) {
      const bool is_own = std::any_of(
          operators.begin() + static_cast<ptrdiff_t>(first), operators.end(), [&](const auto& op) {
            return std::find(op.outputs.begin(), op.outputs.end(), results[i]) != op.outputs.end();
          });
      if (is_own && renamed.emplace(results[i], merged[i]).second) continue;
      operators.push_back({"identity", "If", place, {results[i]}, {merged[i]}, {}});
    }
    const auto rename = [&](int& tensor) {
      const auto found = renamed.find(tensor);
      if (found != renamed.end()) tensor = found->second;
    };
    for (size_t i = first; i < operators.size(); ++i) {
      graph::Operator& op = operators[i];
      for (int& tensor : op.inputs) rename(tensor);
      for (int& tensor : op.outputs) rename(tensor);
      for (graph::Guard& inner : op.guards) rename(inner.condition);
      op.guards.insert(op.guards.begin(), guard);
    }
  }

  WireFile wire_;
  TensorReader tensors_;
  GraphBuilder builder_;
  InputShapes inputs_;
  const ReadOptions& options_;
  graph::Variables states_;
  /// The tensors by which `states_` knows the inputs that are states.
  std::map<std::string, int, std::less<>> state_handles_;
  /// An output that is the value of a state in the next run.
  struct StateValue {
    const ValueInfo* output;
    std::string_view input;
    int tensor;
  };
  std::vector<StateValue> state_values_;
  Import result_;
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, const FunctionProto*>
      functions_;
  /// The types that the file gives to the values of its graph.
  absl::flat_hash_map<std::string_view, const ValueInfo*> declared_;
};

}  // namespace

absl::StatusOr<Import> ImportModel(const std::shared_ptr<const FileBytes>& file,
                                   const ReadOptions& options) {
  return Importer(file, options).Run();
}

}  // namespace tenon::onnx
