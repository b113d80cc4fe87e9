// TIR of a generator becomes part of the program, so its effects must equal those of the body,
// because plans and `restrict` rely on them. Types are compared first, because effects of other
// parameters are meaningless.

#include "byoc/check_generated_tir.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "byoc/param_types.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/param_names.h"
#include "ir/analysis/pointers.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/function_interface.h"
#include "support/nearest_name.h"

namespace tenon {

namespace {

constexpr std::string_view kLetters =
    "expected `r`, `w`, `rw`, `o` (writes all of it), `c` (reads a constant) or nothing";

/// An argument of an external function.
struct ExternArgument {
  std::string_view name;
  size_t index = 0;
  std::string_view letters;
};

/// The letters for the effects of a body.
std::string_view LettersOf(const ArgumentEffect& effect) {
  if (effect.reads && effect.writes) return "rw";
  return effect.writes ? "w" : "r";
}

/// The module with the functions of a generator instead of the bodies.
IRModule WithTir(const IRModule& module, const std::vector<Function>& tir) {
  IRModule merged = module;
  for (const Function& function : tir) {
    if (merged.Find(function.name) != nullptr) {
      merged.Update(function);
    } else {
      merged.Add(function);
    }
  }
  return merged;
}

class TirChecker {
 public:
  TirChecker(const IRModule& module, std::string_view target, const std::vector<Function>& tir,
             const std::function<const ExternalCode&(Symbol)>& code_of, Diagnostics& diagnostics)
      : module_(module),
        target_(target),
        tir_(tir),
        code_of_(code_of),
        bodies_(module),
        effects_(WithTir(module, tir)),
        diagnostics_(diagnostics) {}

  bool Run(std::span<const ExternalFunction> functions) {
    for (const ExternalFunction& external : functions) {
      const Function* made = TirNamed(external.function.name);
      if (made == nullptr) continue;
      external_ = &external.function;
      if (!CheckTypes(*made) || !CheckCallsOf(*made) || !CheckParams(*made)) return false;
    }
    return true;
  }

 private:
  bool Fail(std::string_view message) {
    diagnostics_.Error(DiagnosticKind::kGeneratorEffects, external_->func->range,
                       fmt::format("the code generator of `{}` {}", target_, message));
    return false;
  }

  const Function* TirNamed(Symbol name) const {
    for (const Function& function : tir_) {
      if (function.name == name) return &function;
    }
    return nullptr;
  }

  /// Checks the declarations and calls of a function and of its callees.
  bool CheckCallsOf(const Function& function) {
    if (!seen_.insert(function.name).second) return true;
    if (!CheckLetters(function)) return false;
    const PointerRoots roots(*function.func);
    for (const CallSite& call : effects_.Of(function).calls) {
      const Function* callee = call.callee == nullptr ? nullptr : TirNamed(call.callee->name);
      if (callee != nullptr && !CheckCallsOf(*callee)) return false;
      if (call.callee == nullptr && !CheckExtern(function, call, roots)) return false;
    }
    return true;
  }

  bool CheckLetters(const Function& function) {
    const auto* externs = dyn_cast_or_null<MapAttr>(function.FindAttr(attr_key::kExterns));
    if (externs == nullptr) return true;
    for (const MapItem* item : externs->items) {
      const auto* list = dyn_cast<ArrayAttr>(item->value);
      for (size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
        const std::string_view letters = LettersAt(list, i);
        if (letters.find_first_not_of("rwoc") == std::string_view::npos) continue;
        return Fail(fmt::format("declares `{}` for argument {} of `{}`, {}", letters, i + 1,
                                *AsString(item->key), kLetters));
      }
    }
    return true;
  }

  bool CheckExtern(const Function& function, const CallSite& call, const PointerRoots& roots) {
    if (call.call->op->kind == OpKind::kCallPureExtern) return true;
    const ArrayAttr* declared = effects_.Declaration(function, call.name);
    if (declared != nullptr && declared->items.size() > call.args.size()) {
      return Fail(fmt::format("declares {} arguments of `{}` and calls it with {}",
                              declared->items.size(), call.name, call.args.size()));
    }
    for (size_t i = 0; i < call.args.size(); ++i) {
      const bool is_handle = call.args[i]->dtype.is_handle();
      const PointerTargets targets = is_handle ? roots.TargetsOf(call.args[i]) : PointerTargets{};
      const Var* root = targets.roots.empty() ? nullptr : targets.roots.front();
      if (declared == nullptr) {
        if (root != nullptr && !IsCalledByBodies(call.name)) return FailUndeclared(function, call);
        continue;
      }
      const std::string_view letters = LettersAt(declared, i);
      if (root != nullptr && letters.empty()) {
        return Fail(fmt::format("declares nothing for argument {} of `{}`, a pointer to `{}`; {}",
                                i + 1, call.name, root->name.view(), kLetters));
      }
      if (!is_handle && !letters.empty()) {
        return Fail(
            fmt::format("declares `{}` for argument {} of `{}`, which is a number; "
                        "expected nothing",
                        letters, i + 1, call.name));
      }
    }
    return true;
  }

  bool FailUndeclared(const Function& function, const CallSite& call) {
    std::vector<std::string_view> names;
    if (const auto* externs = dyn_cast_or_null<MapAttr>(function.FindAttr(attr_key::kExterns))) {
      for (const MapItem* item : externs->items) names.push_back(*AsString(item->key));
    }
    const std::string_view nearest = NearestName(call.name, names);
    return Fail(fmt::format(
        "calls `{}` and does not declare what that does to memory; expected it in `externs`{}",
        call.name, nearest.empty() ? "" : fmt::format(", which has `{}`", nearest)));
  }

  /// Whether the module's own functions call the extern: then it is also undeclared for the host.
  bool IsCalledByBodies(std::string_view name) const {
    for (const Function& function : module_.functions()) {
      for (const CallSite& call : bodies_.Of(function).calls) {
        if (call.callee == nullptr && call.name == name) return true;
      }
    }
    return false;
  }

  /// Compares the types of the new function's parameters with those of the body's parameters.
  bool CheckTypes(const Function& made) {
    const PrimFunc& own = *external_->func;
    const std::string_view name = external_->name.view();
    ParamTypes types(own, *made.func);
    for (size_t i = 0; i < own.params.size(); ++i) {
      const size_t index = IndexIn(made, i);
      if (types.AreSame(i, index)) continue;
      return Fail(fmt::format("gives the parameter `{}` of `{}` the type `{}`, expected `{}`",
                              ParamName(own, i), name, ParamTypeText(*made.func, index),
                              ParamTypeText(own, i)));
    }
    const ExternalCode& code = code_of_(external_->name);
    size_t at = NewParamIndex(own);
    for (const auto& [member, bytes] : {std::pair("workspace_bytes", code.workspace_bytes),
                                        std::pair("state_bytes", code.state_bytes)}) {
      if (bytes == 0) continue;
      const Buffer* buffer = made.func->buffers[at++];
      if (buffer == nullptr || BytesUpTo(*buffer).value_or(INT64_MAX) <= bytes) continue;
      return Fail(fmt::format(
          "gives `{}` the parameter `{}` with the type `{}`, expected at most "
          "the {} bytes of its `{}`",
          name, ParamName(*made.func, at - 1), ParamTypeText(*made.func, at - 1), bytes, member));
    }
    return CheckViews(made);
  }

  /// Checks that buffers in the memory of a parameter do not end after the parameter.
  bool CheckViews(const Function& made) {
    const std::optional<LongView> view = FindLongView(*made.func);
    if (!view) return true;
    return Fail(
        fmt::format("makes code of `{}` with a buffer `{}` that is longer than the "
                    "parameter `{}` in whose memory it lies, `{}`",
                    external_->name.view(), view->buffer->name.view(),
                    ParamName(*made.func, view->param), ParamTypeText(*made.func, view->param)));
  }

  /// Compares the effects of the new function on its parameters with those of the body.
  bool CheckParams(const Function& made) {
    const Function& own = *module_.Find(made.name);
    for (size_t i = 0; i < external_->func->params.size(); ++i) {
      const ArgumentEffect body = bodies_.Of(own).params[IndexIn(own, i)];
      const size_t index = IndexIn(made, i);
      const ArgumentEffect does = effects_.Of(made).params[index];
      const std::string_view param = ParamName(*external_->func, i);
      const std::string_view name = external_->name.view();
      if (does.writes == body.writes) continue;
      const std::optional<ExternArgument> blamed = ExternFor(made, index, does.writes);
      if (!blamed) {
        return Fail(fmt::format("makes code of `{}` that {} `{}`, and the body {} it", name,
                                does.writes ? "writes" : "does not write", param,
                                body.writes ? "writes" : "does not write"));
      }
      return Fail(fmt::format(
          "declares `{}` for argument {} of `{}`, and the body of `{}` {} that memory, `{}`; "
          "expected `{}`",
          blamed->letters, blamed->index + 1, blamed->name, name, Does(body), param,
          LettersOf(body)));
    }
    return true;
  }

  static std::string_view Does(const ArgumentEffect& effect) {
    if (effect.writes) return effect.reads ? "reads and writes" : "writes";
    return effect.reads ? "only reads" : "does not touch";
  }

  /// The index of parameter `index` in another form of the external function, which may have more
  /// parameters for memory.
  size_t IndexIn(const Function& function, size_t index) const {
    const size_t added = function.func->params.size() - external_->func->params.size();
    return index < NewParamIndex(*external_->func) ? index : index + added;
  }

  /// The first argument of an extern that a parameter reaches and that writes if `writes` is true,
  /// or does not write if it is false. Nullopt if the parameter reaches no such argument.
  std::optional<ExternArgument> ExternFor(const Function& function, size_t param,
                                          bool writes) const {
    const PrimFunc& func = *function.func;
    const PointerRoots roots(func);
    for (const CallSite& call : effects_.Of(function).calls) {
      for (size_t i = 0; i < call.args.size(); ++i) {
        if (!call.args[i]->dtype.is_handle()) continue;
        const PointerTargets targets = roots.TargetsOf(call.args[i]);
        const Buffer* buffer = func.buffers[param];
        if (!targets.Contains(func.params[param]) &&
            (buffer == nullptr || !targets.Contains(buffer->data)))
          continue;
        if (effects_.OfArgument(function, call, i).writes != writes) continue;
        if (call.callee == nullptr)
          return ExternArgument{call.name, i,
                                LettersAt(effects_.Declaration(function, call.name), i)};
        // Functions of operators never call themselves.
        const Function* callee = TirNamed(call.callee->name);
        if (callee == nullptr || callee->name == function.name) continue;
        if (std::optional<ExternArgument> found = ExternFor(*callee, i, writes)) return found;
      }
    }
    return std::nullopt;
  }

  static std::string_view LettersAt(const ArrayAttr* declared, size_t index) {
    if (declared == nullptr || index >= declared->items.size()) return {};
    const std::string_view* letters = AsString(declared->items[index]);
    return letters == nullptr ? std::string_view() : *letters;
  }

  const IRModule& module_;
  std::string_view target_;
  const std::vector<Function>& tir_;
  const std::function<const ExternalCode&(Symbol)>& code_of_;
  ModuleEffects bodies_;
  ModuleEffects effects_;
  Diagnostics& diagnostics_;
  const Function* external_ = nullptr;
  absl::flat_hash_set<Symbol> seen_;
};

}  // namespace

bool CheckGeneratedTir(const IRModule& module, std::string_view target,
                       std::span<const ExternalFunction> functions,
                       const std::vector<Function>& tir,
                       const std::function<const ExternalCode&(Symbol)>& code_of,
                       Diagnostics& diagnostics) {
  return TirChecker(module, target, tir, code_of, diagnostics).Run(functions);
}

}  // namespace tenon
