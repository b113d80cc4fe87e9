// Scratch memory is an allocation around a call, and all states are one allocation of the entry, so
// that planning and back ends need to know nothing about external functions.

#include "byoc/answered_calls.h"

#include <fmt/format.h>

#include <limits>

#include "ir/analysis/effects.h"
#include "ir/analysis/statement_call.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/function_interface.h"
#include "ir/memory_pools.h"
#include "ir/rewriter.h"
#include "passes/constants/constant_entries.h"

namespace tenon {

namespace {

/// A number of bytes as an extent or an index. Generators may ask for 2 GiB or more.
const Expr* BytesExpr(NodeBuilder& builder, int64_t bytes) {
  const bool is_short = bytes <= std::numeric_limits<int32_t>::max();
  return builder.Int(DataType::Int(is_short ? 32 : 64), bytes);
}

/// Gives a function parameters for its scratch memory and its state.
class MemoryParams : public Rewriter<MemoryParams> {
 public:
  MemoryParams(Context& context, std::shared_ptr<Storage> storage, const ExternalCode& code)
      : Rewriter(context, std::move(storage)), code_(code), names_(context) {}

  const PrimFunc* RewriteFunc(const PrimFunc* function) {
    names_.TakeAll(*function);
    PrimFunc copy = *function;
    std::vector<const Var*> params;
    std::vector<const Buffer*> buffers;
    const auto add = [&](std::string_view name, int64_t bytes) {
      if (bytes == 0) return;
      const Symbol symbol = names_.Make(builder().context().Intern(name));
      const Type* type = builder().context().PointerType(DataType::UInt(8), "global");
      params.push_back(builder().NewVar(fmt::format("{}_handle", symbol.view()), DataType::Handle(),
                                        function->range));
      buffers.push_back(builder().New<Buffer>(
          function->range, symbol, builder().NewVar(symbol.view(), type, function->range),
          DataType::UInt(8), builder().List<Expr>({BytesExpr(builder(), bytes)}),
          builder().Int(0)));
    };
    add("scratch", code_.workspace_bytes);
    add("state", code_.state_bytes);
    AddParams(arena(), copy, NewParamIndex(*function), params, buffers);
    copy.attrs =
        builder().With(function->attrs, attr_key::kExternal, WriteExternalCode(builder(), code_));
    return arena().New<PrimFunc>(copy);
  }

 private:
  const ExternalCode& code_;
  FreeNames names_;
};

/// Converts the calls of a function to the form that the answers require: with scratch memory and
/// states as arguments, and with a check of the status if the code has one. TVM's modules contain
/// the check; modules of Tenon's model readers do not.
class AnsweredCalls : public Rewriter<AnsweredCalls> {
 public:
  AnsweredCalls(Context& context, std::shared_ptr<Storage> storage, const IRModule& module,
                const AnsweredOf& answered, int64_t state_bytes,
                const std::vector<ExternalInit>& inits)
      : Rewriter(context, std::move(storage)),
        module_(module),
        answered_(answered),
        state_bytes_(state_bytes),
        inits_(inits),
        names_(context) {}

  const PrimFunc* RewriteFunc(const PrimFunc* function) {
    names_.TakeAll(*function);
    if (state_bytes_ > 0) MakeStates(function->range);
    PrimFunc copy = *function;
    copy.body = RewriteAny(function->body);
    if (state_bytes_ > 0) copy.body = StateAllocation(function->range, copy.body);
    if (!inits_.empty()) {
      copy.attrs = builder().With(function->attrs, attr_key::kExternal,
                                  WriteExternalInits(builder(), inits_));
    }
    if (copy.body == function->body && copy.attrs == function->attrs) return function;
    return arena().New<PrimFunc>(copy);
  }

  const Stmt* RewriteEvaluate(const Evaluate* evaluate) {
    const Var* scratch = nullptr;
    int64_t bytes = 0;
    scratch_ = &scratch;
    scratch_bytes_ = &bytes;
    const Stmt* now = WithStatus(evaluate, RewriteChildren(evaluate));
    scratch_ = nullptr;
    if (scratch == nullptr) return now;
    return builder().New<Allocate>(evaluate->range, scratch, DataType::UInt(8),
                                   builder().List<Expr>({BytesExpr(builder(), bytes)}),
                                   builder().Bool(true), nullptr, now);
  }

  const Expr* RewriteCall(const Call* call) {
    const Call* now = RewriteChildren(call);
    const CallSite site = AsCallSite(module_, call);
    const auto found = site.callee == nullptr ? answered_.end() : answered_.find(site.callee->name);
    if (found == answered_.end() || site.args.size() < found->second.position) return now;
    const Answered& answered = found->second;
    std::vector<const Expr*> args(now->args.begin(), now->args.end());
    auto at = static_cast<ptrdiff_t>(now->args.size() - site.args.size() + answered.position);
    if (answered.code.workspace_bytes > 0 && scratch_ != nullptr)
      args.insert(args.begin() + at++, Scratch(answered.code, call->range));
    if (answered.code.state_bytes > 0 && states_ != nullptr)
      args.insert(args.begin() + at++, State(answered.state_offset, call->range));
    if (args.size() == now->args.size()) return now;
    Call copy = *now;
    copy.args = arena().Copy(Span<const Expr*>(args.data(), args.size()));
    return arena().New<Call>(copy);
  }

 private:
  /// The rewritten statement `now`, with a check of the call's status exactly if the code has one.
  const Stmt* WithStatus(const Evaluate* before, const Stmt* now) {
    const auto [site, is_checked] = CallOfStatement(module_, before);
    const auto found = site.callee == nullptr ? answered_.end() : answered_.find(site.callee->name);
    if (found == answered_.end() || found->second.may_fail == is_checked) return now;
    const Expr* value = cast<Evaluate>(now)->value;
    const Expr* wanted =
        is_checked ? cast<Call>(value)->args[2]
                   : builder().NewCall(DataType::Int(32), OpKind::kTvmCheckReturn,
                                       {builder().Int(0), builder().Int(-1), value}, before->range);
    return builder().New<Evaluate>(before->range, wanted);
  }

  const Expr* Scratch(const ExternalCode& code, SourceRange range) {
    const Type* type = builder().context().PointerType(DataType::UInt(8), "global.workspace");
    const Symbol name = names_.Make(builder().context().Intern(code.symbol + "_scratch"));
    *scratch_ = builder().NewVar(name.view(), type, range);
    *scratch_bytes_ = code.workspace_bytes;
    return *scratch_;
  }

  const Expr* State(int64_t offset, SourceRange range) {
    if (offset == 0) return states_->data;
    return builder().NewCall(DataType::Handle(), OpKind::kAddressOf,
                             {builder().Load(states_, {BytesExpr(builder(), offset)}, range)},
                             range);
  }

  void MakeStates(SourceRange range) {
    const Symbol name = names_.Make(builder().context().Intern("external_states"));
    const Type* type = builder().context().PointerType(DataType::UInt(8), "global.workspace");
    states_ = builder().New<Buffer>(
        range, name, builder().NewVar(name.view(), type, range), DataType::UInt(8),
        builder().List<Expr>({BytesExpr(builder(), state_bytes_)}), builder().Int(0));
  }

  /// All states are one allocation in a separate pool, which contains nothing else.
  const Stmt* StateAllocation(SourceRange range, const Stmt* body) {
    PoolInfo pool;
    pool.name = kStatePool;
    pool.is_internal = true;
    pool.alignment = kStateAlignment;
    const Attr* pools[] = {MakePoolInfo(builder(), pool)};
    const MapAttr* annotations =
        builder().With(nullptr, attr_key::kCandidateMemoryPools, builder().Array(pools));
    const Stmt* inside = builder().New<DeclBuffer>(range, states_, body);
    return builder().New<Allocate>(range, states_->data, DataType::UInt(8),
                                   builder().List<Expr>({BytesExpr(builder(), state_bytes_)}),
                                   builder().Bool(true), annotations, inside);
  }

  const IRModule& module_;
  const AnsweredOf& answered_;
  int64_t state_bytes_;
  const std::vector<ExternalInit>& inits_;
  FreeNames names_;
  const Buffer* states_ = nullptr;
  const Var** scratch_ = nullptr;
  int64_t* scratch_bytes_ = nullptr;
};

}  // namespace

size_t AddedParams(const ExternalCode& code) {
  return (code.workspace_bytes > 0 ? 1 : 0) + (code.state_bytes > 0 ? 1 : 0);
}

/// The function before parameters for the memory of its code were added.
Function WithoutMemory(Context& context, const Function& function, const ExternalCode& code) {
  const PrimFunc& func = *function.func;
  const size_t added = AddedParams(code);
  const size_t end = NewParamIndex(func);
  auto storage = std::make_shared<Storage>(function.storage);
  NodeBuilder builder(context, storage->arena());
  PrimFunc copy = func;
  std::vector<const Var*> params(func.params.begin(), func.params.end());
  std::vector<const Buffer*> buffers(func.buffers.begin(), func.buffers.end());
  if (added <= end) {
    const auto first = static_cast<ptrdiff_t>(end - added);
    const auto last = static_cast<ptrdiff_t>(end);
    params.erase(params.begin() + first, params.begin() + last);
    buffers.erase(buffers.begin() + first, buffers.begin() + last);
  }
  copy.params = storage->arena().Copy(Span<const Var*>(params.data(), params.size()));
  copy.buffers = storage->arena().Copy(Span<const Buffer*>(buffers.data(), buffers.size()));
  copy.attrs = builder.With(func.attrs, attr_key::kExternal, nullptr);
  const PrimFunc* now = storage->arena().New<PrimFunc>(copy);
  return {function.name, now, std::move(storage)};
}

Function WithMemoryParams(Context& context, const Function& function, const ExternalCode& code) {
  return RewriteFunction<MemoryParams>(context, function, code);
}

Function WithAnsweredCalls(Context& context, const Function& function, const IRModule& module,
                           const AnsweredOf& answered, int64_t state_bytes,
                           const std::vector<ExternalInit>& inits) {
  return RewriteFunction<AnsweredCalls>(context, function, module, answered, state_bytes, inits);
}

}  // namespace tenon
