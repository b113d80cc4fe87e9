#include <fmt/format.h>

#include <algorithm>

#include "ir/analysis/effects.h"
#include "ir/analysis/free_vars.h"
#include "ir/builtins.h"
#include "ir/verify_internal.h"

namespace tenon {

namespace verify_internal {

namespace {

using Constants = absl::flat_hash_map<const Var*, const AllocateConst*>;

/// A constant that a pointer may point into, or null.
const AllocateConst* ConstantAmong(const PointerTargets& targets, const Constants& constants) {
  for (const Var* root : targets.roots) {
    if (const auto found = constants.find(root); found != constants.end()) return found->second;
  }
  return nullptr;
}

/// True if a pointer certainly points into a constant.
bool AreConstants(const PointerTargets& targets, const Constants& constants) {
  return targets.is_known && std::all_of(targets.roots.begin(), targets.roots.end(),
                                         [&](const Var* root) { return constants.contains(root); });
}

}  // namespace

void FunctionVerifier::Error(DiagnosticKind rule, SourceRange range, std::string message) {
  diagnostics_.Error(rule, range, std::move(message));
}

void FunctionVerifier::Define(const Var* var, SourceRange at) {
  if (!live_.emplace(var, true).second) {
    Error(DiagnosticKind::kV03, at.valid() ? at : var->range,
          fmt::format("variable `{}` is defined twice", var->name.view()));
    live_[var] = true;
  }
}

void FunctionVerifier::CheckUse(const Var* var, SourceRange at) {
  const auto found = live_.find(var);
  if (found != live_.end() && found->second) return;
  if (found == live_.end() && IsFreeVar(var)) return;
  if (!reported_.insert(var).second) return;
  Diagnostic& error = diagnostics_.Error(
      DiagnosticKind::kV02, at.valid() ? at : var->range,
      found == live_.end()
          ? fmt::format("variable `{}` is used but never defined", var->name.view())
          : fmt::format("variable `{}` is used outside the scope of its definition",
                        var->name.view()));
  if (var->range.valid() && at.valid() && at != var->range) {
    Diagnostics::AddNote(error, var->range,
                         found == live_.end() ? "it is declared here" : "it is defined here");
  }
}

const AllocateConst* FunctionVerifier::ConstantBehind(const Var* pointer) {
  if (constants_.empty()) return nullptr;
  if (!roots_) roots_.emplace(*function_);
  const PointerTargets targets = roots_->TargetsOf(pointer);
  return AreConstants(targets, constants_) ? ConstantAmong(targets, constants_) : nullptr;
}

void FunctionVerifier::DefineBufferVars(const Buffer* buffer, bool with_data,
                                        absl::InlinedVector<const Var*, 4>& defined) {
  auto define = [&](const Expr* expr) {
    const auto* var = dyn_cast_or_null<Var>(expr);
    if (var == nullptr || live_.contains(var)) return;
    Define(var, buffer->range);
    defined.push_back(var);
  };
  if (with_data) define(buffer->data);
  for (const Expr* extent : buffer->shape) define(extent);
  for (const Expr* stride : buffer->strides) define(stride);
  define(buffer->elem_offset);
}

void FunctionVerifier::VisitBuffer(const Buffer* buffer) {
  CheckUse(buffer->data, place_.valid() ? place_ : buffer->range);
  if (!checked_buffers_.insert(buffer).second) return;
  const std::string_view name = buffer->name.view();
  if (!buffer->data->dtype.is_handle()) {
    Error(DiagnosticKind::kV18, buffer->range,
          fmt::format("data of buffer `{}` is not a pointer", name));
  }
  if (!buffer->strides.empty() && buffer->strides.size() != buffer->shape.size()) {
    Error(DiagnosticKind::kV18, buffer->range,
          fmt::format("buffer `{}` has {} strides for {} dimensions", name, buffer->strides.size(),
                      buffer->shape.size()));
  }
  const int32_t alignment = buffer->data_alignment;
  if (alignment <= 0 || (alignment & (alignment - 1)) != 0) {
    Error(DiagnosticKind::kV18, buffer->range,
          fmt::format("alignment {} of buffer `{}` is not a power of two", alignment, name));
  }
  CheckExtents(buffer->shape, buffer->dtype, buffer->range);
  for (const Expr* stride : buffer->strides) Visit(stride);
  Visit(buffer->elem_offset);
}

void FunctionVerifier::Run(const Function& function) {
  const PrimFunc& func = *function.func;
  function_ = &func;
  roots_.reset();
  live_.clear();
  checked_buffers_.clear();
  constants_.clear();
  reported_.clear();
  for (const Var* param : func.params) {
    if (live_.contains(param)) {
      Error(DiagnosticKind::kV20, param->range,
            fmt::format("parameter `{}` occurs twice in the signature", param->name.view()));
      continue;
    }
    Define(param, param->range);
  }
  absl::InlinedVector<const Var*, 4> defined;
  for (size_t i = 0; i < func.buffers.size(); ++i) {
    const Buffer* buffer = func.buffers[i];
    if (buffer == nullptr) continue;
    if (!func.params[i]->dtype.is_handle()) {
      Error(DiagnosticKind::kV20, func.params[i]->range,
            fmt::format("parameter `{}` has a buffer but is not a handle",
                        func.params[i]->name.view()));
    }
    DefineBufferVars(buffer, /*with_data=*/true, defined);
  }
  for (const Buffer* buffer : func.buffers) {
    if (buffer != nullptr) VisitBuffer(buffer);
  }
  Visit(func.attrs);
  Visit(func.body);
}

namespace {

/// The source range of an argument. A variable only has the range of its definition.
SourceRange PlaceOf(const Expr* arg, const CallSite& site) {
  return isa<Var>(arg) ? site.call->range : arg->range;
}

/// Checks the constants that a function passes on: V11 through calls, V25.
void VerifyPassedConstants(const IRModule& module, const ModuleEffects& effects,
                           const Function& function, Diagnostics& diagnostics) {
  const FunctionEffects& own = effects.Of(function);
  if (own.calls.empty()) return;
  Constants constants;
  Walk(function.func->body, [&](const Node* node) {
    if (const auto* allocate = dyn_cast<AllocateConst>(node))
      constants.emplace(allocate->buffer_var, allocate);
    return !isa<Expr>(node);
  });
  if (constants.empty()) return;
  const PointerRoots roots(*function.func);
  for (const CallSite& call : own.calls) {
    for (size_t i = 0; i < call.args.size(); ++i) {
      const Expr* arg = call.args[i];
      if (!arg->dtype.is_handle()) continue;
      const PointerTargets targets = roots.TargetsOf(arg);
      const AllocateConst* constant = ConstantAmong(targets, constants);
      if (constant == nullptr) continue;
      const std::string_view name = constant->buffer_var->name.view();
      const bool known = call.callee != nullptr ||
                         effects.Declaration(function, call.name) != nullptr ||
                         call.call->op->kind == OpKind::kCallPureExtern;
      if (!known) {
        diagnostics.Warning(DiagnosticKind::kV25, PlaceOf(arg, call),
                            fmt::format("constant `{}` is passed to `{}`, which is assumed to only "
                                        "read it; declare the function in `tenon.externs`",
                                        name, call.name));
      } else if (effects.OfArgument(function, call, i).writes && AreConstants(targets, constants)) {
        Diagnostic& error = diagnostics.Error(
            DiagnosticKind::kV11, PlaceOf(arg, call),
            fmt::format("constant `{}` is passed to `{}`, which writes to it", name, call.name));
        Diagnostics::AddNote(error, constant->range, "the constant is here");
      }
    }
  }
  (void)module;
}

}  // namespace

}  // namespace verify_internal

bool VerifyFunction(const IRModule& module, const Function& function, Diagnostics& diagnostics) {
  const size_t before = diagnostics.error_count();
  verify_internal::FunctionVerifier(module, diagnostics).Run(function);
  return diagnostics.error_count() == before;
}

bool VerifyModule(const IRModule& module, Diagnostics& diagnostics, ConstantFaults faults) {
  const size_t before = diagnostics.error_count();
  absl::flat_hash_map<std::string_view, const Function*> symbols;
  verify_internal::FunctionVerifier verifier(module, diagnostics, faults);
  for (const Function& function : module.functions()) {
    verifier.Run(function);
    const std::string_view symbol = function.global_symbol();
    if (symbol.empty()) continue;
    const auto [other, added] = symbols.emplace(symbol, &function);
    if (!added) {
      Diagnostic& error =
          diagnostics.Error(DiagnosticKind::kV21, function.func->range,
                            fmt::format("functions `{}` and `{}` have the same global symbol, `{}`",
                                        other->second->name.view(), function.name.view(), symbol));
      Diagnostics::AddNote(error, other->second->func->range, "the other function is here");
    }
  }
  if (verifier.met_constants() && diagnostics.error_count() == before) {
    const ModuleEffects effects(module);
    for (const Function& function : module.functions()) {
      verify_internal::VerifyPassedConstants(module, effects, function, diagnostics);
    }
  }
  return diagnostics.error_count() == before;
}

}  // namespace tenon
