#include "passes/streaming/stream_operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/analysis/call_graph.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/visitor.h"
#include "passes/cleanup/simplify.h"
#include "passes/outlining.h"
#include "passes/streaming/choose_groups.h"
#include "passes/streaming/fed_input.h"
#include "passes/streaming/stream_code.h"
#include "support/check.h"

namespace tenon {

namespace {

/// The call of a statement, if it passes only variables to a function of the module.
StreamCall StreamCallOf(const IRModule& module, const Stmt* stmt) {
  StreamCall result;
  result.stmt = stmt;
  const auto* evaluate = dyn_cast<Evaluate>(stmt);
  const auto* call = evaluate != nullptr ? dyn_cast<Call>(evaluate->value) : nullptr;
  if (call == nullptr || call->op->kind != OpKind::kCallExtern) return result;
  const auto* name = dyn_cast<StringImm>(call->args[0]);
  const Function* callee = name != nullptr ? module.FindCallee(name->value) : nullptr;
  if (callee == nullptr || callee->func->params.size() + 1 != call->args.size() ||
      callee->FindAttr(attr_key::kCompiler) != nullptr)
    return result;
  for (const Expr* arg : call->args.subspan(1)) {
    const auto* var = dyn_cast<Var>(arg);
    if (var == nullptr || !var->dtype.is_handle()) return result;
    result.args.push_back(var);
  }
  result.callee = callee;
  return result;
}

/// True if the function may write the memory of a parameter.
bool Stores(const PrimFunc& func, size_t param) {
  const Buffer* buffer = func.buffers[param];
  if (buffer == nullptr) return true;
  bool stores = false;
  Walk(func.body, [&](const Node* node) {
    if (const auto* store = dyn_cast<BufferStore>(node))
      stores |= store->buffer->data == buffer->data;
    if (node == buffer->data || node == func.params[param]) stores = true;
    return !isa<Buffer>(node);
  });
  return stores;
}

/// Finds the statement that writes each tensor.
void FindWriters(StreamProgram& program) {
  for (auto& [var, tensor] : program.tensors) {
    bool only_one = true;
    for (const size_t use : tensor.uses) {
      const StreamCall& call = program.calls[use];
      if (call.callee == nullptr) {
        only_one = false;
        continue;
      }
      for (size_t i = 0; i < call.args.size(); ++i) {
        if (call.args[i] != var || !Stores(*call.callee->func, i)) continue;
        // Nothing was stored before, so it loads only what it has stored.
        only_one = only_one && tensor.writer < 0 && use == tensor.uses.front();
        tensor.writer = static_cast<int64_t>(use);
      }
    }
    if (!only_one) tensor.writer = -1;
  }
}

/// Adds the parts of an operator that adds up rows.
void AddReduction(Context& context, StreamCall& call) {
  if (call.callee == nullptr) return;
  std::optional<RowReduction> reduction = SplitRowReduction(context, *call.callee);
  if (!reduction) return;
  const PrimFunc& func = *call.callee->func;
  const auto given = [&](const RowPart& part) {
    std::vector<const Var*> args;
    for (const Var* arg : part.args) {
      const auto buffer = std::find_if(func.buffers.begin(), func.buffers.end(),
                                       [&](const Buffer* b) { return b->data == arg; });
      const bool is_param = buffer != func.buffers.end();
      args.push_back(is_param ? call.args[static_cast<size_t>(buffer - func.buffers.begin())]
                              : arg);
    }
    return args;
  };
  if (reduction->before) call.before_args = given(*reduction->before);
  call.rows_args = given(reduction->rows);
  if (reduction->after) call.after_args = given(*reduction->after);
  call.reduction = std::make_shared<const RowReduction>(*std::move(reduction));
}

/// Adds the parameters of the entry that are counted.
void CountParams(const PrimFunc& entry, const StreamOperatorsOptions& options,
                 StreamProgram& program) {
  for (const Buffer* buffer : entry.buffers) {
    if (buffer == nullptr) continue;
    StreamTensor tensor;
    tensor.bytes = StaticBytes(buffer->dtype, buffer->shape).value_or(0);
    for (size_t i = 0; i < program.calls.size(); ++i) {
      const StreamCall& call = program.calls[i];
      for (size_t k = 0; k < call.args.size(); ++k) {
        if (call.callee == nullptr || call.args[k] != buffer->data) continue;
        if (tensor.uses.empty() || tensor.uses.back() != i) tensor.uses.push_back(i);
        if (Stores(*call.callee->func, k) && tensor.writer < 0)
          tensor.writer = static_cast<int64_t>(i);
      }
    }
    const bool is_output = tensor.writer >= 0;
    if (tensor.uses.empty() || !(is_output ? options.count_outputs : options.count_inputs))
      continue;
    if (is_output) {
      tensor.uses.push_back(program.calls.size() - 1);
    } else {
      tensor.uses.insert(tensor.uses.begin(), 0);
    }
    program.counted.emplace(buffer->data, std::move(tensor));
  }
}

StreamProgram ReadStreamProgram(const IRModule& module, const Function& entry,
                                const StreamOperatorsOptions& options) {
  StreamProgram program;
  program.top = SplitTopLevel(entry.func->body);
  program.params_are_apart = IsNoAlias(*entry.func);
  for (size_t i = 0; i < entry.func->params.size(); ++i) {
    program.params.insert(entry.func->params[i]);
    if (entry.func->buffers[i] != nullptr) program.params.insert(entry.func->buffers[i]->data);
  }
  for (const Stmt* binding : program.top.bindings) {
    const auto* allocate = dyn_cast<Allocate>(binding);
    if (allocate == nullptr) continue;
    const int64_t bytes = StaticBytes(allocate->dtype, allocate->extents).value_or(0);
    program.tensors[allocate->buffer_var] = {allocate, bytes, {}, -1};
  }
  for (const Stmt* stmt : program.top.statements) {
    for (const Var* var : FreeVarsOf({stmt})) {
      const auto tensor = program.tensors.find(var);
      if (tensor != program.tensors.end()) tensor->second.uses.push_back(program.calls.size());
    }
    program.calls.push_back(StreamCallOf(module, stmt));
    AddReduction(module.context(), program.calls.back());
  }
  FindWriters(program);
  CountParams(*entry.func, options, program);
  return program;
}

/// Writes the groups of an entry.
class StreamRewriter {
 public:
  StreamRewriter(const IRModule& module, const Function& entry, const StreamProgram& program)
      : module_(module),
        result_(module),
        entry_(entry),
        program_(program),
        storage_(std::make_shared<Storage>(entry.storage)),
        builder_(module.context(), storage_->arena()) {}

  IRModule Write(const std::vector<StreamGroup>& groups, StreamRecord record) {
    TopLevel now{{}, {}};
    absl::flat_hash_set<const Var*> inner;
    size_t next = 0;
    for (const StreamGroup& group : groups) {
      for (; next < group.first; ++next) now.statements.push_back(program_.calls[next].stmt);
      const auto segment =
          std::find_if(record.cut.begin(), record.cut.end(), [&](const StreamSegment& chosen) {
            return chosen.first == static_cast<int64_t>(group.first);
          });
      TENON_CHECK(segment != record.cut.end());
      now.statements.push_back(CallOf(group, segment->name));
      next = group.last + 1;
      for (const StreamedOperator& op : group.ops) {
        if (op.is_inner) inner.insert(StreamPlanner::ArgsOf(program_, group, op)[op.rows->output]);
      }
    }
    for (; next < program_.calls.size(); ++next)
      now.statements.push_back(program_.calls[next].stmt);
    for (const Stmt* binding : program_.top.bindings) {
      const auto* allocate = dyn_cast<Allocate>(binding);
      if (allocate == nullptr || !inner.contains(allocate->buffer_var))
        now.bindings.push_back(binding);
    }
    PrimFunc copy = *entry_.func;
    copy.body = JoinTopLevel(builder_, now);
    result_.Update({entry_.name, storage_->arena().New<PrimFunc>(copy), storage_});
    RemoveUnused(groups);
    result_.SetAttrs(
        builder_.With(result_.attrs(), attr_key::kStreaming, StreamRecordAttr(builder_, record)),
        storage_);
    return std::move(result_);
  }

  int64_t functions() const { return static_cast<int64_t>(names_.size()); }

 private:
  /// The call of a group, and the name of its function.
  const Stmt* CallOf(const StreamGroup& group, std::string& function) {
    const StreamCode code = MakeStreamCode(module_.context(), program_, group, entry_,
                                           [this](const std::string& wanted, const PrimFunc* func,
                                                  const std::shared_ptr<const Storage>& storage) {
                                             return Named(wanted, func, storage);
                                           });
    const std::string_view first = program_.calls[group.first].callee->name.view();
    const std::string_view last = program_.calls[group.last].callee->name.view();
    const Symbol name = FreeName(fmt::format("{}_to_{}", first, last));
    result_.Add({name, code.func, code.storage});
    function = name.view();
    std::vector<const Expr*> args = {builder_.String(name.view())};
    args.insert(args.end(), code.args.begin(), code.args.end());
    const SourceRange range = program_.calls[group.first].stmt->range;
    return builder_.New<Evaluate>(
        range,
        builder_.New<Call>(range, DataType::Int(32), Op::Get(OpKind::kCallExtern),
                           builder_.arena().Copy(Span<const Expr*>(args.data(), args.size()))));
  }

  /// The name of a function, which the module gets when it is first called.
  Symbol Named(const std::string& wanted, const PrimFunc* func,
               const std::shared_ptr<const Storage>& storage) {
    const auto [found, is_new] = names_.try_emplace(func);
    if (!is_new) return found->second;
    found->second = FreeName(wanted);
    result_.Add({found->second, func, storage});
    return found->second;
  }

  Symbol FreeName(const std::string& wanted) const {
    std::string name = wanted;
    for (int i = 1; result_.FindCallee(name) != nullptr; ++i)
      name = fmt::format("{}_{}", wanted, i);
    return module_.context().Intern(name);
  }

  /// Removes the functions of operators that nothing calls any more.
  void RemoveUnused(const std::vector<StreamGroup>& groups) {
    const CallGraph calls(result_);
    for (const StreamGroup& group : groups) {
      for (const StreamedOperator& op : group.ops) {
        const Function& function = *program_.calls[op.position].callee;
        if (result_.Find(function.name) != nullptr && function.global_symbol().empty() &&
            !calls.IsCalled(calls.IndexOf(function.name)))
          result_.Remove(function.name);
      }
    }
  }

  const IRModule& module_;
  IRModule result_;
  const Function& entry_;
  const StreamProgram& program_;
  std::shared_ptr<Storage> storage_;
  NodeBuilder builder_;
  std::map<const PrimFunc*, Symbol> names_;
};

}  // namespace

absl::StatusOr<IRModule> StreamOperators(const IRModule& given,
                                         const StreamOperatorsOptions& options,
                                         PassContext& context) {
  if (given.Main() == nullptr || IsPlanned(*given.Main())) return given;
  const std::optional<IRModule> fed =
      options.feed_rows ? WithFedInput(given, context.diagnostics) : std::nullopt;
  if (options.feed_rows && !fed) return given;
  const IRModule& module = fed ? *fed : given;
  const Function* entry = module.Main();
  const StreamProgram program = ReadStreamProgram(module, *entry, options);
  StreamPlanner planner(module, program, options.copy_borders, context);
  StreamChoice choice =
      ChooseStreamGroups(planner, program, options.enough_bytes, options.feed_rows);
  const std::vector<StreamGroup>& groups = choice.groups;
  if (groups.empty() && fed) ReportNotFed(module, program, context.diagnostics);
  if (groups.empty()) return given;
  StreamRewriter rewriter(module, *entry, program);
  const IRModule result = rewriter.Write(groups, std::move(choice.record));
  int64_t operators = 0;
  for (const StreamGroup& group : groups) operators += static_cast<int64_t>(group.ops.size());
  context.Count("stream-operators.groups", static_cast<int64_t>(groups.size()));
  context.Count("stream-operators.operators", operators);
  context.Count("stream-operators.functions", rewriter.functions());
  // Addresses and conditions are sums of constants.
  return Simplify(result, NoOptions(), context);
}

}  // namespace tenon
