// An updater is code from outside, and its result is not trusted: sizes, names and indices are
// checked. No view may reach beyond the new bytes. Old constants leave the table only if nothing
// else uses them.

#include "passes/constants/update_constants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/rewriter.h"
#include "passes/constants/constant_entries.h"
#include "passes/constants/constant_updater.h"
#include "passes/function_choice.h"
#include "passes/pipeline/pass_set.h"
#include "support/checked.h"

namespace tenon {

namespace {

std::vector<FunctionConstant> AllocatedConstants(const PrimFunc& function) {
  std::vector<FunctionConstant> constants;
  absl::flat_hash_set<const Constant*> seen;
  Walk(function.body, [&](const Node* node) {
    const auto* allocate = dyn_cast<AllocateConst>(node);
    if (allocate != nullptr && allocate->data != nullptr && seen.insert(allocate->data).second)
      constants.push_back({allocate->data, allocate->buffer_var->name.view(), allocate->range});
    return !isa<Expr>(node);
  });
  return constants;
}

/// The bytes from the pointer on that a buffer of constant shape takes; 0 if unknown.
int64_t ReachOf(const Buffer& buffer) {
  const int64_t* offset = AsIntImm(buffer.elem_offset);
  const std::optional<int64_t> count = StaticCount(buffer.shape);
  if (!buffer.strides.empty() || offset == nullptr || !count) return 0;
  const std::optional<int64_t> end = CheckedAdd(*count, *offset);
  return end ? CheckedMul(*end, buffer.dtype.bytes()).value_or(0) : 0;
}

/// Why the constant cannot be made; empty if it can.
std::string WhyImpossible(const UpdatedConstant& made, const ConstantEntries& entries) {
  if (made.name.empty()) return "a constant without a name";
  if (made.dtype.bytes() <= 0 || (!made.dtype.is_integer() && !made.dtype.is_floating()))
    return fmt::format("`{}` as `{}`", made.name, made.dtype.ToString());
  const std::optional<int64_t> bytes = BytesOf(made.shape, made.dtype.bytes());
  if (!bytes) return fmt::format("`{}` in the shape ({})", made.name, fmt::join(made.shape, ", "));
  const int64_t size = *bytes;
  const auto is = [&](std::string_view bytes) {
    return fmt::format("`{}` with {}, expected {} for {}[{}]", made.name, bytes, size,
                       made.dtype.ToString(), fmt::join(made.shape, ", "));
  };
  const ConstantSource& source = made.source;
  if (source.kind == ConstantSource::Kind::kBytes &&
      source.bytes.size() != static_cast<size_t>(size)) {
    return is(fmt::format("{} bytes", source.bytes.size()));
  }
  if (source.kind == ConstantSource::Kind::kSlice) {
    if (!entries.Has(source.base))
      return fmt::format("`{}` as a part of a constant that the module does not have", made.name);
    const int64_t base = source.base->size_bytes();
    if (source.offset < 0 || source.offset > base - size)
      return is(fmt::format("a part of {} bytes", std::max<int64_t>(base - source.offset, 0)));
  }
  const int64_t alignment = made.placement.alignment;
  if (alignment < 0 || (alignment & (alignment - 1)) != 0)
    return fmt::format("`{}` with the alignment {}", made.name, alignment);
  return "";
}

/// Applies an updater's result to a function.
class UpdatedReplacer : public Rewriter<UpdatedReplacer> {
 public:
  using NowOf = absl::flat_hash_map<const Constant*, const Constant*>;
  /// The names of new callees, by the old names.
  using CalleeOf = absl::flat_hash_map<std::string_view, Symbol>;

  /// `now_of` has null for dropped constants.
  UpdatedReplacer(Context& context, std::shared_ptr<Storage> storage, const NowOf& now_of,
                  const CalleeOf& callee_of, std::string_view updater, Diagnostics& diagnostics)
      : Rewriter(context, std::move(storage)),
        now_of_(now_of),
        callee_of_(callee_of),
        updater_(updater),
        diagnostics_(diagnostics) {}

  const Stmt* RewriteAllocateConst(const AllocateConst* allocate) {
    const auto found = allocate->data == nullptr ? now_of_.end() : now_of_.find(allocate->data);
    if (found == now_of_.end()) return RewriteChildren(allocate);
    const Constant* now = found->second;
    const Var* var = allocate->buffer_var;
    if (now == nullptr) {
      CheckUnused(*allocate);
      return RewriteAny(allocate->body);
    }
    CheckReach(*allocate, *now);
    AllocateConst copy = *allocate;
    // The old function may stay in the program, and a variable belongs to one constant.
    copy.buffer_var = builder().NewVar(
        var->name.view(), builder().context().PointerType(now->dtype(), var->type->scope),
        var->range);
    var_map[var] = copy.buffer_var;
    copy.dtype = now->dtype();
    copy.data = now;
    std::vector<const Expr*> extents;
    for (const int64_t extent : now->shape()) {
      const DataType dtype = extent > INT32_MAX ? DataType::Int(64) : DataType::Int(32);
      extents.push_back(builder().Int(dtype, extent, allocate->range));
    }
    copy.extents = arena().Copy(Span<const Expr*>(extents.data(), extents.size()));
    copy.body = RewriteAny(allocate->body);
    return arena().New<AllocateConst>(copy);
  }

  const Expr* RewriteCall(const Call* call) {
    const Call* now = RewriteChildren(call);
    const bool is_global = call->op->kind == OpKind::kGlobalCall;
    const auto* name = call->args.empty() ? nullptr : dyn_cast<StringImm>(call->args[0]);
    if (!is_global && name == nullptr) return now;
    const auto found = callee_of_.find(is_global ? call->callee.view() : name->value);
    if (found == callee_of_.end()) return now;
    Call copy = *now;
    if (is_global) {
      copy.callee = found->second;
    } else {
      std::vector<const Expr*> args(now->args.begin(), now->args.end());
      args[0] = builder().String(found->second.view(), name->range);
      copy.args = arena().Copy(Span<const Expr*>(args.data(), args.size()));
    }
    return arena().New<Call>(copy);
  }

 private:
  void CheckUnused(const AllocateConst& allocate) {
    bool used = false;
    Walk(allocate.body, [&](const Node* node) {
      used |= node == allocate.buffer_var;
      return true;
    });
    if (!used) return;
    diagnostics_.Error(DiagnosticKind::kPass, allocate.range,
                       fmt::format("updater `{}` drops `{}`, which the function still uses",
                                   updater_, allocate.buffer_var->name.view()));
  }

  void CheckReach(const AllocateConst& allocate, const Constant& now) {
    absl::flat_hash_set<const Buffer*> seen;
    Walk(allocate.body, [&](const Node* node) {
      const auto* buffer = dyn_cast<Buffer>(node);
      if (buffer == nullptr || buffer->data != allocate.buffer_var || !seen.insert(buffer).second)
        return true;
      const int64_t reach = ReachOf(*buffer);
      if (reach > now.size_bytes()) {
        diagnostics_.Error(
            DiagnosticKind::kPass, allocate.range,
            fmt::format("updater `{}` makes `{}` {} bytes, but the function has {} bytes of it as "
                        "`{}`",
                        updater_, allocate.buffer_var->name.view(), now.size_bytes(), reach,
                        buffer->name.view()));
      }
      return true;
    });
  }

  const NowOf& now_of_;
  const CalleeOf& callee_of_;
  std::string_view updater_;
  Diagnostics& diagnostics_;
};

/// One run of the pass.
class Updates {
 public:
  Updates(const IRModule& module, const UpdateConstantsOptions& options, PassContext& context)
      : module_(module),
        options_(options),
        context_(context),
        diagnostics_(context.diagnostics),
        result_(module),
        entries_(module) {
    if (context.updaters == nullptr) built_in_ = ConstantUpdaters::BuiltIn();
    updaters_ = context.updaters == nullptr ? &built_in_ : context.updaters;
  }

  absl::StatusOr<IRModule> Run() {
    const size_t errors = diagnostics_.error_count();
    const ConstantUpdater* named = nullptr;
    if (!options_.updater.empty()) {
      named = updaters_->Find(options_.updater);
      if (named == nullptr) UnknownUpdater();
    }
    for (const std::string_view name : WordsOf(options_.functions)) {
      const Function* function = module_.FindCallee(name);
      if (function == nullptr) {
        diagnostics_.Error(DiagnosticKind::kPass, {}, NoSuchFunction(module_, name));
      } else {
        by_name_.insert(function->name);
      }
    }
    for (const Function& function : module_.functions()) {
      const ConstantUpdater* updater = UpdaterOf(function, named);
      if (updater != nullptr && diagnostics_.error_count() == errors) Update(function, *updater);
    }
    if (diagnostics_.error_count() == errors && functions_ > 0) SetTable();
    if (diagnostics_.error_count() != errors)
      return absl::InvalidArgumentError("constants cannot be updated");
    Count();
    return result_;
  }

 private:
  void UnknownUpdater() {
    const std::vector<std::string_view> names = updaters_->Names();
    diagnostics_.Error(DiagnosticKind::kPass, {},
                       fmt::format("unknown constant updater `{}`, expected one of {}",
                                   options_.updater, fmt::join(names, ", ")));
  }

  const ConstantUpdater* UpdaterOf(const Function& function, const ConstantUpdater* named) const {
    const bool is_chosen = options_.functions.empty() ? HasAttrLike(function, options_.attr)
                                                      : by_name_.contains(function.name);
    if (!is_chosen || !options_.updater.empty()) return is_chosen ? named : nullptr;
    const std::string_view key = std::string_view(options_.attr).substr(0, options_.attr.find('='));
    const std::string_view* name = AsString(function.FindAttr(key));
    return name == nullptr ? nullptr : updaters_->Find(*name);
  }

  void Update(const Function& function, const ConstantUpdater& updater) {
    const std::vector<FunctionConstant> constants = AllocatedConstants(*function.func);
    const size_t errors = diagnostics_.error_count();
    std::optional<ConstantUpdate> update =
        updater.UpdateIn(module_, function, constants, diagnostics_);
    if (!update) {
      if (diagnostics_.error_count() == errors) {
        diagnostics_.Error(
            DiagnosticKind::kPass, function.func->range,
            fmt::format("updater `{}` failed on `{}`", updater.name(), function.name.view()));
      }
      return;
    }
    UpdatedReplacer::NowOf now_of;
    const auto consume = [&](size_t index, const Constant* now) {
      if (index < constants.size() && now_of.emplace(constants[index].constant, now).second) {
        consumed_.insert(constants[index].constant);
        bytes_before_ += constants[index].constant->size_bytes();
        return;
      }
      diagnostics_.Error(DiagnosticKind::kPass, function.func->range,
                         fmt::format("updater `{}` replaces or drops constant {} of `{}`, which "
                                     "does not exist or is named twice",
                                     updater.name(), index, function.name.view()));
    };
    for (UpdatedConstant& made : update->constants) {
      const Constant* now = Make(function, updater, made, constants);
      if (now == nullptr) return;
      bytes_after_ += now->size_bytes();
      ++(made.replaces ? replaced_ : added_);
      if (made.replaces) consume(*made.replaces, now);
    }
    for (const size_t index : update->dropped) consume(index, nullptr);
    dropped_ += static_cast<int64_t>(update->dropped.size());
    ++functions_;
    const UpdatedReplacer::CalleeOf callee_of = AddCallees(function, updater, *update);
    if (diagnostics_.error_count() != errors) return;
    result_.Update(RewriteFunction<UpdatedReplacer>(module_.context(), function, now_of, callee_of,
                                                    updater.name(), diagnostics_));
  }

  UpdatedReplacer::CalleeOf AddCallees(const Function& function, const ConstantUpdater& updater,
                                       ConstantUpdate& update) {
    UpdatedReplacer::CalleeOf callee_of;
    for (UpdatedCallee& callee : update.callees) {
      if (result_.FindCallee(callee.now.name.view()) != nullptr) {
        diagnostics_.Error(
            DiagnosticKind::kPass, function.func->range,
            fmt::format(
                "updater `{}` turns `{}` into a function `{}`, but another function has that name",
                updater.name(), function.name.view(), callee.now.name.view()));
        continue;
      }
      callee_of.emplace(callee.name, callee.now.name);
      result_.Add(std::move(callee.now));
    }
    return callee_of;
  }

  /// The entry of the table, or null after an error.
  const Constant* Make(const Function& function, const ConstantUpdater& updater,
                       UpdatedConstant& made, const std::vector<FunctionConstant>& constants) {
    std::string why = WhyImpossible(made, entries_);
    const Symbol name = module_.context().Intern(made.name);
    const bool replaces_one = made.replaces && *made.replaces < constants.size();
    const bool is_its_own =
        replaces_one && constants[*made.replaces].constant->name() == name && !made_.contains(name);
    if (why.empty() && entries_.IsTaken(name) && !is_its_own)
      why = fmt::format("`{}`, a name that another constant has", made.name);
    if (!why.empty()) {
      diagnostics_.Error(
          DiagnosticKind::kPass,
          replaces_one ? constants[*made.replaces].range : function.func->range,
          fmt::format("updater `{}` makes of `{}` {}", updater.name(), function.name.view(), why));
      return nullptr;
    }
    const SourceRange range = replaces_one ? constants[*made.replaces].range : function.func->range;
    const Constant* now =
        module_.context().AddConstant(name, made.dtype, std::move(made.shape),
                                      std::move(made.source), std::move(made.placement), range);
    made_.insert(name);
    entries_.Add(now);
    return now;
  }

  /// Sets the table without replaced and dropped constants that are otherwise unused.
  void SetTable() {
    absl::flat_hash_set<const Constant*> used;
    absl::flat_hash_set<std::string_view> looked_up;
    const auto look = [&](const Node* node) {
      if (const auto* allocate = dyn_cast<AllocateConst>(node)) used.insert(allocate->data);
      if (const auto* attr = dyn_cast<ConstantAttr>(node)) used.insert(attr->value);
      const auto* call = dyn_cast<Call>(node);
      if (call == nullptr || call->op->kind != OpKind::kLookupParam || call->args.empty())
        return true;
      if (const auto* name = dyn_cast<StringImm>(call->args[0])) looked_up.insert(name->value);
      return true;
    };
    Walk(module_.attrs(), look);
    for (const Function& function : result_.functions()) Walk(function.func, look);
    for (const Constant* entry : entries_.constants()) {
      if (!consumed_.contains(entry)) used.insert(entry);
    }
    std::vector<const Constant*> bases(used.begin(), used.end());
    while (!bases.empty()) {
      const Constant* last = bases.back();
      bases.pop_back();
      const Constant* base = last == nullptr ? nullptr : last->source().base;
      if (base != nullptr && used.insert(base).second) bases.push_back(base);
    }
    result_.constants.clear();
    for (const Constant* entry : entries_.constants()) {
      const bool is_made_again = made_.contains(entry->name());
      if (!used.contains(entry) && (is_made_again || !looked_up.contains(entry->name().view())))
        continue;
      if (consumed_.contains(entry) && is_made_again) {
        diagnostics_.Error(
            DiagnosticKind::kPass, entry->range(),
            fmt::format(
                "`{}` is replaced by a constant of the same name, but something else also uses it",
                entry->name().view()));
      }
      result_.constants.push_back(entry);
    }
  }

  void Count() {
    context_.Count("update-constants.functions", functions_);
    context_.Count("update-constants.replaced", replaced_);
    context_.Count("update-constants.added", added_);
    context_.Count("update-constants.dropped", dropped_);
    context_.Count("update-constants.bytes_before", bytes_before_);
    context_.Count("update-constants.bytes_after", bytes_after_);
  }

  const IRModule& module_;
  const UpdateConstantsOptions& options_;
  PassContext& context_;
  Diagnostics& diagnostics_;
  IRModule result_;
  ConstantEntries entries_;
  ConstantUpdaters built_in_;
  const ConstantUpdaters* updaters_ = nullptr;
  absl::flat_hash_set<Symbol> by_name_;
  absl::flat_hash_set<const Constant*> consumed_;
  absl::flat_hash_set<Symbol> made_;
  int64_t functions_ = 0;
  int64_t replaced_ = 0;
  int64_t added_ = 0;
  int64_t dropped_ = 0;
  int64_t bytes_before_ = 0;
  int64_t bytes_after_ = 0;
};

}  // namespace

absl::StatusOr<IRModule> UpdateConstants(const IRModule& module,
                                         const UpdateConstantsOptions& options,
                                         PassContext& context) {
  return Updates(module, options, context).Run();
}

}  // namespace tenon
