// The rewriting that bind-params and convert-link-params share. An optimistic fixpoint finds the
// callees whose parameters follow: all do at first, until a call disagrees. So recursive functions
// also follow.

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/param_names.h"
#include "ir/attributes.h"
#include "ir/rewriter.h"
#include "passes/constants/claim_operands.h"
#include "passes/constants/lifted_params.h"
#include "support/check.h"

namespace tenon {

namespace {

/// Finds the constants of called functions' lifted parameters, where all calls agree.
class Follower {
 public:
  Follower(const IRModule& module, BoundParams& bound) : module_(module), bound_(bound) {
    for (const Function& function : module.functions()) {
      std::vector<const Constant*>& params = bound_[function.name];
      TENON_CHECK(function.func->buffers.size() == function.func->params.size());
      params.resize(function.func->params.size());
      std::vector<bool>& open = open_[function.name];
      for (size_t i = 0; i < params.size(); ++i) {
        open.push_back(params[i] == nullptr && function.func->buffers[i] != nullptr &&
                       ReadLiftedNote(*function.func, ParamName(*function.func, i)));
        any_ |= open.back();
      }
    }
  }

  /// Assumes that every lifted parameter follows, and reverts the assumption where a call
  /// disagrees, until nothing changes.
  void Run() {
    if (!any_) return;
    for (const Function& function : module_.functions()) CollectCalls(function);
    for (bool changed = true; changed;) {
      changed = false;
      for (const Given& given : given_) changed |= Apply(given);
    }
  }

 private:
  /// Argument `param` of a call: parameter `from` of the caller, or something else if `from` is -1.
  struct Given {
    Symbol callee;
    size_t param;
    Symbol caller;
    int64_t from;
  };

  void CollectCalls(const Function& caller) {
    absl::flat_hash_map<const Node*, int64_t> index;
    const PrimFunc& func = *caller.func;
    for (size_t i = 0; i < func.params.size(); ++i) {
      index.emplace(func.params[i], static_cast<int64_t>(i));
      if (func.buffers[i] != nullptr) index.emplace(func.buffers[i]->data, static_cast<int64_t>(i));
    }
    Walk(func.body, [&](const Node* node) {
      const CallSite site = isa<Call>(node) ? AsCallSite(module_, cast<Call>(node)) : CallSite{};
      if (site.call == nullptr || site.callee == nullptr) return true;
      const std::vector<bool>& open = open_.at(site.callee->name);
      for (size_t i = 0; i < open.size(); ++i) {
        if (!open[i]) continue;
        const auto found = i < site.args.size() ? index.find(site.args[i]) : index.end();
        given_.push_back(
            {site.callee->name, i, caller.name, found == index.end() ? -1 : found->second});
      }
      return true;
    });
  }

  /// True if that changed something. A parameter is open with null before any call decides, then
  /// open with the constant that all calls so far pass, and finally closed if calls disagree.
  bool Apply(const Given& given) {
    std::vector<bool>& open = open_.at(given.callee);
    TENON_CHECK(given.param < open.size());
    if (!open[given.param]) return false;
    const Constant*& value = bound_.at(given.callee)[given.param];
    if (given.from >= 0) {
      const auto from = static_cast<size_t>(given.from);
      const Constant* arg = bound_.at(given.caller)[from];
      if (arg == value && arg != nullptr) return false;
      if (arg == nullptr && open_.at(given.caller)[from]) return false;
      if (arg != nullptr && value == nullptr) {
        value = arg;
        return true;
      }
    }
    open[given.param] = false;
    value = nullptr;
    return true;
  }

  const IRModule& module_;
  BoundParams& bound_;
  absl::flat_hash_map<Symbol, std::vector<bool>> open_;
  std::vector<Given> given_;
  bool any_ = false;
};

/// A removed parameter.
struct Gone {
  const Constant* constant = nullptr;
  std::optional<LiftedNote> note;
  const Var* pointer = nullptr;  ///< the variable that the constant is bound to
  SourceRange range;
};

class Replacer : public Rewriter<Replacer> {
 public:
  Replacer(Context& context, std::shared_ptr<Storage> storage, const IRModule& module,
           const BoundParams& bound, const Function& function, RenamedVars& renamed)
      : Rewriter(context, std::move(storage)),
        module_(module),
        bound_(bound),
        constants_(bound.at(function.name)),
        renamed_(renamed) {}

  const PrimFunc* RewriteFunc(const PrimFunc* function) {
    std::vector<const Var*> params;
    std::vector<const Buffer*> buffers;
    TENON_CHECK(constants_.size() == function->params.size());
    const MapAttr* notes = nullptr;
    if (const Attr* attr = function->FindAttr(attr_key::kLiftedParams))
      notes = dyn_cast<MapAttr>(attr);
    std::vector<Gone> gone;
    for (size_t i = 0; i < constants_.size(); ++i) {
      if (constants_[i] == nullptr) {
        params.push_back(function->params[i]);
        buffers.push_back(function->buffers[i]);
        continue;
      }
      gone.push_back(Remove(*function, i));
      if (gone.back().note) notes = builder().With(notes, ParamName(*function, i), nullptr);
    }
    const Stmt* body = RewriteAny(function->body);
    if (gone.empty() && body == function->body) return function;
    PrimFunc copy = *function;
    copy.params = arena().Copy(Span<const Var*>(params.data(), params.size()));
    copy.buffers = arena().Copy(Span<const Buffer*>(buffers.data(), buffers.size()));
    copy.body = Allocate(gone, body);
    if (notes != nullptr) {
      copy.attrs = builder().With(function->attrs, attr_key::kLiftedParams,
                                  notes->items.empty() ? nullptr : notes);
    }
    return arena().New<PrimFunc>(copy);
  }

  const Stmt* RewriteLetStmt(const LetStmt* let) {
    const auto found = lets_.find(let->value);
    if (found == lets_.end()) return RewriteChildren(let);
    TENON_CHECK(found->second.constant != nullptr && found->second.note.has_value());
    const Var*& renamed = renamed_[cast<Var>(let->value)];
    if (renamed == found->second.pointer) renamed = let->var;
    return NewAllocateConst(builder(), let->var, *found->second.constant, &*found->second.note,
                            let->range, RewriteAny(let->body));
  }

  const Expr* RewriteCall(const Call* call) {
    const Call* now = RewriteChildren(call);
    const CallSite site = AsCallSite(module_, call);
    if (site.call == nullptr || site.callee == nullptr) return now;
    const std::vector<const Constant*>& callee = bound_.at(site.callee->name);
    if (site.args.size() < callee.size()) return now;
    // The name at the front and a final resource handle stay.
    const size_t first = call->args.size() - site.args.size();
    std::vector<const Expr*> args;
    for (size_t i = 0; i < now->args.size(); ++i) {
      const bool goes = i >= first && i - first < callee.size() && callee[i - first] != nullptr;
      if (!goes) args.push_back(now->args[i]);
    }
    if (args.size() == now->args.size()) return now;
    Call copy = *now;
    copy.args = arena().Copy(Span<const Expr*>(args.data(), args.size()));
    return arena().New<Call>(copy);
  }

 private:
  Gone Remove(const PrimFunc& function, size_t index) {
    TENON_CHECK(index < constants_.size() && constants_[index] != nullptr);
    const Var* param = function.params[index];
    const Buffer* buffer = function.buffers[index];
    const Var* data = buffer != nullptr ? buffer->data : param;
    Gone gone{constants_[index], ReadLiftedNote(function, ParamName(function, index)), nullptr,
              param->range};
    // A constant's pointer has no scope in the text.
    const Type* type = builder().context().PointerType(gone.constant->dtype(), "");
    const std::string_view name =
        buffer != nullptr ? buffer->name.view() : ParamName(function, index);
    gone.pointer = builder().NewVar(name, type, param->range);
    var_map[data] = renamed_[data] = gone.pointer;
    var_map[param] = gone.pointer;
    if (gone.note && gone.note->use == LiftedNote::Use::kLet) lets_.emplace(data, gone);
    return gone;
  }

  /// T.allocate_const around the body for constants that are not allocated elsewhere or are still
  /// used.
  const Stmt* Allocate(const std::vector<Gone>& gone, const Stmt* body) {
    absl::flat_hash_set<const Node*> used;
    for (const Gone& one : gone) used.insert(one.pointer);
    const absl::flat_hash_set<const Node*> pointers = used;
    used.clear();
    if (!pointers.empty()) {
      Walk(body, [&](const Node* node) {
        if (pointers.contains(node)) used.insert(node);
        return true;
      });
    }
    for (size_t i = gone.size(); i-- > 0;) {
      const Gone& one = gone[i];
      const bool is_elsewhere = one.note && one.note->use != LiftedNote::Use::kBody;
      if (is_elsewhere && !used.contains(one.pointer)) continue;
      const LiftedNote* note = one.note && !is_elsewhere ? &*one.note : nullptr;
      body = NewAllocateConst(builder(), one.pointer, *one.constant, note, one.range, body);
    }
    return body;
  }

  const IRModule& module_;
  const BoundParams& bound_;
  const std::vector<const Constant*>& constants_;
  /// The variables that replace those of removed parameters.
  RenamedVars& renamed_;
  absl::flat_hash_map<const Node*, Gone> lets_;
};

}  // namespace

IRModule ReplaceParams(const IRModule& module, BoundParams bound) {
  Follower(module, bound).Run();
  IRModule result = module;
  for (const Function& function : module.functions()) {
    RenamedVars renamed;
    const Function now =
        RewriteFunction<Replacer>(module.context(), function, module, bound, function, renamed);
    if (now.func != function.func)
      result.Update(WithMovedOperands(module.context(), *function.func, now, renamed));
  }
  return result;
}

}  // namespace tenon
