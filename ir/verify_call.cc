#include <fmt/format.h>

#include "ir/analysis/effects.h"
#include "ir/const_fold.h"
#include "ir/verify_internal.h"

namespace tenon::verify_internal {

void FunctionVerifier::CheckCallee(const Call* call) {
  const CallSite site = AsCallSite(module_, call);
  if (site.call == nullptr) {
    if (call->op->kind == OpKind::kCallExtern || call->op->kind == OpKind::kCallCPacked) {
      Error(
          DiagnosticKind::kV14, call->range,
          fmt::format("the first argument of `{}` is not the name of a function", call->op->text));
    }
    return;
  }
  if (site.callee == nullptr) {
    if (call->op->kind == OpKind::kGlobalCall) {
      Error(DiagnosticKind::kV14, call->range,
            fmt::format("the module has no function `{}`", site.name));
    }
    return;
  }
  const PrimFunc& callee = *site.callee->func;
  size_t given = site.args.size();
  // A packed or device call may hand over a resource handle behind the parameters.
  const bool by_name = call->op->kind != OpKind::kGlobalCall;
  if (by_name && given == callee.params.size() + 1 && site.args.back()->dtype.is_handle()) --given;
  if (given != callee.params.size()) {
    Diagnostic& error =
        diagnostics_.Error(DiagnosticKind::kV14, call->range,
                           fmt::format("`{}` is called with {} arguments, it has {} parameters",
                                       site.name, given, callee.params.size()));
    Diagnostics::AddNote(error, callee.range, "it is defined here");
    return;
  }
  for (size_t i = 0; i < given; ++i) {
    const DataType want = callee.params[i]->dtype;
    const DataType have = site.args[i]->dtype;
    if (want == have || (want.is_handle() && have.is_handle())) continue;
    Error(DiagnosticKind::kV14, site.args[i]->range,
          fmt::format("argument {} of `{}` has dtype `{}`, parameter `{}` is `{}`", i + 1,
                      site.name, have.ToString(), callee.params[i]->name.view(), want.ToString()));
  }
}

void FunctionVerifier::CheckShift(const Call* call) {
  if (call->args.size() != 2 || guards_ > 0) return;
  const auto* amount = dyn_cast_or_null<IntImm>(AsImmediate(call->args[1]));
  const int bits = call->args[0]->dtype.bits();
  if (amount != nullptr && (amount->value < 0 || amount->value >= bits)) {
    Error(DiagnosticKind::kV24, call->range,
          fmt::format("shift of `{}` by {}", call->args[0]->dtype.ToString(), amount->value));
  }
}

void FunctionVerifier::VisitCall(const Call* call) {
  const Op& op = *call->op;
  const auto count = static_cast<int64_t>(call->args.size());
  if (count < op.min_args || (op.max_args >= 0 && count > op.max_args)) {
    const std::string want = op.min_args == op.max_args ? fmt::format("{}", op.min_args)
                             : op.max_args < 0          ? fmt::format("{} or more", op.min_args)
                                               : fmt::format("{} to {}", op.min_args, op.max_args);
    Error(DiagnosticKind::kV14, call->range,
          fmt::format("`{}` has {} arguments, expected {}", op.text, count, want));
    return;
  }
  if (op.kind == OpKind::kShiftLeft || op.kind == OpKind::kShiftRight) CheckShift(call);
  CheckCallee(call);
  if (op.kind == OpKind::kIfThenElse) {
    CheckCondition(call->args[0], "if_then_else");
    if (call->args[1]->dtype != call->args[2]->dtype) {
      Error(DiagnosticKind::kV01, call->range,
            fmt::format("arms of if_then_else have dtypes `{}` and `{}`",
                        call->args[1]->dtype.ToString(), call->args[2]->dtype.ToString()));
    }
    Visit(call->args[0]);
    ++guards_;
    Visit(call->args[1]);
    Visit(call->args[2]);
    --guards_;
    return;
  }
  for (const Expr* arg : call->args) {
    if (isa<StringImm>(arg)) continue;
    Visit(arg);
  }
}

}  // namespace tenon::verify_internal
