// The table of the C library's functions, and the search for their calls.

#include "lowering/entry/library_calls.h"

#include <fmt/format.h>

#include <set>

#include "ir/analysis/effects.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

struct LibraryFunction {
  OpKind kind;
  std::string_view name;
};

/// Names of builtins of one to three arguments in the C library, without suffix.
constexpr LibraryFunction kLibrary[] = {
    {OpKind::kExp, "exp"},
    {OpKind::kExp2, "exp2"},
    {OpKind::kLog, "log"},
    {OpKind::kLog2, "log2"},
    {OpKind::kLog10, "log10"},
    {OpKind::kLog1p, "log1p"},
    {OpKind::kSqrt, "sqrt"},
    {OpKind::kTanh, "tanh"},
    {OpKind::kSin, "sin"},
    {OpKind::kCos, "cos"},
    {OpKind::kTan, "tan"},
    {OpKind::kSinh, "sinh"},
    {OpKind::kCosh, "cosh"},
    {OpKind::kAsin, "asin"},
    {OpKind::kAcos, "acos"},
    {OpKind::kAtan, "atan"},
    {OpKind::kAsinh, "asinh"},
    {OpKind::kAcosh, "acosh"},
    {OpKind::kAtanh, "atanh"},
    {OpKind::kAtan2, "atan2"},
    {OpKind::kHypot, "hypot"},
    {OpKind::kCopysign, "copysign"},
    {OpKind::kNextafter, "nextafter"},
    {OpKind::kPow, "pow"},
    {OpKind::kFmod, "fmod"},
    {OpKind::kErf, "erf"},
    {OpKind::kFloor, "floor"},
    {OpKind::kCeil, "ceil"},
    {OpKind::kTrunc, "trunc"},
    {OpKind::kRound, "round"},
    {OpKind::kNearbyint, "nearbyint"},
    {OpKind::kRoundeven, "nearbyint"},  // C99 has no function that ignores the rounding mode
    {OpKind::kFabs, "fabs"},
    {OpKind::kFma, "fma"},
};

}  // namespace

std::string_view LibraryName(OpKind kind) {
  for (const LibraryFunction& function : kLibrary) {
    if (function.kind == kind) return function.name;
  }
  return "";
}

bool IsMathName(std::string_view name) {
  for (const LibraryFunction& function : kLibrary) {
    if (name == function.name) return true;
    if (name.size() == function.name.size() + 1 && name.starts_with(function.name) &&
        name.back() == 'f')
      return true;
  }
  return false;
}

std::string LibraryCall(const Node* node) {
  const auto* expr = dyn_cast<Expr>(node);
  if (expr == nullptr || !expr->dtype.is_floating()) return {};
  std::string_view name;
  if (const auto* call = dyn_cast<Call>(expr)) {
    const OpKind kind = call->op->kind;
    name = kind == OpKind::kRsqrt     ? "sqrt"
           : kind == OpKind::kSigmoid ? "exp"
           : kind == OpKind::kExp10   ? "pow"
           : kind == OpKind::kLdexp   ? "ldexp"
                                      : LibraryName(kind);
  } else if (isa<FloorDiv>(expr)) {
    name = "floor";
  } else if (isa<Mod>(expr)) {
    name = "fmod";
  }
  if (name.empty()) return {};
  return fmt::format("{}{}", name, expr->dtype.bits() == 64 ? "" : "f");
}

std::vector<std::string> MathFunctions(const IRModule& module,
                                       const std::vector<const Function*>& functions) {
  std::set<std::string> names;
  for (const Function* function : functions) {
    Walk(function->func->body, [&](const Node* node) {
      names.insert(LibraryCall(node));
      // The runtime's tenon_floormod_f32 and tenon_floormod_f64.
      const auto* mod = dyn_cast<FloorMod>(node);
      if (mod != nullptr && mod->dtype.is_floating())
        names.insert(mod->dtype.bits() == 64 ? "floor" : "floorf");
      if (const auto* call = dyn_cast<Call>(node)) {
        const CallSite site = AsCallSite(module, call);
        if (site.call != nullptr && site.callee == nullptr && IsMathName(site.name))
          names.insert(std::string(site.name));
      }
      return true;
    });
  }
  for (const char* name : {"", "fabs", "fabsf", "copysign", "copysignf"}) names.erase(name);
  return {names.begin(), names.end()};
}

}  // namespace tenon
