#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "parser/forms_internal.h"

namespace tenon {

namespace {

PyValue Unsupported(FormContext& p, const TirName&, Args& args) {
  return p.env.Fail(DiagnosticKind::kUnsupported, args.range,
                    fmt::format("`T.{}` is not supported", args.name));
}

using F = TirForm;
constexpr size_t kForms = static_cast<size_t>(F::kUnsupported) + 1;

/// The function of each form.
constexpr std::array<FormFunction*, kForms> kFunctions = [] {
  std::array<FormFunction*, kForms> functions{};
  for (FormFunction*& function : functions) function = Unsupported;
  const auto set = [&](FormFunction* function, std::initializer_list<F> forms) {
    for (const F form : forms) functions[static_cast<size_t>(form)] = function;
  };
  set(CallBuiltin, {F::kOp});
  set(CallDType, {F::kDType});
  set(CallHandle, {F::kHandle, F::kPtr});
  set(CallBinary, {F::kRawBinary, F::kMatched, F::kOperator, F::kBitwise, F::kCeilDiv});
  set(CallCast, {F::kNot, F::kCast, F::kSmartCast});
  set(CallSelect, {F::kSelect, F::kIfThenElse});
  set(CallVector, {F::kRamp, F::kBroadcast});
  set(CallShuffle, {F::kShuffle});
  set(CallLet, {F::kLet, F::kOldLet});
  set(CallGeneric, {F::kCall});
  set(CallIntrin, {F::kCallIntrin});
  set(CallMath, {F::kAbs, F::kRounding, F::kPow, F::kIsNan, F::kIsInf, F::kIsFinite});
  set(CallPacked, {F::kPacked});
  set(CallLimit, {F::kMinValue, F::kMaxValue, F::kInfinity});
  set(CallIterVar, {F::kIterVar});
  set(CallRange, {F::kRange});
  set(CallReduce, {F::kReduce});
  set(CallTarget, {F::kTarget});
  set(CallImmediate, {F::kStringImm, F::kIntImm, F::kFloatImm, F::kAny, F::kMetaVar, F::kVar});
  set(CallBuffer, {F::kBuffer, F::kDeclBuffer});
  set(AllocBuffer, {F::kAllocBuffer});
  set(MatchBuffer, {F::kMatchBuffer});
  set(CallAllocation, {F::kAllocStatement});
  set(AllocScalar, {F::kAllocScalar});
  set(CallAllocate, {F::kAllocate});
  set(CallLetStmt, {F::kLetStmt});
  set(CallAttr, {F::kAttr});
  set(CallAssert, {F::kAssert});
  set(CallRealize, {F::kRealize});
  set(CallLaunchThread, {F::kLaunchThread});
  set(CallEnvThread, {F::kEnvThread});
  set(CallBlock, {F::kBlock});
  set(CallInit, {F::kInit});
  set(CallGrid, {F::kGrid});
  set(CallLoop, {F::kSerial, F::kParallel, F::kVectorized, F::kUnroll, F::kThreadBinding});
  set(CallEvaluate, {F::kEvaluate});
  set(CallPrefetch, {F::kPrefetch});
  set(CallFuncAttr, {F::kFuncAttr});
  set(BlockStatement, {F::kWhere, F::kReads, F::kWrites, F::kBlockAttr});
  set(CallBufferStore, {F::kBufferStore});
  return functions;
}();

/// Older texts state the type of a result, `T.if_then_else(c, a, b, dtype="int32")`. It follows
/// from the arguments, and TVM ignores it.
bool DropsDType(TirForm form) {
  switch (form) {
    case TirForm::kOperator:
    case TirForm::kBitwise:
    case TirForm::kCeilDiv:
    case TirForm::kIfThenElse:
    case TirForm::kAbs:
    case TirForm::kRounding:
    case TirForm::kPow:
    case TirForm::kIsNan:
    case TirForm::kIsInf:
    case TirForm::kIsFinite:
    case TirForm::kMatched:
      return true;
    default:
      return false;
  }
}
}  // namespace

PyValue CallForm(FormContext& p, const TirName& name, Args& args) {
  if (args.has_error) return args.Error();
  if (DropsDType(name.form)) {
    const auto is_dtype = [](const PyKeyword& word) { return word.name == "dtype"; };
    args.keywords.erase(std::remove_if(args.keywords.begin(), args.keywords.end(), is_dtype),
                        args.keywords.end());
  }
  return kFunctions[static_cast<size_t>(name.form)](p, name, args);
}

}  // namespace tenon
