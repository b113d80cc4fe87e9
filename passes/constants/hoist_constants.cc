// Functions are visited callees first: a constant that leaves a callee becomes an allocation of its
// caller, which may be hoisted in turn. Each function first passes constants to its callees, then
// gives up its own.

#include "passes/constants/hoist_constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/call_graph.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/param_names.h"
#include "ir/analysis/pointers.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/function_attrs.h"
#include "ir/function_interface.h"
#include "ir/rewriter.h"
#include "passes/constants/claim_operands.h"
#include "passes/constants/constant_entries.h"
#include "passes/function_choice.h"

namespace tenon {

namespace {

/// A constant that callers pass to a function instead of the function allocating it.
struct Hoisted {
  const Constant* constant = nullptr;  ///< in the module's table
  const Type* type = nullptr;
  const MapAttr* annotations = nullptr;
  Symbol name;
  SourceRange range;
  /// Keeps the annotations alive.
  std::shared_ptr<const Storage> storage;

  bool SameAs(const Hoisted& other) const {
    return constant == other.constant && type == other.type && annotations == other.annotations;
  }
};

/// The additional arguments of a function's callers, before argument `position`.
struct Added {
  size_t position = 0;
  std::vector<Hoisted> constants;
  /// Equal constants are one parameter, with the variable of the first.
  RenamedVars renamed;
};
using AddedOf = absl::flat_hash_map<Symbol, Added>;

Span<const Expr*> ExtentsOf(NodeBuilder& builder, const Constant& constant) {
  std::vector<const Expr*> extents;
  for (const int64_t extent : constant.shape()) {
    const DataType dtype = extent > INT32_MAX ? DataType::Int(64) : DataType::Int(32);
    extents.push_back(builder.Int(dtype, extent, constant.range()));
  }
  return builder.arena().Copy(Span<const Expr*>(extents.data(), extents.size()));
}

/// Passes constants to the functions that need them.
class Passer : public Rewriter<Passer> {
 public:
  Passer(Context& context, std::shared_ptr<Storage> storage, const IRModule& module,
         const AddedOf& added, int64_t& arguments)
      : Rewriter(context, std::move(storage)),
        module_(module),
        added_(added),
        arguments_(arguments),
        names_(context) {}

  const PrimFunc* RewriteFunc(const PrimFunc* function) {
    names_.TakeAll(*function);
    PrimFunc copy = *function;
    copy.body = RewriteAny(function->body);
    if (copy.body == function->body) return function;
    for (size_t i = made_.size(); i-- > 0;) copy.body = Allocation(made_[i], copy.body);
    return arena().New<PrimFunc>(copy);
  }

  const Expr* RewriteCall(const Call* call) {
    const Call* now = RewriteChildren(call);
    const CallSite site = AsCallSite(module_, call);
    const auto found = site.callee == nullptr ? added_.end() : added_.find(site.callee->name);
    if (found == added_.end() || site.args.size() < found->second.position) return now;
    const size_t at = now->args.size() - site.args.size() + found->second.position;
    std::vector<const Expr*> args(now->args.begin(), now->args.end());
    std::vector<const Expr*> more;
    for (const Hoisted& constant : found->second.constants) more.push_back(VarOf(constant));
    arguments_ += static_cast<int64_t>(more.size());
    args.insert(args.begin() + static_cast<ptrdiff_t>(at), more.begin(), more.end());
    Call copy = *now;
    copy.args = arena().Copy(Span<const Expr*>(args.data(), args.size()));
    return arena().New<Call>(copy);
  }

 private:
  struct Made {
    Hoisted constant;
    const Var* var;
  };

  const Var* VarOf(const Hoisted& constant) {
    std::vector<size_t>& made = made_of_[constant.constant];
    for (const size_t at : made) {
      if (made_[at].constant.SameAs(constant)) return made_[at].var;
    }
    const Var* var =
        builder().NewVar(names_.Make(constant.name).view(), constant.type, constant.range);
    if (constant.annotations != nullptr) storage()->Retain(constant.storage);
    made.push_back(made_.size());
    made_.push_back({constant, var});
    return var;
  }

  const Stmt* Allocation(const Made& made, const Stmt* body) {
    const Hoisted& constant = made.constant;
    return builder().New<AllocateConst>(constant.range, made.var, constant.constant->dtype(),
                                        ExtentsOf(builder(), *constant.constant), constant.constant,
                                        constant.annotations, body);
  }

  const IRModule& module_;
  const AddedOf& added_;
  int64_t& arguments_;
  FreeNames names_;
  std::vector<Made> made_;
  absl::flat_hash_map<const Constant*, std::vector<size_t>> made_of_;
};

/// Turns the constants of a function into parameters.
class Taker : public Rewriter<Taker> {
 public:
  Taker(Context& context, std::shared_ptr<Storage> storage, const Function& function,
        ConstantEntries& table, Added& added)
      : Rewriter(context, std::move(storage)),
        function_(function),
        table_(table),
        added_(added),
        names_(context) {}

  const PrimFunc* RewriteFunc(const PrimFunc* function) {
    for (size_t i = 0; i < function->params.size(); ++i) {
      names_.Take(builder().context().Intern(ParamName(*function, i)));
      if (function->buffers[i] != nullptr) names_.Take(function->buffers[i]->name);
    }
    PrimFunc copy = *function;
    copy.body = RewriteAny(function->body);
    if (added_.constants.empty()) return function;
    added_.position = NewParamIndex(*function);
    AddParams(arena(), copy, added_.position, params_, buffers_);
    return arena().New<PrimFunc>(copy);
  }

  const Stmt* RewriteAllocateConst(const AllocateConst* allocate) {
    if (allocate->data == nullptr) return RewriteChildren(allocate);
    const Hoisted constant{table_.EntryOf(allocate->data, allocate->buffer_var->name),
                           allocate->buffer_var->type,
                           allocate->annotations,
                           allocate->buffer_var->name,
                           allocate->range,
                           function_.storage};
    for (size_t i = 0; i < added_.constants.size(); ++i) {
      if (!added_.constants[i].SameAs(constant)) continue;
      var_map[allocate->buffer_var] = added_.renamed[allocate->buffer_var] = buffers_[i]->data;
      return RewriteAny(allocate->body);
    }
    const Var* data = allocate->buffer_var;
    const Symbol name = names_.Make(data->name);
    params_.push_back(builder().NewVar(fmt::format("{}_handle", name.view()), DataType::Handle(),
                                       allocate->range));
    buffers_.push_back(builder().New<Buffer>(allocate->range, name, data, allocate->dtype,
                                             ExtentsOf(builder(), *allocate->data),
                                             builder().Int(0)));
    added_.constants.push_back(constant);
    return RewriteAny(allocate->body);
  }

 private:
  const Function& function_;
  ConstantEntries& table_;
  Added& added_;
  FreeNames names_;
  std::vector<const Var*> params_;
  std::vector<const Buffer*> buffers_;
};

/// The assumed effect on an argument of an undeclared extern: it reads what may be a constant, and
/// may read and write everything else.
std::string_view AssumedEffect(const Expr* arg, const PointerRoots& roots,
                               const absl::flat_hash_set<const Var*>& constants) {
  if (!arg->dtype.is_handle()) return "";
  const PointerTargets targets = roots.TargetsOf(arg);
  if (targets.roots.empty()) return "";
  const bool may_be_constant =
      std::any_of(targets.roots.begin(), targets.roots.end(),
                  [&](const Var* root) { return constants.contains(root); });
  return may_be_constant ? "c" : "rw";
}

/// Declares the assumed effects of externs that receive constants, since the constants are now no
/// longer visible at the call.
class Declarer {
 public:
  Declarer(const IRModule& module, Diagnostics& diagnostics)
      : module_(module), diagnostics_(diagnostics) {}

  /// `before` has the constants, `after` does not. Returns `after` with the necessary declarations.
  Function Declare(const Function& before, const Function& after) {
    const PointerRoots roots(*before.func);
    absl::flat_hash_set<const Var*> constants;
    std::vector<CallSite> calls;
    Walk(before.func->body, [&](const Node* node) {
      if (const auto* allocate = dyn_cast<AllocateConst>(node))
        constants.insert(allocate->buffer_var);
      const CallSite site = AsCallSite(module_, dyn_cast<Call>(node));
      const bool is_known = site.call == nullptr || site.callee != nullptr ||
                            site.call->op->kind == OpKind::kCallPureExtern ||
                            ExternDeclaration(module_, before, site.name) != nullptr;
      if (!is_known) calls.push_back(site);
      return true;
    });
    std::map<std::string_view, std::vector<std::string_view>> declared;
    for (const CallSite& call : calls) {
      if (PassesConstant(call, roots, constants)) declared[call.name];
    }
    for (const CallSite& call : calls) {
      const auto found = declared.find(call.name);
      if (found != declared.end()) Join(call, roots, constants, found->second);
    }
    return declared.empty() ? after : With(after, declared);
  }

 private:
  using Constants = absl::flat_hash_set<const Var*>;

  static bool PassesConstant(const CallSite& call, const PointerRoots& roots,
                             const Constants& constants) {
    return std::any_of(call.args.begin(), call.args.end(), [&](const Expr* arg) {
      return AssumedEffect(arg, roots, constants) == "c";
    });
  }

  void Join(const CallSite& call, const PointerRoots& roots, const Constants& constants,
            std::vector<std::string_view>& effects) {
    if (effects.size() < call.args.size()) effects.resize(call.args.size());
    for (size_t i = 0; i < call.args.size(); ++i) {
      const std::string_view effect = AssumedEffect(call.args[i], roots, constants);
      if (effect.empty() || effect == effects[i]) continue;
      if (!effects[i].empty()) {
        diagnostics_.Error(
            DiagnosticKind::kPass, call.call->range,
            fmt::format("argument {} of `{}` is a constant in some calls only; declare in "
                        "`tenon.externs` whether the function reads or writes it",
                        i + 1, call.name));
      }
      effects[i] = effect;
    }
  }

  Function With(const Function& after,
                const std::map<std::string_view, std::vector<std::string_view>>& declared) {
    return WithAttrs(module_.context(), after, [&](NodeBuilder& builder, const MapAttr* attrs) {
      const auto* externs = dyn_cast_or_null<MapAttr>(attrs->Find(attr_key::kExterns));
      for (const auto& [name, effects] : declared) {
        std::vector<const Attr*> letters;
        for (const std::string_view effect : effects)
          letters.push_back(builder.StringValue(effect));
        externs = builder.With(externs, name,
                               builder.Array(Span<const Attr*>(letters.data(), letters.size())));
      }
      return builder.With(attrs, attr_key::kExterns, externs);
    });
  }

  const IRModule& module_;
  Diagnostics& diagnostics_;
};

/// The functions that the options select.
class Chooser {
 public:
  Chooser(const IRModule& module, const HoistConstantsOptions& options, const CallGraph& graph,
          Diagnostics& diagnostics)
      : module_(module), options_(options), graph_(graph), diagnostics_(diagnostics) {}

  std::vector<bool> Choose() {
    const std::vector<Function>& functions = module_.functions();
    chosen_.resize(functions.size());
    on_stack_.resize(functions.size());
    for (size_t i = 0; i < functions.size(); ++i) {
      for (const CallGraph::Site& site : graph_.CallsOf(i)) {
        if (site.on_stack) on_stack_[site.callee] = site.call;
      }
    }
    ChooseNamed();
    for (size_t i = 0; i < functions.size(); ++i) {
      if (&functions[i] == module_.Main() || !graph_.IsCalled(i)) continue;
      if (!options_.attr.empty() && HasAttrLike(functions[i], options_.attr)) {
        chosen_[i] = CanBeHoisted(i, true);
      } else if (TakesAll() || (options_.attr.empty() && options_.functions.empty() &&
                                functions[i].global_symbol().empty())) {
        chosen_[i] = CanBeHoisted(i, false);
      }
    }
    return std::move(chosen_);
  }

 private:
  bool TakesAll() const { return options_.functions == "*"; }

  void ChooseNamed() {
    if (TakesAll()) return;
    for (const std::string_view name : WordsOf(options_.functions)) ChooseByName(name);
  }

  void ChooseByName(std::string_view name) {
    const Function* function = module_.FindCallee(name);
    if (function == nullptr) {
      diagnostics_.Error(DiagnosticKind::kPass, {}, NoSuchFunction(module_, name));
      return;
    }
    const auto index = static_cast<size_t>(function - module_.functions().data());
    const bool is_entry = module_.Main() == function;
    if (is_entry || !graph_.IsCalled(index)) {
      diagnostics_.Error(DiagnosticKind::kPass, function->func->range,
                         fmt::format("{}, so the constants of `{}` have nowhere to go",
                                     is_entry ? "it is the entry" : "nothing calls it", name));
      return;
    }
    chosen_[index] = CanBeHoisted(index, true);
  }

  /// With `is_wanted`, an obstacle is an error.
  bool CanBeHoisted(size_t index, bool is_wanted) {
    const Function& function = module_.functions()[index];
    const auto refuse = [&](SourceRange at, std::string_view why) {
      if (is_wanted) {
        diagnostics_.Error(DiagnosticKind::kPass, at,
                           fmt::format("the constants of `{}` cannot become arguments: {}",
                                       function.name.view(), why));
      }
      return false;
    };
    if (const Call* call = graph_.Recursion(index))
      return refuse(call->range, "from here it calls itself");
    if (on_stack_[index] != nullptr)
      return refuse(on_stack_[index]->range, "here its arguments are on the stack already");
    if (IsPlanned(function)) return refuse(function.func->range, "its memory is planned already");
    return true;
  }

  const IRModule& module_;
  const HoistConstantsOptions& options_;
  const CallGraph& graph_;
  Diagnostics& diagnostics_;
  std::vector<bool> chosen_;
  std::vector<const Call*> on_stack_;
};

}  // namespace

absl::StatusOr<IRModule> HoistConstants(const IRModule& module,
                                        const HoistConstantsOptions& options,
                                        PassContext& context) {
  const CallGraph graph(module);
  const size_t errors = context.diagnostics.error_count();
  const std::vector<bool> chosen = Chooser(module, options, graph, context.diagnostics).Choose();
  IRModule result = module;
  ConstantEntries table(module);
  AddedOf added;
  int64_t parameters = 0;
  int64_t arguments = 0;
  for (const size_t index : graph.CalleesFirst()) {
    const Function& before = module.functions()[index];
    Function now = RewriteFunction<Passer>(module.context(), before, module, added, arguments);
    if (chosen[index]) {
      Added taken;
      const Function without = RewriteFunction<Taker>(module.context(), now, now, table, taken);
      if (!taken.constants.empty()) {
        now = Declarer(module, context.diagnostics).Declare(now, without);
        parameters += static_cast<int64_t>(taken.constants.size());
        added.emplace(now.name, std::move(taken));
      }
    }
    if (now.func == before.func) continue;
    const auto taken = added.find(now.name);
    result.Update(WithMovedOperands(module.context(), *before.func, now,
                                    taken == added.end() ? RenamedVars() : taken->second.renamed));
  }
  if (context.diagnostics.error_count() != errors)
    return absl::InvalidArgumentError("constants cannot be hoisted");
  result.constants = table.constants();
  context.Count("hoist-constants.functions", static_cast<int64_t>(added.size()));
  context.Count("hoist-constants.parameters", parameters);
  context.Count("hoist-constants.arguments", arguments);
  return result;
}

}  // namespace tenon
