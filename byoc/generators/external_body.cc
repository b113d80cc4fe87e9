// Generators create statements; the code around them is the same for all generators: functions,
// parameters, calls, intermediates. Operators with the same claim and constants share one function.

#include "byoc/generators/external_body.h"

#include <algorithm>
#include <map>
#include <memory>

#include "absl/container/flat_hash_set.h"
#include "arith/index_math.h"
#include "byoc/generators/can_make_loops.h"
#include "fmt/format.h"
#include "ir/analysis/param_names.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/function_interface.h"
#include "ir/visitor.h"
#include "lowering/symbol_names.h"

namespace tenon {

namespace {

/// The use of one operand by an operator.
struct OperandUse {
  bool reads = false;
  bool writes = false;
};
std::vector<OperandUse> UsesOf(const Computation& computation) {
  std::vector<OperandUse> uses(computation.operands.size());
  const auto operand = [&](int access) {
    return static_cast<size_t>(computation.accesses[static_cast<size_t>(access)].operand);
  };
  for (const Step& step : computation.steps) {
    if (IsRead(step.kind)) uses[operand(step.access)].reads = true;
  }
  for (const ComputationStore& store : computation.stores)
    uses[operand(store.access)].writes = true;
  return uses;
}

/// Variables that a statement uses.
absl::flat_hash_set<const Var*> VarsOf(const Stmt* stmt) {
  absl::flat_hash_set<const Var*> found;
  Walk(stmt, [&](const Node* node) {
    if (const auto* var = dyn_cast<Var>(node)) found.insert(var);
    if (const auto* load = dyn_cast<BufferLoad>(node)) found.insert(load->buffer->data);
    if (const auto* store = dyn_cast<BufferStore>(node)) found.insert(store->buffer->data);
    return true;
  });
  return found;
}

/// Creates the new body of one external function, and the functions that it calls.
class BodyMaker {
 public:
  BodyMaker(const ExternalFunction& external, const ExternalBodyOptions& options,
            const MakeOperator& make, Diagnostics& diagnostics)
      : external_(external),
        function_(external.function),
        options_(options),
        make_(make),
        diagnostics_(diagnostics),
        storage_(std::make_shared<Storage>(external.function.storage)),
        builder_(*external.context, storage_->arena()) {
    const std::optional<OpInfo> claim = ReadOpInfo(function_);
    if (claim && claim->known()) {
      // The operator's own allocations are part of its old body, which is removed.
      external_.intermediates.clear();
      ops_ = {OwnCall(*claim)};
    } else if (external.ops) {
      ops_ = *external.ops;
    }
  }

  bool Make(ExternalBodies& bodies) {
    if (ops_.empty()) {
      return Fail(
          "expected calls of operators and nothing else, or a claim; run recognise-ops and "
          "partition");
    }
    std::vector<const Stmt*> calls;
    for (const OpCall& op : ops_) {
      const Stmt* call = CallOf(op);
      if (call == nullptr) return false;
      calls.push_back(call);
    }
    const Stmt* body = builder_.Seq(Span<const Stmt*>(calls));
    GeneratedFunction& made = bodies.functions.emplace_back();
    made.symbol = std::string(SymbolOf(function_));
    body = WithMemory(body);
    for (Function& function : operators_) bodies.tir.push_back(std::move(function));
    bodies.tir.push_back(External(body, made));
    return true;
  }

 private:
  bool Fail(std::string_view why) {
    diagnostics_.Error(
        DiagnosticKind::kGeneratorFailed, function_.func->range,
        fmt::format("cannot generate code for `{}`: {}", function_.name.view(), why));
    return false;
  }
  const Stmt* FailCall(const OpCall& op, std::string_view why) {
    Fail(fmt::format("`{}`: {}", op.op.name, why));
    return nullptr;
  }

  /// The external function as an operator that it calls with its own parameters.
  OpCall OwnCall(const OpInfo& claim) const {
    OpCall call{{function_.name.view(), &function_, claim}, {}};
    for (size_t i = 0; i < function_.func->params.size(); ++i) {
      const Buffer* buffer = function_.func->buffers[i];
      const Expr* pointer = function_.func->params[i];
      if (buffer != nullptr) pointer = buffer->data;
      call.args.push_back({OpArgument::Kind::kParameter, static_cast<int>(i), 0, pointer});
    }
    return call;
  }

  /// True if no argument that the operator writes shares memory with another argument.
  static bool HasNoAlias(const OpCall& op, const std::vector<OperandUse>& uses) {
    const std::vector<ComputationOperand>& operands = op.op.info.computation.operands;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!uses[i].writes) continue;
      const OpArgument& to = op.args[static_cast<size_t>(operands[i].index)];
      if (to.kind == OpArgument::Kind::kOther) return false;
      for (size_t j = 0; j < operands.size(); ++j) {
        if (operands[j].constant || operands[j].index == operands[i].index) continue;
        const OpArgument& other = op.args[static_cast<size_t>(operands[j].index)];
        if (other.kind == OpArgument::Kind::kOther ||
            (other.kind == to.kind && other.index == to.index))
          return false;
      }
    }
    return true;
  }

  /// The reason why an operator cannot be called; empty for an operator that can.
  std::string ProblemOf(const OpCall& op) const {
    // A library needs no loops for an operator whose members are a complete description.
    const Support support = CanMakeLoops(op.op.info);
    if (!support.yes && !op.op.info.requantise) return support.because;
    const Function* body = op.op.function;
    const std::vector<const AllocateConst*> constants =
        body == nullptr ? std::vector<const AllocateConst*>() : ConstantsOf(*body->func);
    for (const ComputationOperand& operand : op.op.info.computation.operands) {
      const auto index = static_cast<size_t>(operand.index);
      if (index >= (operand.constant ? constants.size() : op.args.size()))
        return "its claim has an operand that it does not have";
      if (operand.constant && constants[index]->data == nullptr)
        return "its claim has a constant whose data was left out";
      if (operand.constant && (constants[index]->dtype != operand.dtype ||
                               constants[index]->data->element_count() < operand.elements))
        return "its claim has a constant of another dtype or size";
      if (!operand.constant && !op.args[index].expr->dtype.is_handle())
        return "its claim has an operand that is not a pointer";
    }
    return {};
  }

  /// The properties by which functions of one operator differ.
  struct Variant {
    std::string op;
    bool no_alias = false;
    /// The data of arguments that are constants of the external function.
    std::vector<const Constant*> constants;
    std::vector<bool> is_private;

    auto operator<=>(const Variant&) const = default;
  };
  /// A function that was made for an operator.
  struct Made {
    Symbol name;
    /// The arguments of the operator that it takes, in order.
    std::vector<int> params;
  };

  /// The call of the new function of an operator. Null after an error.
  const Stmt* CallOf(const OpCall& op) {
    if (const std::string problem = ProblemOf(op); !problem.empty()) return FailCall(op, problem);
    const std::vector<OperandUse> uses = UsesOf(op.op.info.computation);
    Variant variant{std::string(op.op.name), HasNoAlias(op, uses), {}, {}};
    for (const ComputationOperand& operand : op.op.info.computation.operands) {
      variant.constants.push_back(DataOf(op, operand));
      variant.is_private.push_back(IsPrivate(op, operand));
    }
    const auto [known, is_new] = made_.try_emplace(variant);
    if (is_new) {
      const size_t errors = diagnostics_.error_count();
      std::optional<Made> made = Operator(op, variant);
      if (!made) {
        if (diagnostics_.error_count() > errors) return nullptr;
        return FailCall(op, "the code generator made no statements and gave no reason");
      }
      known->second = *std::move(made);
    }
    std::vector<const Expr*> args;
    for (const int index : known->second.params)
      args.push_back(op.args[static_cast<size_t>(index)].expr);
    return CheckedCall(builder_, known->second.name.view(), args);
  }

  /// The data of an operand; null if unknown.
  const Constant* DataOf(const OpCall& op, const ComputationOperand& operand) const {
    const auto index = static_cast<size_t>(operand.index);
    if (operand.constant) return ConstantsOf(*op.op.function->func)[index]->data;
    return ConstantOf(external_, op, operand);
  }

  /// Whether an operand is an intermediate that all operators use with its dtype.
  bool IsPrivate(const OpCall& op, const ComputationOperand& operand) const {
    if (operand.constant || !options_.has_private_forms) return false;
    const OpArgument& memory = op.args[static_cast<size_t>(operand.index)];
    if (memory.kind != OpArgument::Kind::kIntermediate) return false;
    return std::all_of(ops_.begin(), ops_.end(), [&](const OpCall& other) {
      const std::vector<ComputationOperand>& operands = other.op.info.computation.operands;
      for (size_t i = 0; i < other.args.size(); ++i) {
        const OpArgument& arg = other.args[i];
        if (arg.kind == OpArgument::Kind::kOther && arg.expr->dtype.is_handle()) return false;
        if (arg.kind != memory.kind || arg.index != memory.index) continue;
        for (const ComputationOperand& use : operands) {
          if (!use.constant && use.index == static_cast<int>(i) && use.dtype != operand.dtype)
            return false;
        }
      }
      return true;
    });
  }

  /// Adds the function of an operator. Nullopt after an error.
  std::optional<Made> Operator(const OpCall& op, const Variant& variant) {
    auto storage = std::make_shared<Storage>(function_.storage);
    const Function* from = op.op.function;
    if (from != nullptr && from != &function_) storage->Retain(from->storage);
    NodeBuilder builder(*external_.context, storage->arena());
    OperatorToMake wanted{op.op.info, {}, variant.constants, variant.is_private};
    std::map<std::pair<bool, int>, const Buffer*> buffer_of;
    for (const ComputationOperand& operand : op.op.info.computation.operands) {
      const Buffer*& buffer = buffer_of[{operand.constant, operand.index}];
      if (buffer == nullptr) {
        buffer = FlatOperand(builder, operand, ElementsOf(op.op.info, operand));
      }
      wanted.operands.push_back(buffer);
    }
    const Stmt* body = make_(builder, wanted);
    if (body == nullptr) return std::nullopt;
    Made made;
    const absl::flat_hash_set<const Var*> used = VarsOf(body);
    std::vector<const Var*> params;
    std::vector<const Buffer*> buffers;
    for (const auto& [operand, buffer] : buffer_of) {
      const auto& [is_constant, index] = operand;
      if (!used.contains(buffer->data)) continue;
      if (is_constant) {
        AllocateConst copy = *ConstantsOf(*from->func)[static_cast<size_t>(index)];
        copy.buffer_var = buffer->data;
        copy.body = body;
        body = storage->arena().New<AllocateConst>(copy);
        continue;
      }
      params.push_back(
          builder.NewVar(fmt::format("{}_handle", buffer->name.view()), DataType::Handle()));
      buffers.push_back(buffer);
      made.params.push_back(index);
    }
    const MapAttr* attrs = builder.Map({});
    if (variant.no_alias)
      attrs = builder.With(attrs, attr_key::kNoAlias, builder.ExprValue(builder.Bool(true)));
    const auto* func = storage->arena().New<PrimFunc>(
        storage->arena().Copy(Span<const Var*>(params)),
        storage->arena().Copy(Span<const Buffer*>(buffers)), external_.context->VoidType(),
        WithExterns(builder, attrs), body);
    made.name =
        external_.context->Intern(fmt::format("{}_{}_{}", SanitizeName(SymbolOf(function_)),
                                              SanitizeName(op.op.info.kind), operators_.size()));
    operators_.push_back({made.name, func, std::move(storage)});
    return made;
  }

  const MapAttr* WithExterns(NodeBuilder& builder, const MapAttr* attrs) const {
    if (options_.externs.empty()) return attrs;
    const MapAttr* externs = builder.Map({});
    for (const auto& [name, letters] : options_.externs) {
      std::vector<const Attr*> values;
      for (const std::string_view letter : letters) values.push_back(builder.StringValue(letter));
      externs = builder.With(externs, name, builder.Array(Span<const Attr*>(values)));
    }
    return builder.With(attrs, attr_key::kExterns, externs);
  }

  /// The intermediates and constants of the external function around its calls.
  const Stmt* WithMemory(const Stmt* body) {
    for (size_t i = external_.intermediates.size(); i-- > 0;) {
      Allocate copy = *external_.intermediates[i];
      copy.body = body;
      body = storage_->arena().New<Allocate>(copy);
    }
    std::vector<const AllocateConst*> constants = ConstantsOf(*function_.func);
    const absl::flat_hash_set<const Var*> used = VarsOf(body);
    for (size_t i = constants.size(); i-- > 0;) {
      if (!used.contains(constants[i]->buffer_var)) continue;
      AllocateConst copy = *constants[i];
      copy.body = body;
      body = storage_->arena().New<AllocateConst>(copy);
    }
    return body;
  }

  /// The external function with its new body.
  Function External(const Stmt* body, const GeneratedFunction& made) {
    PrimFunc copy = *function_.func;
    copy.body = body;
    // The function only calls others, so it does not matter that its arguments differ.
    copy.attrs = builder_.With(copy.attrs, attr_key::kNoAlias, nullptr);
    copy.attrs = builder_.With(copy.attrs, attr_key::kOp, nullptr);
    copy.attrs =
        builder_.With(copy.attrs, attr_key::kGlobalSymbol, builder_.StringValue(made.symbol));
    return {function_.name, storage_->arena().New<PrimFunc>(copy), storage_};
  }

  ExternalFunction external_;
  const Function& function_;
  const ExternalBodyOptions& options_;
  const MakeOperator& make_;
  Diagnostics& diagnostics_;
  std::shared_ptr<Storage> storage_;
  NodeBuilder builder_;
  std::vector<OpCall> ops_;
  std::map<Variant, Made> made_;
  std::vector<Function> operators_;
};

}  // namespace

const Constant* ConstantOf(const ExternalFunction& external, const OpCall& op,
                           const ComputationOperand& operand) {
  const auto index = static_cast<size_t>(operand.index);
  if (operand.constant || index >= op.args.size()) return nullptr;
  const OpArgument& arg = op.args[index];
  if (arg.kind != OpArgument::Kind::kConstant || arg.offset != 0) return nullptr;
  const Constant* data = external.constants[static_cast<size_t>(arg.index)].constant;
  const bool fits = data != nullptr && data->dtype() == operand.dtype &&
                    data->element_count() >= operand.elements;
  return fits ? data : nullptr;
}

const Buffer* FlatOperand(NodeBuilder& builder, const ComputationOperand& operand,
                          int64_t elements) {
  const std::string name = fmt::format("{}{}", operand.constant ? "constant" : "p", operand.index);
  return NewFlatBuffer(builder, name, operand.dtype, elements);
}

int64_t ElementsOf(const OpInfo& info, const ComputationOperand& operand) {
  int64_t elements = 0;
  for (const ComputationOperand& other : info.computation.operands) {
    if (other.constant == operand.constant && other.index == operand.index)
      elements = std::max(elements, other.elements);
  }
  return elements;
}

Function OperatorOfClaim(Context& context, const Function& op, const OpInfo& info, Symbol name) {
  auto storage = std::make_shared<Storage>(op.storage);
  NodeBuilder builder(context, storage->arena());
  PrimFunc func = *op.func;
  std::vector<const Buffer*> buffers(func.buffers.begin(), func.buffers.end());
  std::map<int, const Buffer*> flat;
  std::vector<const Buffer*> operands;
  for (const ComputationOperand& operand : info.computation.operands) {
    const Buffer*& buffer = flat[operand.index];
    if (buffer == nullptr) buffer = FlatOperand(builder, operand, ElementsOf(info, operand));
    operands.push_back(buffer);
    buffers[static_cast<size_t>(operand.index)] = buffer;
  }
  func.buffers = storage->arena().Copy(Span<const Buffer*>(buffers));
  func.body = OpLoops(builder, info.computation, std::move(operands), {}).Stores();
  func.attrs = builder.With(func.attrs, attr_key::kOp, WriteOpInfo(builder, info));
  if (func.attrs->Find(attr_key::kGlobalSymbol) != nullptr) {
    func.attrs =
        builder.With(func.attrs, attr_key::kGlobalSymbol, builder.StringValue(name.view()));
  }
  return {name, storage->arena().New<PrimFunc>(func), storage};
}

const Stmt* CheckedCall(NodeBuilder& builder, std::string_view name,
                        const std::vector<const Expr*>& args) {
  std::vector<const Expr*> all = {builder.String(name)};
  all.insert(all.end(), args.begin(), args.end());
  const Expr* call = builder.New<Call>({}, DataType::Int(32), Op::Get(OpKind::kCallExtern),
                                       builder.arena().Copy(Span<const Expr*>(all)));
  return builder.New<Evaluate>({}, builder.NewCall(DataType::Int(32), OpKind::kTvmCheckReturn,
                                                   {builder.Int(0), builder.Int(-1), call}));
}

std::optional<ExternalBodies> MakeExternalBodies(std::span<const ExternalFunction> functions,
                                                 const ExternalBodyOptions& options,
                                                 const MakeOperator& make,
                                                 Diagnostics& diagnostics) {
  ExternalBodies bodies;
  bool ok = true;
  for (const ExternalFunction& external : functions)
    ok &= BodyMaker(external, options, make, diagnostics).Make(bodies);
  if (!ok) return std::nullopt;
  return bodies;
}

}  // namespace tenon
