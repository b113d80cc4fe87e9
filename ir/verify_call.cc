#include <fmt/format.h>

#include "ir/analysis/effects.h"
#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "ir/verify_internal.h"

namespace tenon::verify_internal {

namespace {

/// True for two vectors of four 8-bit integers, and a number of the result's dtype: 32 bits.
bool HasDotArguments(const Call* call) {
  const int lanes = call->args[0]->dtype.lanes();
  const auto is_row = [&](size_t arg) {
    const DataType dtype = call->args[arg]->dtype;
    return dtype.is_integer() && dtype.bits() == 8 && dtype.lanes() == lanes;
  };
  const bool has_size = lanes == 4 || lanes == 8 || lanes == 16;
  const bool is_word =
      call->dtype.is_integer() && call->dtype.bits() == 32 && call->dtype.is_scalar();
  return has_size && is_row(0) && is_row(1) && is_word && call->args[2]->dtype == call->dtype;
}

}  // namespace

void FunctionVerifier::CheckCallee(const Call* call) {
  const CallSite site = AsCallSite(module_, call);
  if (site.call == nullptr) {
    if (call->op->kind == OpKind::kCallExtern || call->op->kind == OpKind::kCallPureExtern ||
        call->op->kind == OpKind::kCallPacked || call->op->kind == OpKind::kCallCPacked) {
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
  // A packed or device call may pass a resource handle after the parameters.
  const bool by_name = call->op->kind != OpKind::kGlobalCall;
  if (by_name && given == callee.params.size() + 1 && site.args.back()->dtype.is_handle()) --given;
  if (given != callee.params.size()) {
    Diagnostic& error = diagnostics_.Error(
        DiagnosticKind::kV14, call->range,
        fmt::format("wrong number of arguments of `{0}`: expected {2}, found {1}", site.name, given,
                    callee.params.size()));
    Diagnostics::AddNote(error, callee.range, "it is defined here");
    return;
  }
  for (size_t i = 0; i < given; ++i) {
    const DataType want = callee.params[i]->dtype;
    const DataType have = site.args[i]->dtype;
    if (want == have || (want.is_handle() && have.is_handle())) continue;
    Error(DiagnosticKind::kV14, PlaceOf(site.args[i], call->range),
          fmt::format(
              "expected dtype `{4}` for argument {0} of `{1}` (parameter `{3}`), found `{2}`",
              i + 1, site.name, have.ToString(), callee.params[i]->name.view(), want.ToString()));
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

void FunctionVerifier::CheckNumbers(const Call* call) {
  const OpKind kind = call->op->kind;
  const bool numbers = IsMathematics(kind) || IsBitOperation(kind) ||
                       kind == OpKind::kQMultiplyShift || kind == OpKind::kQMultiplyShiftPerAxis;
  if (!numbers) return;
  for (const Expr* arg : call->args) {
    if (!arg->dtype.is_handle() && !arg->dtype.is_void()) continue;
    Error(DiagnosticKind::kV14, PlaceOf(arg, call->range),
          isa<StringImm>(arg)
              ? fmt::format("argument of `{}` is a string, expected a number", call->op->text)
              : fmt::format("argument of `{}` has dtype `{}`, expected a number", call->op->text,
                            arg->dtype.ToString()));
  }
}

void FunctionVerifier::CheckArguments(const Call* call) {
  const Expr* arg = call->args.empty() ? nullptr : call->args[0];
  if (call->op->kind == OpKind::kLookupParam && !isa<StringImm>(arg)) {
    Error(DiagnosticKind::kV14, PlaceOf(arg, call->range),
          "argument of `lookup_param`, expected the name of a parameter");
  } else if (call->op->kind == OpKind::kAddressOf && !isa<BufferLoad>(arg)) {
    Error(DiagnosticKind::kV14, PlaceOf(arg, call->range),
          "argument of `address_of`, expected an element of a buffer");
  } else if (call->op->kind == OpKind::kReinterpret && !call->dtype.is_handle() &&
             !arg->dtype.is_handle() && call->dtype.lanes() > 0 && arg->dtype.lanes() > 0 &&
             call->dtype.bits() * call->dtype.lanes() != arg->dtype.bits() * arg->dtype.lanes()) {
    Error(DiagnosticKind::kV14, call->range,
          fmt::format("`reinterpret` of `{}` as `{}`, expected as many bits", arg->dtype.ToString(),
                      call->dtype.ToString()));
  } else if (call->op->kind == OpKind::kDp4a && !HasDotArguments(call)) {
    Error(DiagnosticKind::kV14, call->range,
          fmt::format("`{}` of `{}`, `{}` and `{}`, expected two vectors of 4, 8 or 16 8-bit "
                      "integers, and an `{}` to add to",
                      call->op->text, call->args[0]->dtype.ToString(),
                      call->args[1]->dtype.ToString(), call->args[2]->dtype.ToString(),
                      call->dtype.is_uint() ? "uint32" : "int32"));
  }
}

void FunctionVerifier::CheckNode(const Call* call) {
  const AtPlace place(this, call->range);
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
  CheckNumbers(call);
  CheckArguments(call);
  if (op.kind == OpKind::kIfThenElse) {
    CheckCondition(call->args[0], "if_then_else", call->range);
    if (call->args[1]->dtype != call->args[2]->dtype) {
      Error(DiagnosticKind::kV01, call->range,
            fmt::format("expected arms of if_then_else of one dtype, found `{}` and `{}`",
                        call->args[1]->dtype.ToString(), call->args[2]->dtype.ToString()));
    }
    Visit(call->args[0]);
    ++guards_;
    Visit(call->args[1]);
    Visit(call->args[2]);
    --guards_;
    return;
  }
  if (op.kind == OpKind::kAddressOf) addressed_ = dyn_cast<BufferLoad>(call->args[0]);
  for (const Expr* arg : call->args) {
    if (isa<StringImm>(arg)) continue;
    Visit(arg);
  }
}

}  // namespace tenon::verify_internal
