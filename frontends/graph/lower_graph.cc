#include "frontends/graph/lower_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontends/graph/fold.h"
#include "frontends/graph/function_key.h"
#include "frontends/graph/operator_code.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"
#include "frontends/graph/resolve.h"
#include "ir/attributes.h"
#include "ir/builder.h"
#include "ir/builtins.h"
#include "ir/function_attrs.h"
#include "ir/tensor_scales.h"

namespace tenon::graph {

namespace {

constexpr std::string_view kReshape = "reshape";
constexpr std::string_view kStateValue = "state_value";
/// These read and write the memory of states themselves.
constexpr std::string_view kStateful[] = {
    "lstm", "rnn", "svdf", "unidirectional_sequence_lstm", "read_variable", "assign_variable"};
constexpr std::string_view kReadVariable = "read_variable";
constexpr std::string_view kWorkspace = "global.workspace";

/// Makes names different from each other.
class Names {
 public:
  std::string New(const std::string& wanted) {
    std::string name = wanted;
    int& number = numbers_[wanted];
    while (!used_.insert(name).second) name = fmt::format("{}_{}", wanted, ++number);
    return name;
  }

 private:
  std::set<std::string> used_;
  /// The last number that was appended to a name.
  std::map<std::string, int> numbers_;
};

/// An input that says what the output's shape is.
struct ShapeInput {
  std::string_view kind;
  size_t input;
};

constexpr ShapeInput kShapeInputs[] = {
    {kReshape, 1},
    {"expand_dims", 1},
    {"broadcast_to", 1},
    {"fill", 0},
    {"tile", 1},
    {"resize_bilinear", 1},
    {"resize_nearest_neighbor", 1},
};

/// The inputs that determine the output. The output's shape is known, so inputs for it are not
/// needed.
std::vector<int> NeededInputs(const Operator& op) {
  std::vector<int> inputs = op.inputs;
  for (const ShapeInput& row : kShapeInputs)
    if (op.kind == row.kind && inputs.size() > row.input) inputs[row.input] = kAbsent;
  std::erase(inputs, kAbsent);
  return inputs;
}

class Lowering {
 public:
  Lowering(Context& context, const Graph& graph, std::string_view source,
           const LowerGraphOptions& options, Diagnostics& diagnostics)
      : context_(context),
        graph_(graph),
        source_(source),
        options_(options),
        diagnostics_(diagnostics),
        module_(context),
        constants_(context, graph_),
        storage_(std::make_shared<Storage>()),
        builder_(context, storage_->arena()) {}

  std::optional<IRModule> Run() {
    resolution_ = ResolveShapes(graph_);
    FoldDequantized(graph_);
    if (options_.all_tensors) AddAllTensors();
    ConvertStates();
    CopyOutputs();
    FindNeeded();
    FindRoots();
    CheckParams();
    function_names_.New("main");
    if (!is_wrong_) AddParams();
    for (size_t i = 0; i < graph_.operators.size(); ++i) {
      guards_ = graph_.operators[i].guards;
      if (needed_operators_[i] && !aliases_[i]) LowerOperator(graph_.operators[i]);
    }
    Report();
    if (is_wrong_) return std::nullopt;
    AddMain();
    return std::move(module_);
  }

 private:
  /// Turns all tensors that needed operators write into outputs.
  void AddAllTensors() {
    FindNeeded();
    std::set<int> added;
    for (size_t i = 0; i < graph_.operators.size(); ++i) {
      if (!needed_operators_[i]) continue;
      for (const int tensor : graph_.operators[i].outputs) {
        // A run computes the tensors of one branch only. Both branches give its results.
        const bool is_result =
            graph_.operators[i].guards.empty() || !graph_.tensor(tensor).name.empty();
        if (graph_.tensor(tensor).is_inner || !is_result || !added.insert(tensor).second) continue;
        std::string name = fmt::format("{}{}_{}", kDumpedTensor, graph_.number, tensor);
        if (options_.dumped != nullptr)
          options_.dumped->push_back({name, tensor, graph_.tensor(tensor).name});
        graph_.output_names[graph_.outputs.size()] = std::move(name);
        graph_.outputs.push_back(tensor);
      }
    }
  }

  /// Whether readers need a conversion of a state's memory.
  bool IsConverted(int tensor) const {
    return tensor != kAbsent && graph_.tensor(tensor).is_state &&
           StateStart(graph_.tensor(tensor)) != 0;
  }

  /// The number of a tensor that gets the integers of a state. The operator is appended to `to`.
  int AddStateValue(int state, std::string_view place, std::vector<Operator>& to) {
    Tensor value = graph_.tensor(state);
    value.is_state = false;
    const int number = static_cast<int>(graph_.tensors.size());
    graph_.tensors.push_back(std::move(value));
    to.push_back({std::string(kStateValue), {}, std::string(place), {state}, {number}, {}});
    return number;
  }

  /// Gives operators and outputs that read a state its integers, at the point of the read.
  void ConvertStates() {
    std::vector<Operator> operators;
    for (Operator& op : graph_.operators) {
      if (std::find(std::begin(kStateful), std::end(kStateful), op.kind) == std::end(kStateful)) {
        for (int& input : op.inputs)
          if (IsConverted(input)) input = AddStateValue(input, op.place, operators);
      }
      operators.push_back(std::move(op));
    }
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      int& output = graph_.outputs[i];
      if (IsConverted(output))
        output = AddStateValue(output, fmt::format("output {}", i), operators);
    }
    graph_.operators = std::move(operators);
  }

  /// Gives every output its own memory: an output that is also an input, a constant or another
  /// output becomes a copy.
  void CopyOutputs() {
    std::set<int> taken(graph_.inputs.begin(), graph_.inputs.end());
    const std::string_view copy_kind =
        graph_.format == Format::kTflite ? kReshape : std::string_view("identity");
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      const int tensor = graph_.outputs[i];
      const Tensor& old = graph_.tensor(tensor);
      if (!old.data && !old.is_state && taken.insert(tensor).second) continue;
      Tensor copy = old;
      copy.data.reset();
      copy.is_state = false;
      const int number = static_cast<int>(graph_.tensors.size());
      graph_.tensors.push_back(std::move(copy));
      graph_.operators.push_back(
          {std::string(copy_kind), {}, fmt::format("output {}", i), {tensor}, {number}, {}});
      graph_.outputs[i] = number;
      taken.insert(number);
    }
  }

  void FindNeeded() {
    std::set<int>& needed = needed_;
    needed = {graph_.outputs.begin(), graph_.outputs.end()};
    needed_operators_.assign(graph_.operators.size(), false);
    for (size_t i = graph_.operators.size(); i-- > 0;) {
      const Operator& op = graph_.operators[i];
      needed_operators_[i] =
          HasEffect(op) || std::any_of(op.outputs.begin(), op.outputs.end(),
                                       [&](int tensor) { return needed.contains(tensor); });
      if (!needed_operators_[i]) continue;
      for (const int tensor : NeededInputs(op)) needed.insert(tensor);
      for (const Guard& guard : op.guards) needed.insert(guard.condition);
    }
  }

  /// True if the operator does more than to write its outputs.
  bool HasEffect(const Operator& op) const {
    if (op.has_effects) return true;
    return op.kind != kReadVariable &&
           std::any_of(op.inputs.begin(), op.inputs.end(), [&](int tensor) {
             return tensor != kAbsent && graph_.tensor(tensor).is_state;
           });
  }

  /// True if the output may have the memory of the input. Later operators change states, except
  /// those of variables, which are written after the last read.
  bool IsView(const Operator& op) const {
    // A branch may give its output other memory than the other branch.
    if (!op.refusal.empty() || !op.guards.empty() || op.inputs.empty() || op.inputs[0] == kAbsent ||
        op.outputs.size() != 1 || resolution_.wrong.contains(op.outputs[0]))
      return false;
    if (IsReshape(graph_.format, op)) return !graph_.tensor(op.inputs[0]).is_state;
    return op.kind == kReadVariable && op.inputs.size() == 1 && op.attributes.Int("copy") == 0;
  }

  /// Finds reshapes whose output is the memory of their input. All tensors of one memory have the
  /// same root.
  void FindRoots() {
    roots_.resize(graph_.tensors.size());
    for (size_t i = 0; i < roots_.size(); ++i) roots_[i] = static_cast<int>(i);
    const std::set<int> outputs(graph_.outputs.begin(), graph_.outputs.end());
    const std::set<int> inputs(graph_.inputs.begin(), graph_.inputs.end());
    aliases_.assign(graph_.operators.size(), false);
    for (size_t i = 0; i < graph_.operators.size(); ++i) {
      const Operator& op = graph_.operators[i];
      if (!needed_operators_[i] || !IsView(op)) continue;
      const int from = Root(op.inputs[0]);
      const int to = op.outputs[0];
      if (to == kAbsent || graph_.tensor(from).elements() != graph_.tensor(to).elements() ||
          graph_.tensor(from).dtype != graph_.tensor(to).dtype)
        continue;
      const bool is_fixed = outputs.contains(from) || inputs.contains(from) ||
                            graph_.tensor(from).data.has_value() || graph_.tensor(from).is_state;
      if (!outputs.contains(to)) {
        roots_[static_cast<size_t>(to)] = from;
        graph_.tensors[static_cast<size_t>(to)].data = graph_.tensor(from).data;
      } else if (!is_fixed) {
        roots_[static_cast<size_t>(from)] = to;
      } else {
        continue;
      }
      aliases_[i] = true;
    }
  }

  int Root(int tensor) const {
    while (roots_[static_cast<size_t>(tensor)] != tensor)
      tensor = roots_[static_cast<size_t>(tensor)];
    return tensor;
  }

  /// Inputs and outputs must have types that C has.
  void CheckParams() {
    const auto check = [&](const std::vector<int>& tensors, std::string_view what) {
      for (size_t i = 0; i < tensors.size(); ++i) {
        const Tensor& tensor = graph_.tensor(tensors[i]);
        if (tensor.unsupported.empty()) continue;
        diagnostics_.Error(DiagnosticKind::kUnsupported, {},
                           fmt::format("{}: {} {} of the model, `{}`, {}, which is not supported",
                                       source_, what, i, tensor.name, tensor.unsupported));
        is_wrong_ = true;
      }
    };
    check(graph_.inputs, "input");
    check(graph_.outputs, "output");
  }

  void AddParams() {
    std::vector<const Attr*> states;
    const auto add = [&](int tensor, std::string_view otherwise) {
      const Tensor& of = graph_.tensor(tensor);
      const std::string name = tensor_names_.New(IdentifierOf(of.name, otherwise));
      const Var* data = builder_.NewVar(name, ParamPointer(context_, of.dtype));
      params_.push_back(builder_.NewVar(name + "_handle", DataType::Handle()));
      buffers_.push_back(
          builder_.New<Buffer>({}, data->name, data, of.dtype, ShapeOf(of.shape), builder_.Int(0)));
      memory_[tensor] = data;
      if (of.is_state) states.push_back(builder_.StringValue(name));
      const Quantization& quantization = of.quantization;
      if (HasScale(of) && !of.is_state) {
        entry_attrs_ = WithTensorScale(builder_, entry_attrs_, name,
                                       {quantization.scale(), quantization.zero_point()});
      }
    };
    for (const int tensor : graph_.inputs) add(tensor, "input");
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      const auto named = graph_.output_names.find(i);
      if (named != graph_.output_names.end())
        graph_.tensors[static_cast<size_t>(graph_.outputs[i])].name = named->second;
      add(graph_.outputs[i], "output");
    }
    for (const int tensor : States()) add(tensor, "state");
    if (states.empty()) return;
    const auto* list = builder_.New<ArrayAttr>(
        {}, builder_.arena().Copy(Span<const Attr*>(states.data(), states.size())));
    entry_attrs_ = builder_.With(entry_attrs_, attr_key::kStates, list);
  }

  /// The states of needed operators, in the order of the file.
  std::set<int> States() const {
    std::set<int> states;
    for (size_t i = 0; i < graph_.operators.size(); ++i) {
      if (!needed_operators_[i]) continue;
      for (const int tensor : graph_.operators[i].inputs)
        if (tensor != kAbsent && graph_.tensor(tensor).is_state &&
            graph_.tensor(tensor).unsupported.empty())
          states.insert(tensor);
    }
    return states;
  }

  Span<const Expr*> ShapeOf(const std::vector<int64_t>& extents) {
    std::vector<const Expr*> shape;
    for (const int64_t extent : extents) shape.push_back(builder_.Int(extent));
    return builder_.arena().Copy(Span<const Expr*>(shape.data(), shape.size()));
  }

  const Var* MemoryOf(int tensor) {
    const int root = Root(tensor);
    const Var*& data = memory_[root];
    if (data != nullptr) return data;
    const Tensor& of = graph_.tensor(root);
    const std::string name = tensor_names_.New(IdentifierOf(of, fmt::format("t{}", root)));
    data = builder_.NewVar(name, context_.PointerType(of.dtype, kWorkspace));
    allocations_.emplace_back(data, &of);
    return data;
  }

  void LowerOperator(const Operator& op) {
    const std::string reason = op.refusal.empty() ? UnsupportedTensor(op) : op.refusal;
    if (!reason.empty()) return LowerUnsupported(op, fmt::format("{}: {}", op.place, reason));
    const OperatorKind* kind = FindOperatorKind(graph_.format, op.kind);
    if (kind == nullptr)
      return LowerUnsupported(op, fmt::format("{}: Tenon has no such operator", op.place));
    if (const auto wrong = resolution_.wrong.find(op.outputs.empty() ? kAbsent : op.outputs[0]);
        wrong != resolution_.wrong.end())
      return Error(wrong->second);
    LoweredFunction& lowered = functions_[FunctionKey(graph_, op)];
    if (!lowered.params.empty()) return AddLoweredCall(op, lowered);
    // Facts need the name before it is known that the operator is supported.
    std::string own_name = options_.facts == nullptr ? "" : function_names_.New(op.kind);
    OperatorCode code(context_, graph_, op, constants_, own_name,
                      {options_.facts, options_.dynamic_scales});
    const absl::Status status = BuildOperator(*kind, code);
    if (absl::IsUnimplemented(status)) return LowerUnsupported(op, std::string(status.message()));
    if (!status.ok()) {
      return Error(std::string(status.message()));
    }
    if (own_name.empty()) own_name = function_names_.New(op.kind);
    const Symbol name = context_.Intern(own_name);
    lowered.name = name.view();
    for (const int tensor : code.Params()) lowered.params.push_back(PositionOf(op, tensor));
    const PrimFunc* func = code.FinishFunction();
    module_.Add(WithSymbol({name, func, code.storage()}));
    lowered.notes = code.notes();
    AddLoweredCall(op, lowered);
  }

  /// The place of a tensor among an operator's inputs and then its outputs.
  static size_t PositionOf(const Operator& op, int tensor) {
    const auto output = std::find(op.outputs.begin(), op.outputs.end(), tensor);
    if (output != op.outputs.end())
      return op.inputs.size() + static_cast<size_t>(output - op.outputs.begin());
    return static_cast<size_t>(std::find(op.inputs.begin(), op.inputs.end(), tensor) -
                               op.inputs.begin());
  }

  std::vector<const Var*> MemoriesOf(const Operator& op, const std::vector<size_t>& positions) {
    std::vector<const Var*> memories;
    for (const size_t at : positions) {
      memories.push_back(
          MemoryOf(at < op.inputs.size() ? op.inputs[at] : op.outputs[at - op.inputs.size()]));
    }
    return memories;
  }

  void AddCall(std::string_view name, const std::vector<const Var*>& memory) {
    std::vector<const Expr*> args = {builder_.String(name)};
    args.insert(args.end(), memory.begin(), memory.end());
    const auto* call =
        builder_.New<Call>({}, DataType::Int(32), Op::Get(OpKind::kCallExtern),
                           builder_.arena().Copy(Span<const Expr*>(args.data(), args.size())));
    statements_.push_back({builder_.New<Evaluate>({}, call), guards_});
  }

  /// The value of a tensor of one bool.
  const Expr* ConditionOf(int tensor) {
    const Var* data = MemoryOf(tensor);
    const Symbol name = context_.Intern(std::string(data->name.view()) + "_1");
    const auto* buffer = builder_.New<Buffer>({}, name, data, graph_.tensor(tensor).dtype,
                                              ShapeOf({1}), builder_.Int(0));
    const Expr* zero = builder_.Int(0);
    return builder_.New<BufferLoad>({}, buffer->dtype, buffer,
                                    builder_.arena().Copy(Span<const Expr*>(&zero, 1)));
  }

  /// The calls of [begin, end) that have the guard `guard` at `depth`; `begin` moves after them.
  const Stmt* Guarded(const Guard& guard, size_t& begin, size_t end, size_t depth) {
    size_t last = begin;
    while (last < end && statements_[last].guards.size() > depth &&
           statements_[last].guards[depth] == guard)
      ++last;
    const Stmt* body = last == begin ? nullptr : CallsOf(begin, last, depth + 1);
    begin = last;
    return body;
  }

  /// The calls of [begin, end), in the branches of their guards from `depth` on.
  const Stmt* CallsOf(size_t begin, size_t end, size_t depth) {
    std::vector<const Stmt*> list;
    while (begin < end) {
      if (statements_[begin].guards.size() == depth) {
        list.push_back(statements_[begin++].stmt);
        continue;
      }
      Guard guard = statements_[begin].guards[depth];
      const Expr* condition = ConditionOf(guard.condition);
      guard.holds = true;
      const Stmt* then_case = Guarded(guard, begin, end, depth);
      guard.holds = false;
      const Stmt* else_case = Guarded(guard, begin, end, depth);
      if (then_case == nullptr) {
        condition = builder_.New<Not>({}, condition);
        std::swap(then_case, else_case);
      }
      list.push_back(builder_.New<tenon::IfThenElse>({}, condition, then_case, else_case));
    }
    return builder_.Seq(Span<const Stmt*>(list.data(), list.size()));
  }

  /// The name of a tensor of the operator that no code can use, and the reason; empty if all are
  /// fine.
  std::string UnsupportedTensor(const Operator& op) const {
    for (const std::vector<int>* tensors : {&op.inputs, &op.outputs}) {
      for (const int number : *tensors) {
        if (number == kAbsent || graph_.tensor(number).unsupported.empty()) continue;
        return fmt::format("its {} `{}` {}", tensors == &op.inputs ? "input" : "output",
                           graph_.tensor(number).name, graph_.tensor(number).unsupported);
      }
    }
    return {};
  }

  /// Calls a function that the program provides, with the present inputs and then the outputs.
  void LowerUnsupported(const Operator& op, const std::string& message) {
    const bool can_be_external = !op.has_effects && UnsupportedTensor(op).empty();
    if (!options_.allow_unsupported || !can_be_external) {
      // Operators of a loop are there in each turn.
      if (std::find(unsupported_.begin(), unsupported_.end(), message) == unsupported_.end())
        unsupported_.push_back(message);
      allowing_helps_ = allowing_helps_ || can_be_external;
      return;
    }
    const std::string name =
        function_names_.New(op.kind.empty() ? IdentifierOf(op.name, "operator") : op.kind);
    std::vector<const Var*> args;
    std::vector<const Attr*> effects;
    const auto add = [&](int tensor, std::string_view effect) {
      if (tensor == kAbsent) return;
      args.push_back(graph_.tensor(Root(tensor)).data ? ConstantOf(Root(tensor))
                                                      : MemoryOf(tensor));
      effects.push_back(builder_.StringValue(effect));
    };
    for (const int tensor : op.inputs) add(tensor, "r");
    for (const int tensor : op.outputs) add(tensor, "o");
    const auto* declaration = builder_.New<ArrayAttr>(
        {}, builder_.arena().Copy(Span<const Attr*>(effects.data(), effects.size())));
    if (externs_ == nullptr) externs_ = builder_.Map({});
    externs_ = builder_.With(externs_, name, declaration);
    AddCall(name, args);
  }

  const Var* ConstantOf(int tensor) {
    const Var*& data = constant_vars_[tensor];
    if (data == nullptr) {
      const std::string otherwise = fmt::format("constant_{}", tensor);
      data = builder_.NewVar(tensor_names_.New(IdentifierOf(graph_.tensor(tensor), otherwise)),
                             context_.PointerType(graph_.tensor(tensor).dtype, ""));
    }
    return data;
  }

  Function WithSymbol(const Function& function) {
    return WithAttrs(context_, function, [&](NodeBuilder& builder, const MapAttr* attrs) {
      return builder.With(attrs, attr_key::kGlobalSymbol,
                          builder.StringValue(function.name.view()));
    });
  }

  void AddMain() {
    const Stmt* body = CallsOf(0, statements_.size(), 0);
    for (size_t i = allocations_.size(); i-- > 0;) {
      const auto& [data, tensor] = allocations_[i];
      body = builder_.New<Allocate>({}, data, tensor->dtype, ShapeOf(MemoryShape(*tensor)),
                                    builder_.Bool(true), nullptr, body);
    }
    for (const auto& [tensor, data] : constant_vars_) {
      const Tensor& of = graph_.tensor(tensor);
      body = builder_.New<AllocateConst>({}, data, of.dtype, ShapeOf(MemoryShape(of)),
                                         constants_.Of(tensor), nullptr, body);
    }
    if (externs_ != nullptr)
      module_.SetAttrs(builder_.With(module_.attrs(), attr_key::kExterns, externs_), storage_);
    const PrimFunc* func = builder_.New<PrimFunc>(
        {}, builder_.arena().Copy(Span<const Var*>(params_.data(), params_.size())),
        builder_.arena().Copy(Span<const Buffer*>(buffers_.data(), buffers_.size())),
        context_.VoidType(), entry_attrs_, body);
    module_.Add(WithSymbol({context_.Intern("main"), func, storage_}));
  }

  void Error(const std::string& message) {
    is_wrong_ = true;
    if (!errors_.insert(message).second) return;
    diagnostics_.Error(DiagnosticKind::kSyntax, {}, fmt::format("{}: {}", source_, message));
  }

  /// Says that the file has other shapes than its operators give.
  void ReportStale() {
    std::erase_if(resolution_.stale,
                  [&](const Resolution::Stale& stale) { return !needed_.contains(stale.tensor); });
    if (resolution_.stale.empty()) return;
    const Resolution::Stale& first = resolution_.stale.front();
    const Tensor& tensor = graph_.tensor(first.tensor);
    diagnostics_.Warning(
        DiagnosticKind::kSyntax, {},
        fmt::format(
            "{}: operators give {} tensors shapes that differ from the file's, and replace them; "
            "the first is `{}`: {} instead of {}",
            source_, resolution_.stale.size(), tensor.name, tensor.TypeText(), first.before));
  }

  /// Says which operators on integers compute in floats.
  void ReportFloats() {
    if (in_floats_.empty()) return;
    Diagnostic& warning = diagnostics_.Warning(
        DiagnosticKind::kUnsupported, {},
        fmt::format("{}: {} operators on integers compute in floats", source_, in_floats_.size()));
    for (const std::string& message : GroupedByNode(in_floats_))
      Diagnostics::AddNote(warning, {}, message);
  }

  void Report() {
    ReportStale();
    ReportFloats();
    if (unsupported_.empty()) return;
    std::set<std::string_view> places;
    for (const Operator& op : graph_.operators) places.insert(op.place);
    Diagnostic& error =
        diagnostics_.Error(DiagnosticKind::kUnsupported, {},
                           fmt::format("{}: {} of {} operators are not supported", source_,
                                       unsupported_.size(), places.size()));
    for (const std::string& message : GroupedByNode(unsupported_))
      Diagnostics::AddNote(error, {}, message);
    if (allowing_helps_ && !options_.allow_unsupported) {
      Diagnostics::AddNote(error, {},
                           "with --allow-unsupported, they become external functions, which the "
                           "program provides");
    }
    is_wrong_ = true;
  }

  Context& context_;
  Graph graph_;
  std::string_view source_;
  LowerGraphOptions options_;
  Diagnostics& diagnostics_;
  IRModule module_;
  GraphConstants constants_;
  std::shared_ptr<Storage> storage_;
  NodeBuilder builder_;
  /// A function of an operator. Its parameters are places of tensors among the operator's inputs
  /// and outputs.
  struct LoweredFunction {
    std::string_view name;
    std::vector<size_t> params;
    /// Why the function computes in floats.
    std::vector<std::string> notes;
  };

  void AddLoweredCall(const Operator& op, const LoweredFunction& lowered) {
    for (const std::string& note : lowered.notes)
      in_floats_.push_back(fmt::format("{}: {}", op.place, note));
    AddCall(lowered.name, MemoriesOf(op, lowered.params));
  }

  std::map<std::string, LoweredFunction, std::less<>> functions_;
  /// Why operators on integers compute in floats, with their places.
  std::vector<std::string> in_floats_;
  Names function_names_;
  /// The names of the tensors of `main`.
  Names tensor_names_;
  Resolution resolution_;
  /// Tensors that outputs depend on, and the operators that write them.
  std::set<int> needed_;
  std::vector<bool> needed_operators_;
  std::vector<bool> aliases_;
  std::vector<int> roots_;
  std::map<int, const Var*> memory_;
  const MapAttr* entry_attrs_ = builder_.Map({});
  std::vector<const Var*> params_;
  std::vector<const Buffer*> buffers_;
  std::vector<std::pair<const Var*, const Tensor*>> allocations_;
  /// A call of `main`, with the branches that it is in.
  struct GuardedCall {
    const Stmt* stmt = nullptr;
    std::vector<Guard> guards;
  };
  std::vector<GuardedCall> statements_;
  /// The branches of the operator that is being lowered.
  std::vector<Guard> guards_;
  /// Constants that are passed to functions of the program, and the effects of these functions.
  std::map<int, const Var*> constant_vars_;
  const MapAttr* externs_ = nullptr;
  std::vector<std::string> unsupported_;
  /// True if one of them can become an external function.
  bool allowing_helps_ = false;
  std::set<std::string> errors_;
  bool is_wrong_ = false;
};

}  // namespace

std::vector<std::string> GroupedByNode(const std::vector<std::string>& messages) {
  constexpr std::string_view kBegin = "node `";
  std::map<std::string_view, size_t> places;
  std::vector<std::string> names;
  std::vector<std::string_view> rests;
  for (const std::string& message : messages) {
    const std::string_view text = message;
    const size_t end = text.starts_with(kBegin) ? text.find("` (") : std::string_view::npos;
    const bool has_name = end != std::string_view::npos;
    const std::string_view rest = has_name ? text.substr(end + 1) : text;
    const std::string_view name =
        has_name ? text.substr(kBegin.size() - 1, end + 2 - kBegin.size()) : std::string_view();
    const auto [place, is_new] = places.emplace(rest, names.size());
    if (is_new) {
      names.emplace_back(name);
      rests.push_back(rest);
    } else {
      names[place->second] += fmt::format(", {}", name);
    }
  }
  std::vector<std::string> grouped;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) {
      grouped.emplace_back(rests[i]);
    } else {
      const bool is_one = names[i].find("`, `") == std::string::npos;
      grouped.push_back(fmt::format("{} {}{}", is_one ? "node" : "nodes", names[i], rests[i]));
    }
  }
  return grouped;
}

std::optional<IRModule> LowerGraph(Context& context, const Graph& graph, std::string_view source,
                                   const LowerGraphOptions& options, Diagnostics& diagnostics) {
  return Lowering(context, graph, source, options, diagnostics).Run();
}

}  // namespace tenon::graph
