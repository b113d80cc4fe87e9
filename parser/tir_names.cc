#include "parser/tir_names.h"

#include <algorithm>
#include <optional>

#include "ir/dialect.h"
#include "parser/names.h"
#include "support/nearest_name.h"

namespace tenon {

namespace {

constexpr TirName Form(std::string_view text, TirForm form) {
  return {text, form, {}, {}, nullptr};
}
constexpr TirName Binary(std::string_view text, TirForm form, NodeKind kind) {
  return {text, form, kind, {}, nullptr};
}

constexpr TirName kNames[] = {
    Form("handle", TirForm::kHandle),
    Binary("Add", TirForm::kRawBinary, NodeKind::kAdd),
    Binary("Sub", TirForm::kRawBinary, NodeKind::kSub),
    Binary("Mul", TirForm::kRawBinary, NodeKind::kMul),
    Binary("Div", TirForm::kRawBinary, NodeKind::kDiv),
    Binary("Mod", TirForm::kRawBinary, NodeKind::kMod),
    Binary("FloorDiv", TirForm::kRawBinary, NodeKind::kFloorDiv),
    Binary("FloorMod", TirForm::kRawBinary, NodeKind::kFloorMod),
    Binary("Min", TirForm::kRawBinary, NodeKind::kMin),
    Binary("Max", TirForm::kRawBinary, NodeKind::kMax),
    Binary("EQ", TirForm::kRawBinary, NodeKind::kEQ),
    Binary("NE", TirForm::kRawBinary, NodeKind::kNE),
    Binary("LT", TirForm::kRawBinary, NodeKind::kLT),
    Binary("LE", TirForm::kRawBinary, NodeKind::kLE),
    Binary("GT", TirForm::kRawBinary, NodeKind::kGT),
    Binary("GE", TirForm::kRawBinary, NodeKind::kGE),
    Binary("And", TirForm::kRawBinary, NodeKind::kAnd),
    Binary("Or", TirForm::kRawBinary, NodeKind::kOr),
    Binary("min", TirForm::kMatched, NodeKind::kMin),
    Binary("max", TirForm::kMatched, NodeKind::kMax),
    Binary("truncmod", TirForm::kMatched, NodeKind::kMod),
    Binary("truncdiv", TirForm::kMatched, NodeKind::kDiv),
    Binary("div", TirForm::kMatched, NodeKind::kDiv),
    Binary("floordiv", TirForm::kOperator, NodeKind::kFloorDiv),
    Binary("indexdiv", TirForm::kOperator, NodeKind::kFloorDiv),
    Binary("floormod", TirForm::kOperator, NodeKind::kFloorMod),
    Binary("indexmod", TirForm::kOperator, NodeKind::kFloorMod),
    Form("shift_left", TirForm::kBitwise),
    Form("shift_right", TirForm::kBitwise),
    Form("bitwise_and", TirForm::kBitwise),
    Form("bitwise_or", TirForm::kBitwise),
    Form("bitwise_xor", TirForm::kBitwise),
    Form("ceildiv", TirForm::kCeilDiv),
    Form("Not", TirForm::kNot),
    Form("Cast", TirForm::kCast),
    Form("cast", TirForm::kSmartCast),
    Form("Select", TirForm::kSelect),
    Form("if_then_else", TirForm::kIfThenElse),
    Form("Ramp", TirForm::kRamp),
    Form("ramp", TirForm::kRamp),
    Form("Broadcast", TirForm::kBroadcast),
    Form("broadcast", TirForm::kBroadcast),
    Form("Shuffle", TirForm::kShuffle),
    Form("Let", TirForm::kLet),
    Form("let", TirForm::kOldLet),
    Form("Call", TirForm::kCall),
    Form("call_intrin", TirForm::kCallIntrin),
    Form("abs", TirForm::kAbs),
    Form("fabs", TirForm::kAbs),
    Form("floor", TirForm::kRounding),
    Form("ceil", TirForm::kRounding),
    Form("round", TirForm::kRounding),
    Form("nearbyint", TirForm::kRounding),
    Form("trunc", TirForm::kRounding),
    Form("pow", TirForm::kPow),
    Form("power", TirForm::kPow),
    Form("isnan", TirForm::kIsNan),
    Form("isinf", TirForm::kIsInf),
    Form("isfinite", TirForm::kIsFinite),
    Form("call_packed", TirForm::kPacked),
    Form("call_cpacked", TirForm::kPacked),
    Form("call_trace_packed", TirForm::kPacked),
    Form("tvm_call_packed", TirForm::kPacked),
    Form("tvm_call_cpacked", TirForm::kPacked),
    Form("tvm_call_trace_packed", TirForm::kPacked),
    Form("min_value", TirForm::kMinValue),
    Form("max_value", TirForm::kMaxValue),
    Form("infinity", TirForm::kInfinity),
    Form("StringImm", TirForm::kStringImm),
    Form("llvm_lookup_intrinsic_id", TirForm::kStringImm),  // the name stands for its number
    Form("IntImm", TirForm::kIntImm),
    Form("FloatImm", TirForm::kFloatImm),
    Form("Any", TirForm::kAny),
    Form("comm_reducer", TirForm::kCommReducer),
    Form("reduce", TirForm::kReduce),
    Form("iter_var", TirForm::kIterVar),
    Form("Range", TirForm::kRange),
    Form("var", TirForm::kVar),
    Form("Var", TirForm::kVar),
    Form("buffer_var", TirForm::kHandle),
    Form("meta_var", TirForm::kMetaVar),
    Form("target", TirForm::kTarget),
    Form("Buffer", TirForm::kBuffer),
    Form("buffer_decl", TirForm::kBuffer),
    Form("decl_buffer", TirForm::kDeclBuffer),
    Form("match_buffer", TirForm::kMatchBuffer),
    Form("alloc_buffer", TirForm::kAllocBuffer),
    Form("sblock_alloc_buffer", TirForm::kAllocBuffer),
    Form("alloc_local", TirForm::kAllocStatement),
    Form("alloc_shared", TirForm::kAllocStatement),
    Form("alloc_scalar", TirForm::kAllocScalar),
    Form("local_scalar", TirForm::kAllocScalar),
    Form("shared_scalar", TirForm::kAllocScalar),
    Form("Ptr", TirForm::kPtr),
    Form("allocate", TirForm::kAllocate),
    Form("allocate_const", TirForm::kAllocateConst),
    Form("LetStmt", TirForm::kLetStmt),
    Form("attr", TirForm::kAttr),
    Form("Assert", TirForm::kAssert),
    Form("realize", TirForm::kRealize),
    Form("launch_thread", TirForm::kLaunchThread),
    Form("env_thread", TirForm::kEnvThread),
    Form("block", TirForm::kBlock),
    Form("sblock", TirForm::kBlock),
    Form("init", TirForm::kInit),
    Form("ProducerRealize", TirForm::kProducerRealize),
    Form("grid", TirForm::kGrid),
    Form("serial", TirForm::kSerial),
    Form("parallel", TirForm::kParallel),
    Form("vectorized", TirForm::kVectorized),
    Form("unroll", TirForm::kUnroll),
    Form("thread_binding", TirForm::kThreadBinding),
    Form("evaluate", TirForm::kEvaluate),
    Form("prefetch", TirForm::kPrefetch),
    Form("func_attr", TirForm::kFuncAttr),
    Form("where", TirForm::kWhere),
    Form("reads", TirForm::kReads),
    Form("writes", TirForm::kWrites),
    Form("block_attr", TirForm::kBlockAttr),
    Form("sblock_attr", TirForm::kBlockAttr),
    Form("axis", TirForm::kAxis),
    Form("buffer_store", TirForm::kBufferStore),
    Form("prim_func", TirForm::kPrimFunc),
    Form("macro", TirForm::kUnsupported),
    Form("inline", TirForm::kUnsupported),
    Form("index_map", TirForm::kIndexMap),
    Form("func_name", TirForm::kUnsupported),
    Form("func_ret", TirForm::kUnsupported),
};

constexpr std::string_view kOps[] = {
#define TENON_OP(Enumerator, text, place, rule, min_args, max_args, effect) text,
#include "ir/builtins.def"
#define TENON_OPAQUE_CALL(text, place, dtype) text,
#include "ir/opaque_calls.def"
};

}  // namespace

std::string_view NearestTirName(std::string_view text) {
  constexpr size_t kMostLength = 40;
  std::string_view nearest;
  if (text.size() > kMostLength) return nearest;
  size_t best = text.size() <= 4 ? 2 : 3;
  const auto consider = [&](std::string_view known) {
    const size_t gap = std::max(known.size(), text.size()) - std::min(known.size(), text.size());
    const size_t distance = gap >= best ? best : EditDistance(text, known, best);
    if (distance >= best) return;
    best = distance;
    nearest = known;
  };
  for (const TirName& known : kNames) consider(known.text);
  for (const std::string_view known : kOps) consider(known);
  return nearest;
}

const TirName* FindTirName(std::string_view text, Dialect dialect, Context& context, Arena& arena) {
  TirName* name = arena.New<TirName>();
  for (const TirName& known : kNames) {  // once a name and text
    if (known.text == text) *name = known;
  }
  if (name->text.empty()) {
    name->text = text;
    const std::optional<DataType> dtype =
        text == "boolean" ? DataType::Bool() : DataType::Parse(text);
    if (dtype) {
      name->form = TirForm::kDType;
      name->dtype = *dtype;
      return name;
    }
    name->form = TirForm::kOp;
  }
  name->text = text;
  if (name->form == TirForm::kOp || name->form == TirForm::kBitwise ||
      name->form == TirForm::kRounding || name->form == TirForm::kPacked) {
    const Op* other = MeaningOf(text, dialect);
    name->op = other != nullptr ? other : context.OpNamed(text);
  }
  return name;
}

}  // namespace tenon
