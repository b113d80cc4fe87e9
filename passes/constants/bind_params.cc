// Every tensor of the file is checked and becomes a constant first; only then ReplaceParams
// rewrites all functions at once. A parameter that may be written cannot become a constant, so
// effects are asked for each.

#include "passes/constants/bind_params.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/entry_signature.h"
#include "ir/analysis/param_names.h"
#include "ir/analysis/pointers.h"
#include "ir/attributes.h"
#include "ir/constant_file.h"
#include "ir/extents.h"
#include "ir/visitor.h"
#include "passes/constants/lifted_params.h"
#include "support/safetensors.h"
#include "support/whole_number.h"

namespace tenon {

namespace {

std::string Message(const absl::Status& status) {
  return {status.message().data(), status.message().size()};
}

/// A parameter of a function.
struct Param {
  const Function* function = nullptr;
  size_t index = 0;
};

std::optional<Param> FindByName(const Function& function, std::string_view name) {
  for (size_t i = 0; i < function.func->params.size(); ++i) {
    if (ParamName(*function.func, i) == name) return Param{&function, i};
  }
  constexpr std::string_view kUnnamed = "arr_";
  if (name.starts_with(kUnnamed)) name.remove_prefix(kUnnamed.size());
  const std::optional<size_t> index = WholeNumber<size_t>(name);
  if (index && *index < function.func->params.size()) return Param{&function, *index};
  return std::nullopt;
}

/// A write, and the function that does it unless it is a store.
struct Writing {
  SourceRange range;
  std::string_view callee;

  std::string Text() const {
    return callee.empty() ? "it is written to here" : fmt::format("`{}` writes to it", callee);
  }
};

class Binder {
 public:
  Binder(const IRModule& module, const Function& function, const SafetensorsFile& file,
         std::string_view path, PassContext& context)
      : module_(module),
        function_(function),
        file_(file),
        path_(path),
        pass_(context),
        diagnostics_(context.diagnostics),
        effects_(module) {
    for (const Constant* constant : module.constants) taken_.insert(constant->name().view());
  }

  IRModule Run() {
    for (const SafetensorsEntry& entry : file_.entries()) {
      if (!IsSafetensorsPad(entry.name)) BindEntry(entry);
    }
    if (made_.empty()) return module_;
    IRModule result = ReplaceParams(module_, bound_);
    result.constants = Table();
    return result;
  }

 private:
  /// A new constant, and its index in the table; -1 for the end.
  struct Made {
    const Constant* constant;
    int64_t index;
  };

  std::optional<Param> Find(std::string_view name) const {
    if (const std::optional<Param> own = FindByName(function_, name)) return own;
    const size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const Function* other = module_.FindCallee(name.substr(0, dot));
    return other == nullptr ? std::nullopt : FindByName(*other, name.substr(dot + 1));
  }

  void BindEntry(const SafetensorsEntry& entry) {
    const std::string& name = entry.name;
    const std::optional<Param> param = Find(name);
    if (!param) {
      diagnostics_.Error(DiagnosticKind::kConstantFile, function_.func->range,
                         fmt::format("`{}` has no parameter `{}`, for which there is a value",
                                     function_.name.view(), name));
      return;
    }
    const PrimFunc& func = *param->function->func;
    std::vector<const Constant*>& bound = bound_[param->function->name];
    bound.resize(func.params.size());
    if (bound[param->index] != nullptr) {
      Error(*param, DiagnosticKind::kConstantFile, "has two values");
    } else if (IsReadOnly(*param)) {
      bound[param->index] = ReadValue(entry, *param);
    }
  }

  Diagnostic& Error(const Param& param, DiagnosticKind kind, std::string_view what) {
    const PrimFunc& func = *param.function->func;
    return diagnostics_.Error(kind, func.params[param.index]->range,
                              fmt::format("parameter `{}` {}", ParamName(func, param.index), what));
  }

  const Constant* ReadValue(const SafetensorsEntry& entry, const Param& param) {
    const PrimFunc& func = *param.function->func;
    const Var* var = func.params[param.index];
    const Buffer* buffer = func.buffers[param.index];
    DataType dtype;
    std::vector<int64_t> shape;
    if (buffer != nullptr) {
      dtype = buffer->dtype;
      std::optional<std::vector<int64_t>> compact = CompactShape(*buffer);
      if (!compact) {
        Error(param, DiagnosticKind::kConstantFile,
              "cannot become a constant: it has no constant shape, or strides or an offset");
        return nullptr;
      }
      shape = *std::move(compact);
    } else if (var->type->is_pointer() && var->type->dtype.is_scalar()) {
      dtype = var->type->dtype;
      shape = entry.shape;
    } else {
      Error(param, DiagnosticKind::kConstantFile, "cannot become a constant: it is not a tensor");
      return nullptr;
    }
    absl::StatusOr<ConstantSource> source = ReadConstant(file_, path_, entry.name, dtype, shape);
    if (!source.ok()) {
      Error(param, DiagnosticKind::kConstantFile, "has no value: " + Message(source.status()));
      return nullptr;
    }
    pass_.Count("bind-params.bound", 1);
    pass_.Count("bind-params.bytes", static_cast<int64_t>(source->bytes.size()));
    return NewConstant(param, dtype, std::move(shape), *std::move(source));
  }

  const Constant* NewConstant(const Param& param, DataType dtype, std::vector<int64_t> shape,
                              ConstantSource source) {
    const PrimFunc& func = *param.function->func;
    const std::string_view own = ParamName(func, param.index);
    const std::optional<LiftedNote> note = ReadLiftedNote(func, own);
    const bool is_named = note && !note->constant.empty();
    const ConstantPlacement placement = is_named ? note->placement : ConstantPlacement();
    const std::string_view base = is_named ? note->constant : own;
    const Constant* made =
        module_.context().AddConstant(UniqueName(base), dtype, std::move(shape), std::move(source),
                                      placement, func.params[param.index]->range);
    // A constant that was lifted from several functions without callers becomes one constant again.
    const Constant* twin = is_named ? Twin(base, *made) : nullptr;
    if (twin != nullptr) return twin;
    taken_.insert(made->name().view());
    made_.push_back({made, is_named ? std::max<int64_t>(note->index, 0) : -1});
    return made;
  }

  const Constant* Twin(std::string_view name, const Constant& constant) const {
    const auto is_twin = [&](const Constant& other) {
      return other.name().view() == name && other.placement() == constant.placement() &&
             SameContents(other, constant);
    };
    for (const Constant* other : module_.constants) {
      if (is_twin(*other)) return other;
    }
    for (const Made& other : made_) {
      if (is_twin(*other.constant)) return other.constant;
    }
    return nullptr;
  }

  Symbol UniqueName(std::string_view base) {
    for (int64_t number = 0;; ++number) {
      const Symbol name = module_.context().Intern(
          number == 0 ? std::string(base) : fmt::format("{}_{}", base, number));
      if (!taken_.contains(name.view())) return name;
    }
  }

  /// The table with the new constants: at their old indices, otherwise at the end.
  std::vector<const Constant*> Table() {
    std::vector<const Constant*> table = module_.constants;
    std::stable_sort(made_.begin(), made_.end(), [](const Made& a, const Made& b) {
      return static_cast<uint64_t>(a.index) < static_cast<uint64_t>(b.index);
    });
    for (const Made& made : made_) {
      const size_t at = std::min(table.size(), static_cast<size_t>(made.index));
      table.insert(table.begin() + static_cast<ptrdiff_t>(at), made.constant);
    }
    return table;
  }

  bool IsReadOnly(const Param& param) {
    const FunctionEffects& effects = effects_.Of(*param.function);
    if (DeclaredOutputs(*param.function->func) &&
        OutputParams(*param.function->func, effects)[param.index]) {
      Error(param, DiagnosticKind::kPass, "cannot become a constant: it is an output");
      return false;
    }
    if (!effects.params[param.index].writes) return true;
    const std::optional<Writing> writing = FindWriting(param);
    // Undeclared externs are assumed to only read constants.
    if (!writing && effects.calls_undeclared) return true;
    Diagnostic& error =
        Error(param, DiagnosticKind::kV11, "cannot become a constant: it is written to");
    if (writing) Diagnostics::AddNote(error, writing->range, writing->Text());
    return false;
  }

  std::optional<Writing> FindWriting(const Param& param) const {
    const PrimFunc& func = *param.function->func;
    const PointerRoots roots(func);
    const Buffer* buffer = func.buffers[param.index];
    const auto is_param = [&](const Expr* pointer) {
      const PointerTargets targets = roots.TargetsOf(pointer);
      return targets.Contains(func.params[param.index]) ||
             (buffer != nullptr && targets.Contains(buffer->data));
    };
    std::optional<Writing> found;
    Walk(func.body, [&](const Node* node) {
      if (found) return false;
      const auto* store = dyn_cast<BufferStore>(node);
      if (store != nullptr && is_param(store->buffer->data)) found = Writing{store->range, {}};
      const auto* call = dyn_cast<Call>(node);
      const CallSite site = call == nullptr ? CallSite{} : AsCallSite(module_, call);
      for (size_t i = 0; site.call != nullptr && i < site.args.size(); ++i) {
        const bool known =
            site.callee != nullptr || effects_.Declaration(*param.function, site.name) != nullptr;
        if (known && site.args[i]->dtype.is_handle() && is_param(site.args[i]) &&
            effects_.OfArgument(*param.function, site, i).writes)
          found = Writing{call->range, site.name};
      }
      return true;
    });
    return found;
  }

  const IRModule& module_;
  const Function& function_;
  const SafetensorsFile& file_;
  const std::string_view path_;
  PassContext& pass_;
  Diagnostics& diagnostics_;
  const ModuleEffects effects_;
  BoundParams bound_;
  std::vector<Made> made_;
  absl::flat_hash_set<std::string_view> taken_;
};

const Function* FindFunction(const IRModule& module, const BindParamsOptions& options,
                             Diagnostics& diagnostics) {
  const Function* function =
      options.function.empty() ? module.Main() : module.FindCallee(options.function);
  if (function == nullptr) {
    diagnostics.Error(
        DiagnosticKind::kPass, {},
        options.function.empty()
            ? std::string("the module has no entry function: expected `__tvm_main__`, `main` or a "
                          "single function; or name one by `function=`")
            : fmt::format("the module has no function `{}`", options.function));
  }
  return function;
}

}  // namespace

absl::StatusOr<IRModule> BindParams(const IRModule& module, const BindParamsOptions& options,
                                    PassContext& context) {
  const Function* function = FindFunction(module, options, context.diagnostics);
  if (function == nullptr) return module;
  const absl::StatusOr<SafetensorsFile> file = ReadSafetensors(options.file);
  if (!file.ok()) {
    context.diagnostics.Error(DiagnosticKind::kConstantFile, {}, Message(file.status()));
    return module;
  }
  const size_t errors = context.diagnostics.error_count();
  context.changes_interface = true;
  IRModule result = Binder(module, *function, *file, options.file, context).Run();
  return context.diagnostics.error_count() == errors ? result : module;
}

}  // namespace tenon
