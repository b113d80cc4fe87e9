// Calls. Builtins become functions of <math.h>, macros of the runtime or operators. Names of
// functions that a body calls are found first, since no local variable may hide them.

#include <fmt/format.h>

#include <optional>
#include <set>

#include "ir/analysis/node_queries.h"
#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "ir/library_functions.h"
#include "ir/visitor.h"
#include "lowering/c/c_internal.h"
#include "lowering/entry/library_calls.h"

namespace tenon::c_lowering {

namespace {

/// Whether <math.h> or <string.h> declares the function.
bool IsDeclaredByHeaders(std::string_view name) {
  return IsMemoryFunction(name) || IsMathName(name);
}

/// A C string literal. Bytes other than printable ASCII are octal escapes; `?` is escaped because
/// of trigraphs.
std::string StringLiteral(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '?') {
      out += '\\';
      out += c;
    } else if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    }
  }
  return out + '"';
}

/// Whether text is `name->name`.
bool IsField(std::string_view text) {
  const size_t arrow = text.find("->");
  return arrow != std::string_view::npos &&
         text.substr(0, arrow).find_first_of(" ?+-") == std::string_view::npos &&
         text.substr(arrow + 2).find_first_of(" ?+-") == std::string_view::npos;
}

}  // namespace

Text FunctionEmitter::MathFunction(std::string_view name, const Call* call) {
  std::string args;
  int depth = 1;
  for (const Expr* arg : call->args) {
    Text text = Expression(arg);
    depth = std::max(depth, text.depth + 1);
    args += fmt::format("{}{}", args.empty() ? "" : ", ", text.text);
  }
  return {fmt::format("{}{}({})", name, call->dtype.bits() == 64 ? "" : "f", args),
          Binding::kPrimary, depth};
}

/// Rounding, magnitude and classification of integers; empty for other calls. The macros of
/// <math.h> that classify take floats only.
std::optional<Text> FunctionEmitter::IntegerMath(const Call* call) {
  const Expr* x = call->args[0];
  switch (call->op->kind) {
    case OpKind::kFloor:
    case OpKind::kCeil:
    case OpKind::kTrunc:
    case OpKind::kRound:
    case OpKind::kNearbyint:
    case OpKind::kRoundeven:
      return Expression(x);
    case OpKind::kIsnan:
    case OpKind::kIsinf:
    case OpKind::kIsfinite: {
      // The operand may call a function, which must run.
      const Text operand = Expression(x);
      const int known = call->op->kind == OpKind::kIsfinite ? 1 : 0;
      return Text{fmt::format("((void)({}), {})", operand.text, known), Binding::kPrimary,
                  operand.depth + 2};
    }
    case OpKind::kFabs: {
      if (!x->dtype.is_int()) return Expression(x);
      NodeBuilder builder(state_.module.context(), arena_);
      const SourceRange range = call->range;
      const Var* value = builder.NewVar("v", x->dtype, range);
      const Expr* zero = builder.Int(x->dtype, 0, range);
      const Expr* is_positive = builder.New<GE>(range, value, zero);
      const Expr* negated = builder.New<Sub>(range, zero, value);
      const Expr* size = builder.New<Select>(range, is_positive, value, negated);
      return Expression(builder.New<Let>(range, value, x, size));
    }
    default:
      return std::nullopt;
  }
}

Text FunctionEmitter::Math(const Call* call) {
  const OpKind kind = call->op->kind;
  if (call->args[0]->dtype.is_integer()) {
    if (std::optional<Text> text = IntegerMath(call)) return *std::move(text);
  }
  if (const std::string_view name = LibraryName(kind); !name.empty()) {
    if (!call->dtype.is_float())
      return Unsupported(call,
                         fmt::format("`{}` of dtype `{}`", call->op->text, call->dtype.ToString()));
    return MathFunction(name, call);
  }
  const bool wide = call->dtype.bits() == 64;
  const char* suffix = wide ? "" : "f";
  const auto number = [&](double value) { return FloatLiteral(value, call->dtype); };
  Text x = Widened(call->args[0]);
  const int depth = x.depth + 2;
  switch (kind) {
    case OpKind::kRsqrt:
      return {fmt::format("{} / sqrt{}({})", number(1), suffix, x.text), Binding::kMul, depth};
    case OpKind::kSigmoid:
      return {fmt::format("{0} / ({0} + exp{1}(-({2})))", number(1), suffix, x.text), Binding::kMul,
              depth};
    case OpKind::kExp10:
      return {fmt::format("pow{}({}, {})", suffix, number(10), x.text), Binding::kPrimary, depth};
    case OpKind::kLdexp: {
      const Text exponent = Expression(call->args[1]);
      return {fmt::format("ldexp{}({}, (int)({}))", suffix, x.text, exponent.text),
              Binding::kPrimary, depth};
    }
    case OpKind::kIsnan:
      return {fmt::format("isnan({}) != 0", x.text), Binding::kEqual, depth};
    case OpKind::kIsinf:
      return {fmt::format("isinf({}) != 0", x.text), Binding::kEqual, depth};
    case OpKind::kIsfinite:
      return {fmt::format("isfinite({}) != 0", x.text), Binding::kEqual, depth};
    default:
      return Unsupported(call, fmt::format("`{}`", call->op->text));
  }
}

Text FunctionEmitter::Shift(const Call* call, bool left) {
  const DataType dtype = call->dtype;
  Text x = Expression(call->args[0]);
  Text n = Expression(call->args[1]);
  const int depth = std::max(x.depth, n.depth) + 3;
  std::string amount = n.text;
  if (dtype.is_uint() || left) {
    amount = In(std::move(n), Binding::kUnary);
    // MISRA C 10.1: amounts of shifts are unsigned, or constants.
    if (!isa<IntImm>(call->args[1]) && call->args[1]->dtype.is_int() && dtype.is_scalar())
      amount = fmt::format("(uint32_t){}", amount);
  }
  if (dtype.is_uint()) {
    const std::string text =
        fmt::format("{} {} {}", In(std::move(x), Binding::kUnary), left ? "<<" : ">>", amount);
    if (dtype.bits() >= 32) return {text, Binding::kShift, depth};
    return {fmt::format("({})({})", CType(dtype), text), Binding::kUnary, depth};
  }
  const bool wide = dtype.bits() == 64;
  if (left) {
    return {fmt::format("({})(({}){} << {})", CType(dtype), wide ? "uint64_t" : "uint32_t",
                        In(std::move(x), Binding::kUnary), amount),
            Binding::kUnary, depth};
  }
  const std::string text =
      fmt::format("tenon_shr_{}({}, {})", wide ? "i64" : "i32", x.text, amount);
  if (dtype.bits() >= 32) return {text, Binding::kPrimary, depth};
  return {fmt::format("({}){}", CType(dtype), text), Binding::kUnary, depth};
}

Text FunctionEmitter::Bits(const Call* call) {
  const DataType dtype = call->dtype;
  const OpKind kind = call->op->kind;
  Text a = Expression(call->args[0]);
  if (kind == OpKind::kPopcount || kind == OpKind::kClz) {
    const DataType from = call->args[0]->dtype;
    const std::string bits =
        fmt::format("(uint64_t)({}){}", CType(DataType::UInt(std::max(8, from.bits()))),
                    In(a, Binding::kUnary));
    const std::string text = kind == OpKind::kPopcount
                                 ? fmt::format("tenon_popcount({})", bits)
                                 : fmt::format("tenon_clz({}, {})", bits, from.bits());
    return {fmt::format("({}){}", CType(dtype), text), Binding::kUnary, a.depth + 2};
  }
  if (kind == OpKind::kBitwiseNot) {
    const std::string inner = In(a, Binding::kUnary);
    if (dtype.is_bool())
      return {fmt::format("!{}", In(a, Binding::kPrimary)), Binding::kUnary, a.depth + 1};
    return {fmt::format("({})~{}", CType(dtype), inner), Binding::kUnary, a.depth + 1};
  }
  Text b = Expression(call->args[1]);
  const std::string_view op = kind == OpKind::kBitwiseAnd  ? "&"
                              : kind == OpKind::kBitwiseOr ? "|"
                                                           : "^";
  const int depth = std::max(a.depth, b.depth) + 1;
  const std::string text = fmt::format("{} {} {}", In(std::move(a), Binding::kUnary), op,
                                       In(std::move(b), Binding::kUnary));
  if (dtype.bits() >= 32) return {fmt::format("({})", text), Binding::kPrimary, depth};
  return {fmt::format("({})({})", CType(dtype), text), Binding::kUnary, depth};
}

Text FunctionEmitter::QMultiplyShift(const Call* call) {
  const bool per_axis = call->op->kind == OpKind::kQMultiplyShiftPerAxis;
  std::string args;
  int depth = 1;
  // The last argument of the per-axis form (is a right shift required) adds no information.
  const size_t count = per_axis ? 6 : 4;
  for (size_t i = 0; i < count; ++i) {
    Text text = Expression(call->args[i]);
    depth = std::max(depth, text.depth + 1);
    args += fmt::format("{}{}", i == 0 ? "" : ", ", text.text);
  }
  return {fmt::format("tenon_q_multiply_shift{}({})", per_axis ? "_per_axis" : "", args),
          Binding::kPrimary, depth};
}

Text FunctionEmitter::Reinterpret(const Call* call) {
  const DataType to = call->dtype;
  const DataType from = call->args[0]->dtype;
  Text x = Expression(call->args[0]);
  if (to.is_handle()) {
    if (IsConstInt(call->args[0], 0)) return {"NULL", Binding::kPrimary, 1};
    return {fmt::format("(void*)(uintptr_t)({})", x.text), Binding::kUnary, x.depth + 1};
  }
  if (CType(to) == CType(from)) return x;
  if (from == DataType::Float(32) || from == DataType::Float(64)) {
    return {fmt::format("({})tenon_{}_to_bits({})", CType(to), TypeSuffix(from), x.text),
            Binding::kUnary, x.depth + 1};
  }
  if (to == DataType::Float(32) || to == DataType::Float(64)) {
    return {fmt::format("tenon_bits_to_{}(({}){})", TypeSuffix(to),
                        to.bits() == 64 ? "uint64_t" : "uint32_t", In(x, Binding::kUnary)),
            Binding::kPrimary, x.depth + 1};
  }
  return {fmt::format("({}){}", CType(to), In(x, Binding::kUnary)), Binding::kUnary, x.depth + 1};
}

/// A dot product of two rows of memory. The runtime has functions for rows of 4 and of 16 elements.
Text FunctionEmitter::Dp4a(const Call* call) {
  const int lanes = call->args[0]->dtype.lanes();
  std::string name = lanes == 16 ? "tenon_dp16a" : "tenon_dp4a";
  std::vector<std::string> rows;
  for (const Expr* arg : call->args.first(2)) {
    const Ramp* ramp = RowOf(arg);
    if (ramp == nullptr) return Unsupported(call, "a `dp4a` of values (run lower-vectors)");
    const auto* load = cast<BufferLoad>(arg);
    name += load->dtype.is_int() ? "_s8" : "_u8";
    const Expr* first = ramp->base;
    rows.push_back("&" + Element(load->buffer, Span<const Expr*>(&first, 1), load->range));
  }
  const Text sum = Expression(call->args[2]);
  const bool is_signed = call->dtype.is_int();
  std::string text = is_signed ? sum.text : "(int32_t)" + In(sum, Binding::kUnary);
  const int calls = lanes == 16 ? 1 : lanes / 4;
  for (int i = 0; i < calls; ++i) {
    const std::string more = i == 0 ? "" : fmt::format(" + {}", 4 * i);
    text = fmt::format("{}({}{}, {}{}, {})", name, rows[0], more, rows[1], more, text);
  }
  const int depth = std::max(sum.depth, 2) + calls;
  if (is_signed) return {std::move(text), Binding::kPrimary, depth};
  return {"(uint32_t)" + text, Binding::kUnary, depth + 1};
}

Text FunctionEmitter::AddressOf(const Call* call) {
  if (call->op->kind == OpKind::kTvmAccessPtr) {
    const auto* carrier = dyn_cast<Call>(call->args[0]);
    const DataType element = carrier != nullptr ? carrier->dtype : DataType::UInt(8);
    const Text offset = Expression(call->args[2]);
    const Text data = Expression(call->args[1]);
    return {fmt::format("(({}*)({}) + ({}))", ElementType(element), data.text, offset.text),
            Binding::kPrimary, offset.depth + 2};
  }
  const auto* load = dyn_cast<BufferLoad>(call->args[0]);
  if (load == nullptr) return Unsupported(call, "the address of something other than an element");
  return {fmt::format("&{}", Element(load->buffer, load->indices, load->range)), Binding::kUnary,
          2};
}

std::string FunctionEmitter::PointerArgument(const Function& callee, size_t index, const Expr* arg,
                                             const std::string& text) {
  const Buffer* buffer = callee.func->buffers[index];
  const Type& type = *(buffer != nullptr ? buffer->data : callee.func->params[index])->type;
  const bool writes = state_.effects.Of(callee).params[index].writes;
  // The declaration already gives the pointer that type.
  const auto* var = dyn_cast<Var>(arg);
  if (var != nullptr && var->type->is_pointer() && type.is_pointer() &&
      ElementType(var->type->dtype) == ElementType(type.dtype) && !(writes && IsConst(var))) {
    return text;
  }
  const bool is_primary = text.find_first_of(" ?+-") == std::string::npos || IsField(text);
  return fmt::format("({}{}*){}", writes ? "" : "const ",
                     type.is_pointer() ? ElementType(type.dtype) : "void",
                     is_primary ? text : fmt::format("({})", text));
}

std::string ExternDeclaration::ToString() const {
  std::string text;
  for (const Param& param : params) {
    text +=
        fmt::format("{}{}{}", text.empty() ? "" : ", ", param.is_const ? "const " : "", param.type);
  }
  return fmt::format("{} {}({});", result, name, text.empty() ? "void" : text);
}

void FunctionEmitter::DeclareExtern(const Call* call, const CallSite& site) {
  const std::string name(site.name);
  if (IsDeclaredByHeaders(name)) return;
  // Entry functions call code that has its own header: it decompresses constants, or looks after a
  // file of constants.
  if (IsEntryFunction() &&
      (name == "tenon_lz4_decompress" || name == state_.prefix + "_ready_constants" ||
       name == state_.prefix + "_constants_result"))
    return;
  if (const std::string error = ExternNameError(state_.prefix, name); !error.empty())
    return state_.Error(call->range, error);
  if (IsKeywordOrMacro(name)) {
    return state_.Error(
        call->range,
        fmt::format(
            "C and C++ cannot call an external function of the name `{}`: it is a keyword, or "
            "a macro of their headers",
            name));
  }
  for (const auto& [symbol, own] : state_.function_names) {
    if (own != name) continue;
    return state_.Error(call->range,
                        fmt::format("cannot generate C for a call of the external function `{}`: a "
                                    "function of the module has that symbol",
                                    name));
  }
  const ArrayAttr* declared = state_.effects.Declaration(function_, site.name);
  ExternDeclaration now{name, call->dtype.is_void() ? "void" : CType(call->dtype), {}};
  for (size_t i = 0; i < site.args.size(); ++i) {
    const Expr* arg = site.args[i];
    ExternDeclaration::Param param{CType(arg->dtype)};
    if (isa<StringImm>(arg)) {
      param = {"char*", true};
    } else if (arg->dtype.is_handle()) {
      const ArgumentEffect effect = state_.effects.OfArgument(function_, site, i);
      const Var* root = roots_.RootOf(arg);
      param.is_const = (declared != nullptr && !effect.writes) || const_roots_.contains(root);
    }
    now.params.push_back(param);
  }
  const auto [found, is_new] = state_.extern_index.emplace(name, state_.externs.size());
  if (is_new) {
    state_.externs.push_back(std::move(now));
    return;
  }
  ExternDeclaration& known = state_.externs[found->second];
  bool same = known.result == now.result && known.params.size() == now.params.size();
  for (size_t i = 0; same && i < now.params.size(); ++i) {
    same = known.params[i].type == now.params[i].type;
    known.params[i].is_const |= now.params[i].is_const;
  }
  if (!same) {
    state_.Error(call->range,
                 fmt::format("cannot declare `{}` in C: an earlier call has other types, `{}`",
                             name, known.ToString()));
  }
}

Text FunctionEmitter::FunctionCall(const Call* call, const CallSite& site) {
  std::string args;
  int depth = 1;
  size_t count = site.args.size();
  // A null resource handle after the parameters of a function of the module has no counterpart in
  // C.
  if (site.callee != nullptr) count = std::min(count, site.callee->func->params.size());
  // The call of the model's entry has an argument on each line.
  const std::string_view line = IsEntryFunction() && site.callee != nullptr && count > 1
                                    ? std::string_view("\n      ")
                                    : std::string_view();
  for (size_t i = 0; i < count; ++i) {
    const Expr* arg = site.args[i];
    std::string text;
    if (const auto* string = dyn_cast<StringImm>(arg)) {
      text = StringLiteral(string->value);
    } else {
      Text value = Expression(arg);
      depth = std::max(depth, value.depth + 1);
      text = std::move(value.text);
      if (site.callee != nullptr && arg->dtype.is_handle())
        text = PointerArgument(*site.callee, i, arg, text);
    }
    args += fmt::format("{}{}{}", i == 0 ? "" : line.empty() ? ", " : ",", line, text);
  }
  if (site.callee != nullptr) {
    return {fmt::format("{}({})", state_.function_names.at(site.callee->name), args),
            Binding::kPrimary, depth};
  }
  if (call->op->kind == OpKind::kCallPacked || call->op->kind == OpKind::kCallCPacked) {
    return Unsupported(call,
                       fmt::format("a packed call of `{}`, which is not in the module", site.name));
  }
  DeclareExtern(call, site);
  return {fmt::format("{}({})", SanitizeName(site.name), args), Binding::kPrimary, depth};
}

Text FunctionEmitter::CallText(const Call* call) {
  if (const CallSite site = AsCallSite(state_.module, call); site.call != nullptr)
    return FunctionCall(call, site);
  switch (call->op->kind) {
    case OpKind::kIfThenElse:
      return Ternary(call->args[0], call->args[1], call->args[2]);
    case OpKind::kLikely:
      return Expression(call->args[0]);
    case OpKind::kShiftLeft:
    case OpKind::kShiftRight:
      return Shift(call, call->op->kind == OpKind::kShiftLeft);
    case OpKind::kBitwiseAnd:
    case OpKind::kBitwiseOr:
    case OpKind::kBitwiseXor:
    case OpKind::kBitwiseNot:
    case OpKind::kPopcount:
    case OpKind::kClz:
      return Bits(call);
    case OpKind::kQMultiplyShift:
    case OpKind::kQMultiplyShiftPerAxis:
      return QMultiplyShift(call);
    case OpKind::kDp4a:
      return Dp4a(call);
    case OpKind::kReinterpret:
      return Reinterpret(call);
    case OpKind::kAddressOf:
    case OpKind::kTvmAccessPtr:
      return AddressOf(call);
    case OpKind::kIsNullptr: {
      Text pointer = Expression(call->args[0]);
      return {fmt::format("{} == NULL", In(std::move(pointer), Binding::kShift)), Binding::kEqual,
              2};
    }
    case OpKind::kLargeUIntImm: {
      const std::optional<uint64_t> value = LargeUIntValue(call);
      if (!value) return Unsupported(call, "a large literal that is not constant");
      return {fmt::format("UINT64_C({})", *value), Binding::kPrimary, 1};
    }
    case OpKind::kUndef:
      return {"0", Binding::kPrimary, 1};
    case OpKind::kEntryField:
      return EntryField(call);
    case OpKind::kEntryData:
      return EntryData(call);
    case OpKind::kAtomicCas:
      return AtomicCall(call);
    case OpKind::kZstdDecompress:
      return ZstdCall(call);
    case OpKind::kUnknown:
      return Unsupported(call, fmt::format("`{}`, a builtin of another target", call->op->text));
    default:
      return call->args.empty() ? Unsupported(call, fmt::format("`{}`", call->op->text))
                                : Math(call);
  }
}

}  // namespace tenon::c_lowering
