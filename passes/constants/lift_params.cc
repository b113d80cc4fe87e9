// First, a plan for each function: the constants of its body, and those that its callees need,
// passed on to callers until nothing changes. Then all functions are rewritten by their plans, so
// that calls and signatures agree.

#include "passes/constants/lift_params.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/param_names.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/function_interface.h"
#include "ir/input_files.h"
#include "ir/rewriter.h"
#include "ir/text_names.h"
#include "passes/constants/claim_operands.h"
#include "passes/constants/extract_constants.h"
#include "passes/constants/lifted_params.h"
#include "support/check.h"
#include "support/file_places.h"

namespace tenon {

namespace {

/// A new parameter of a function.
struct Lifted {
  const Constant* constant = nullptr;
  /// The only T.allocate_const that it replaces, if that has more properties than the constant.
  const AllocateConst* special = nullptr;
  LiftedNote::Use use = LiftedNote::Use::kCall;
  const Buffer* buffer = nullptr;
};

/// The plan for one function.
struct Plan {
  const Function* function = nullptr;
  /// The outermost constants, which become plain parameters.
  std::vector<const AllocateConst*> outermost;
  std::vector<Lifted> lifted;
  std::vector<CallSite> calls;
  bool is_called = false;
  bool is_root = false;
  bool is_done = false;

  Lifted* Find(const Constant* constant) {
    const auto found = std::find_if(lifted.begin(), lifted.end(),
                                    [&](const Lifted& one) { return one.constant == constant; });
    return found == lifted.end() ? nullptr : &*found;
  }
  Lifted* FindFor(const AllocateConst* allocate) {
    for (Lifted& one : lifted) {
      if (one.special == allocate) return &one;
    }
    const auto found = std::find_if(lifted.begin(), lifted.end(), [&](const Lifted& one) {
      return one.constant == allocate->data && one.special == nullptr;
    });
    return found == lifted.end() ? nullptr : &*found;
  }
};

/// True if the last parameter is a handle without a buffer, which devices put after all others.
bool HasResourceHandle(const PrimFunc& func) {
  if (func.params.size() < 2 || func.buffers.back() != nullptr) return false;
  const Var* last = func.params.back();
  return last->dtype.is_handle() && !last->type->is_pointer();
}

size_t PlaceOfParams(const PrimFunc& func) {
  return func.params.size() - (HasResourceHandle(func) ? 1 : 0);
}

/// Decides the new parameters of each function.
class Planner {
 public:
  Planner(const IRModule& module, Diagnostics& diagnostics)
      : module_(module), diagnostics_(diagnostics) {}

  /// In the order of the module's functions. Empty after an error.
  std::vector<Plan> Run() {
    const size_t errors = diagnostics_.error_count();
    for (size_t i = 0; i < module_.functions().size(); ++i)
      index_.emplace(module_.functions()[i].name, i);
    for (const Function& function : module_.functions()) plans_.push_back(PlanOf(function));
    for (Plan& plan : plans_) CheckPlanned(plan);
    for (size_t i = 0; i < plans_.size(); ++i) VisitCallees(i);
    PassOn();
    FindRoots();
    if (diagnostics_.error_count() != errors) plans_.clear();
    return std::move(plans_);
  }

 private:
  Plan PlanOf(const Function& function) {
    Plan plan;
    plan.function = &function;
    // A constant that occurs twice becomes one parameter, to which variables are bound.
    absl::flat_hash_map<const Constant*, int> count;
    Walk(function.func->body, [&](const Node* node) {
      if (const auto* allocate = dyn_cast<AllocateConst>(node)) ++count[allocate->data];
      return !isa<Expr>(node);
    });
    const Stmt* body = function.func->body;
    while (const auto* allocate = dyn_cast<AllocateConst>(body)) {
      if (!IsLiftable(*allocate) || !IsUsual(*allocate) || count.at(allocate->data) > 1) break;
      plan.outermost.push_back(allocate);
      plan.lifted.push_back({allocate->data, nullptr, LiftedNote::Use::kBody, nullptr});
      body = allocate->body;
    }
    Walk(body, [&](const Node* node) {
      if (const auto* allocate = dyn_cast<AllocateConst>(node)) AddInner(plan, *allocate);
      if (const auto* call = dyn_cast<Call>(node)) AddCall(plan, *call);
      return true;
    });
    return plan;
  }

  bool IsLiftable(const AllocateConst& allocate) {
    if (allocate.data != nullptr && allocate.data->has_bytes()) return true;
    diagnostics_.Error(DiagnosticKind::kPass, allocate.range,
                       fmt::format("constant `{}` has no data that could be lifted",
                                   allocate.buffer_var->name.view()));
    return false;
  }

  void AddInner(Plan& plan, const AllocateConst& allocate) {
    if (!IsLiftable(allocate)) return;
    const bool usual = IsUsual(allocate);
    Lifted* known = usual ? plan.FindFor(&allocate) : nullptr;
    if (known != nullptr) return;
    plan.lifted.push_back(
        {allocate.data, usual ? nullptr : &allocate, LiftedNote::Use::kLet, nullptr});
  }

  void AddCall(Plan& plan, const Call& call) {
    const OpKind kind = call.op->kind;
    if (kind == OpKind::kCallPackedLowered || kind == OpKind::kCallCPackedLowered) {
      const auto* name = call.args.empty() ? nullptr : dyn_cast<StringImm>(call.args[0]);
      const Function* callee = name == nullptr ? nullptr : module_.FindCallee(name->value);
      if (callee != nullptr) on_stack_.emplace_back(callee->name, call.range);
      return;
    }
    const CallSite site = AsCallSite(module_, &call);
    if (site.call != nullptr && site.callee != nullptr) plan.calls.push_back(site);
  }

  void CheckPlanned(const Plan& plan) {
    if (!IsPlanned(*plan.function)) return;
    diagnostics_.Error(DiagnosticKind::kPass, plan.function->func->range,
                       fmt::format("`{}` is already planned: its constants are in pools",
                                   plan.function->name.view()));
  }

  /// Collects the functions, callees first.
  void VisitCallees(size_t root) {
    struct Frame {
      size_t function;
      size_t next = 0;
    };
    std::vector<Frame> stack;
    const auto enter = [&](size_t function) {
      if (plans_[function].is_done) return;
      plans_[function].is_done = true;
      stack.push_back({function});
    };
    enter(root);
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const Plan& plan = plans_[frame.function];
      if (frame.next == plan.calls.size()) {
        order_.push_back(frame.function);
        stack.pop_back();
        continue;
      }
      const size_t callee = index_.at(plan.calls[frame.next++].callee->name);
      if (&plans_[callee] != &plan) plans_[callee].is_called = true;
      enter(callee);
    }
  }

  /// Callers get the constants of callees; repeats for functions that call each other.
  void PassOn() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const size_t function : order_) changed |= PassOnTo(plans_[function]);
    }
    for (const auto& [callee, range] : on_stack_) {
      if (plans_[index_.at(callee)].lifted.empty()) continue;
      diagnostics_.Error(DiagnosticKind::kPass, range,
                         fmt::format("`{}` has constants, but is called with its arguments on the "
                                     "stack",
                                     callee.view()));
    }
  }

  bool PassOnTo(Plan& plan) {
    absl::flat_hash_set<const Constant*> known;
    for (const Lifted& one : plan.lifted) known.insert(one.constant);
    bool changed = false;
    absl::flat_hash_set<size_t> seen;
    for (const CallSite& call : plan.calls) {
      const size_t callee = index_.at(call.callee->name);
      if (!seen.insert(callee).second || &plans_[callee] == &plan) continue;
      for (const Lifted& one : plans_[callee].lifted) {
        if (!known.insert(one.constant).second) continue;
        plan.lifted.push_back({one.constant, nullptr, LiftedNote::Use::kCall, nullptr});
        changed = true;
      }
    }
    return changed;
  }

  /// The entry, functions without callers, and the first of functions that only call each other.
  void FindRoots() {
    for (Plan& plan : plans_) plan.is_done = false;
    if (const Function* entry = module_.Main()) MarkRoot(plans_[index_.at(entry->name)]);
    for (Plan& plan : plans_) {
      if (!plan.is_done && !plan.is_called) MarkRoot(plan);
    }
    for (Plan& plan : plans_) {
      if (!plan.is_done) MarkRoot(plan);
    }
  }

  void MarkRoot(Plan& root) {
    root.is_root = true;
    std::vector<Plan*> work = {&root};
    while (!work.empty()) {
      Plan* plan = work.back();
      work.pop_back();
      if (std::exchange(plan->is_done, true)) continue;
      for (const CallSite& call : plan->calls)
        work.push_back(&plans_[index_.at(call.callee->name)]);
    }
  }

  const IRModule& module_;
  Diagnostics& diagnostics_;
  std::vector<Plan> plans_;
  std::vector<size_t> order_;
  std::vector<std::pair<Symbol, SourceRange>> on_stack_;
  absl::flat_hash_map<Symbol, size_t> index_;
};

using PlanOf = absl::flat_hash_map<Symbol, Plan*>;

class Lifter : public Rewriter<Lifter> {
 public:
  Lifter(Context& context, std::shared_ptr<Storage> storage, const IRModule& module,
         const PlanOf& plans, const absl::flat_hash_map<const Constant*, int64_t>& table)
      : Rewriter(context, std::move(storage)), module_(module), plans_(plans), table_(table) {}

  const PrimFunc* Lift(Plan& plan) {
    plan_ = &plan;
    const PrimFunc& func = *plan.function->func;
    if (plan.lifted.empty()) return &func;
    CollectNames(func, plan);
    std::vector<const Var*> params;
    std::vector<const Buffer*> buffers;
    const MapAttr* notes = dyn_cast_or_null<MapAttr>(func.FindAttr(attr_key::kLiftedParams));
    for (Lifted& one : plan.lifted) {
      const std::string name = UniqueName(one.constant->name().view());
      one.buffer = NewBuffer(name, *one.constant);
      params.push_back(builder().NewVar(name + "_handle", DataType::Handle()));
      buffers.push_back(one.buffer);
      notes = builder().With(notes, one.buffer->name.view(), NoteOf(plan, one));
    }
    for (const AllocateConst* allocate : plan.outermost)
      var_map[allocate->buffer_var] = plan.Find(allocate->data)->buffer->data;
    PrimFunc copy = func;
    copy.body = RewriteAny(plan.outermost.empty() ? func.body : plan.outermost.back()->body);
    AddParams(arena(), copy, PlaceOfParams(func), params, buffers);
    copy.attrs = builder().With(func.attrs, attr_key::kLiftedParams, notes);
    return arena().New<PrimFunc>(copy);
  }

  const Stmt* RewriteAllocateConst(const AllocateConst* allocate) {
    const Lifted* lifted = plan_->FindFor(allocate);
    TENON_CHECK(lifted != nullptr && lifted->buffer != nullptr);
    return builder().New<LetStmt>(allocate->range, allocate->buffer_var, lifted->buffer->data,
                                  RewriteAny(allocate->body));
  }

  const Expr* RewriteCall(const Call* call) {
    const Call* now = RewriteChildren(call);
    const CallSite site = AsCallSite(module_, call);
    if (site.call == nullptr || site.callee == nullptr) return now;
    const Plan& callee = *plans_.at(site.callee->name);
    if (callee.lifted.empty()) return now;
    std::vector<const Expr*> args(now->args.begin(), now->args.end());
    const size_t first = call->args.size() - site.args.size();
    const size_t place = std::min(args.size(), first + PlaceOfParams(*callee.function->func));
    std::vector<const Expr*> more;
    for (const Lifted& one : callee.lifted) {
      // A recursive call passes on its own parameter.
      const Lifted* own = &callee == plan_ ? &one : plan_->Find(one.constant);
      TENON_CHECK(own != nullptr && own->buffer != nullptr);
      more.push_back(own->buffer->data);
    }
    args.insert(args.begin() + static_cast<ptrdiff_t>(place), more.begin(), more.end());
    Call copy = *now;
    copy.args = arena().Copy(Span<const Expr*>(args.data(), args.size()));
    return arena().New<Call>(copy);
  }

 private:
  const Buffer* NewBuffer(const std::string& name, const Constant& constant) {
    const Type* type = builder().context().PointerType(constant.dtype(), "global");
    return builder().New<Buffer>(SourceRange(), builder().context().Intern(name),
                                 builder().NewVar(name, type), constant.dtype(),
                                 ExtentsOf(builder(), constant, {}), builder().Int(0));
  }

  const MapAttr* NoteOf(const Plan& plan, const Lifted& one) {
    LiftedNote note;
    if (one.special != nullptr) note = tenon::NoteOf(builder(), *one.special);
    note.use = one.use;
    if (plan.is_root) {
      note.constant = one.constant->name().view();
      note.index = table_.at(one.constant);
      note.placement = one.constant->placement();
    }
    return MakeLiftedNote(builder(), note);
  }

  /// All names of the function except constants that become parameters of the same name.
  void CollectNames(const PrimFunc& func, const Plan& plan) {
    absl::flat_hash_set<const Node*> gone;
    for (const AllocateConst* allocate : plan.outermost) gone.insert(allocate->buffer_var);
    taken_.insert(module_.name.view());
    Walk(&func, [&](const Node* node) {
      if (const auto* var = dyn_cast<Var>(node); var != nullptr && !gone.contains(var))
        taken_.insert(var->name.view());
      if (const auto* buffer = dyn_cast<Buffer>(node)) taken_.insert(buffer->name.view());
      return true;
    });
  }

  std::string UniqueName(std::string_view base) {
    std::string plain(base);
    for (char& c : plain) {
      if (!IsPlainName(std::string_view(&c, 1)) && !(c >= '0' && c <= '9')) c = '_';
    }
    if (!IsPlainName(plain)) plain.insert(plain.begin(), 'w');
    std::string name = plain;
    for (int64_t number = 1;; ++number) {
      const Symbol symbol = builder().context().Intern(name);
      const bool is_free =
          !IsReservedName(name, module_.dialect) && taken_.insert(symbol.view()).second;
      if (is_free) return name;
      name = fmt::format("{}_{}", plain, number);
    }
  }

  const IRModule& module_;
  const PlanOf& plans_;
  const absl::flat_hash_map<const Constant*, int64_t>& table_;
  Plan* plan_ = nullptr;
  absl::flat_hash_set<std::string_view> taken_;
};

/// Constants that attributes name, the constants that these are slices of, and so on.
absl::flat_hash_set<const Constant*> StillUsed(const IRModule& module,
                                               const absl::flat_hash_set<const Constant*>& lifted) {
  absl::flat_hash_set<const Constant*> used;
  const auto collect = [&](const Node* root) {
    Walk(root, [&](const Node* node) {
      if (const auto* attr = dyn_cast<ConstantAttr>(node)) used.insert(attr->value);
      return true;
    });
  };
  collect(module.attrs());
  collect(module.global_infos());
  for (const Function& function : module.functions()) collect(function.func);
  for (const Constant* constant : module.constants) {
    const Constant* one =
        !lifted.contains(constant) || used.contains(constant) ? constant : nullptr;
    while (one != nullptr && one->source().kind == ConstantSource::Kind::kSlice) {
      one = one->source().base;
      used.insert(one);
    }
  }
  return used;
}

/// The parameters that replace the variables of a function's constants.
RenamedVars RenamedBy(Plan& plan) {
  RenamedVars renamed;
  for (const AllocateConst* allocate : ConstantsOf(*plan.function->func))
    renamed[allocate->buffer_var] = plan.FindFor(allocate)->buffer->data;
  return renamed;
}

void AddValues(const Plan& plan, bool is_entry, std::vector<NamedConstant>& values) {
  absl::flat_hash_set<const Constant*> seen;
  for (const Lifted& one : plan.lifted) {
    TENON_CHECK(one.buffer != nullptr);
    const std::string_view name = one.buffer->name.view();
    values.push_back(
        {is_entry ? std::string(name) : fmt::format("{}.{}", plan.function->name.view(), name),
         one.constant});
  }
}

}  // namespace

std::optional<LiftedModule> LiftConstants(const IRModule& original, PassContext& context) {
  const absl::StatusOr<IRModule> extracted = ExtractConstants(original, {}, context);
  if (!extracted.ok()) return std::nullopt;
  const IRModule& module = *extracted;
  const size_t errors = context.diagnostics.error_count();
  context.changes_interface = true;
  std::vector<Plan> plans = Planner(module, context.diagnostics).Run();
  if (context.diagnostics.error_count() != errors) return std::nullopt;
  PlanOf plan_of;
  for (Plan& plan : plans) plan_of.emplace(plan.function->name, &plan);
  absl::flat_hash_map<const Constant*, int64_t> table;
  for (size_t i = 0; i < module.constants.size(); ++i)
    table.emplace(module.constants[i], static_cast<int64_t>(i));
  LiftedModule result{module, {}};
  absl::flat_hash_set<const Constant*> lifted;
  for (Plan& plan : plans) {
    if (plan.lifted.empty()) continue;
    auto storage = std::make_shared<Storage>(plan.function->storage);
    const PrimFunc* func = Lifter(module.context(), storage, module, plan_of, table).Lift(plan);
    const Function now = {plan.function->name, func, std::move(storage)};
    const Function moved =
        WithMovedOperands(module.context(), *plan.function->func, now, RenamedBy(plan));
    result.module.Update(WithoutConstantFacts(module.context(), moved));
    for (const Lifted& one : plan.lifted) lifted.insert(one.constant);
    context.Count("lift-params.parameters", static_cast<int64_t>(plan.lifted.size()));
  }
  const absl::flat_hash_set<const Constant*> used = StillUsed(result.module, lifted);
  std::erase_if(result.module.constants, [&](const Constant* constant) {
    return lifted.contains(constant) && !used.contains(constant);
  });
  const Function* entry = module.Main();
  for (const bool is_entry : {true, false}) {
    for (const Plan& plan : plans) {
      const bool is_this = entry != nullptr && plan.function->name == entry->name;
      if (plan.is_root && is_this == is_entry) AddValues(plan, is_entry, result.values);
    }
  }
  return result;
}

absl::StatusOr<IRModule> LiftParams(const IRModule& module, const LiftParamsOptions& options,
                                    PassContext& context) {
  std::optional<LiftedModule> lifted = LiftConstants(module, context);
  if (!lifted) return module;
  for (const NamedConstant& value : lifted->values) {
    context.Count("lift-params.constants", 1);
    context.Count("lift-params.bytes", value.constant->size_bytes());
  }
  if (options.file.empty()) return lifted->module;
  const std::string outputs[] = {options.file};
  absl::Status written = CheckOutputPaths(InputFiles(module), outputs);
  if (written.ok()) written = WriteConstants(options.file, lifted->values);
  if (!written.ok()) {
    context.diagnostics.Error(DiagnosticKind::kConstantFile, {}, std::string(written.message()));
    return module;
  }
  return lifted->module;
}

}  // namespace tenon
