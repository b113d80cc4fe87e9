#include <fmt/format.h>

#include <algorithm>

#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "ir/opaque_calls.h"
#include "parser/forms_internal.h"
#include "parser/lexer.h"
#include "support/ascii.h"

// Calls of builtins, and of methods.

namespace tenon {

static bool CanFollowT(FormContext& p, std::string_view name) {
  const std::string_view first = name.substr(0, name.find('.'));
  if (FindTirName(first, p.env.dialect, p.env.context, p.env.name_arena)->form != TirForm::kOp)
    return false;
  while (true) {
    const size_t end = std::min(name.find('.'), name.size());
    const std::string_view word = name.substr(0, end);
    if (!ascii::IsIdentifier(word) || p.env.names.Find(word)->keyword != Tok::kName) return false;
    if (end == name.size()) return true;
    name.remove_prefix(end + 1);
  }
}

static bool CheckKnownOp(FormContext& p, const Op* op, SourceRange range) {
  if (op->kind != OpKind::kUnknown || IsOpaqueCall(*op)) return true;
  if (p.env.options.allow_unknown_ops) {
    if (CanFollowT(p, op->text)) return true;
    p.env.Error(DiagnosticKind::kUndefinedName, range,
                fmt::format("expected the name of a builtin (words separated by dots), found `{}`",
                            op->text));
    return false;
  }
  const std::string_view near = NearestTirName(op->text);
  p.env.Error(
      DiagnosticKind::kUndefinedName, range,
      near.empty()
          ? fmt::format("unknown builtin `tir.{}`; pass --allow-unknown-ops to keep calls to it",
                        op->text)
          : fmt::format("unknown builtin `tir.{}`; did you mean `tir.{}`?", op->text, near));
  return false;
}

static const Op* OpOfCall(FormContext& p, std::string_view name, SourceRange range) {
  const Op* op = FindOpaqueCall(name);
  if (op != nullptr) return op;
  for (const std::string_view prefix : {"tir.", "tirx."}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  op = MeaningOf(name, p.env.dialect);
  if (op == nullptr) op = p.env.context.OpNamed(name);
  return CheckKnownOp(p, op, range) ? op : nullptr;
}

static bool TakeDTypeKeyword(FormContext& p, const Args& args, std::optional<DataType>* dtype) {
  for (const PyKeyword& keyword : args.keywords) {
    if (keyword.name == "span") continue;
    if (keyword.name != "dtype") {
      p.env.Error(DiagnosticKind::kArguments, keyword.range,
                  fmt::format("`T.{}` has no argument `{}`", args.name, keyword.name));
      return false;
    }
    *dtype = p.values.ToDType(keyword.value);
    if (!*dtype) return false;
  }
  return true;
}

DataType ResultOf(const Op* op, Span<const Expr*> args) {
  const DataType first = args.empty() ? DataType::Void() : args[0]->dtype;
  switch (op->dtype_rule) {
    case DTypeRule::kNone:
      return DataType::Void();
    case DTypeRule::kArg0:
      return first;
    case DTypeRule::kArg1:
      return args.size() > 1 ? args[1]->dtype : DataType::Void();
    case DTypeRule::kBoolOfArg0:
      return DataType::Bool(first.lanes());
    case DTypeRule::kInt32OfArg0:
      return DataType::Int(32, first.lanes());
    case DTypeRule::kInt32:
      return DataType::Int(32);
    case DTypeRule::kHandle:
      return DataType::Handle();
    case DTypeRule::kBool:
      return DataType::Bool();
    case DTypeRule::kUInt64:
      return DataType::UInt(64);
  }
  return DataType::Void();
}

/// Whether the call is what `tirx` has for `T.round` of `tir`.
static bool IsRound(const FormContext& p, const Op* op, std::optional<DataType> dtype,
                    Span<const Expr*> args) {
  const bool calls = op->kind == OpKind::kCallPureExtern || op->kind == OpKind::kCallLLVMPureIntrin;
  if (!calls || !IsTirx(p.env.dialect) || !dtype || !dtype->is_floating()) return false;
  const auto* name = args.size() == 2 ? dyn_cast<StringImm>(args[0]) : nullptr;
  return name != nullptr && name->value == RoundFunctionOf(*dtype) && args[1]->dtype == *dtype &&
         (op->kind == OpKind::kCallLLVMPureIntrin) == name->value.starts_with("llvm.");
}

static bool CheckCount(FormContext& p, const Op* op, const Args& args, int count) {
  if (count >= op->min_args && (op->max_args < 0 || count <= op->max_args)) return true;
  const bool is_open = op->max_args < 0;
  p.env.Error(DiagnosticKind::kArguments, args.range,
              fmt::format("`T.{}` has {} arguments, expected {}{}", args.name, count,
                          is_open ? "at least " : "",
                          is_open || op->min_args == op->max_args
                              ? std::to_string(op->min_args)
                              : fmt::format("{} to {}", op->min_args, op->max_args)));
  return false;
}

PyValue CallBuiltin(FormContext& p, const TirName& name, Args& args) {
  const Op* op = name.op;
  std::optional<DataType> dtype;
  size_t first = 0;
  size_t last = args.positional.size();
  if (!TakeDTypeKeyword(p, args, &dtype)) return args.Error();
  const bool opaque = IsOpaqueCall(*op);
  const bool unknown = op->kind == OpKind::kUnknown && !opaque;
  if (op->dtype_place == DTypePlace::kNone && !unknown) dtype.reset();
  if (op->dtype_place != DTypePlace::kNone && !dtype) {
    if (first == last) {
      return p.env.Fail(DiagnosticKind::kArguments, args.range,
                        fmt::format("`T.{}` lacks its dtype", args.name));
    }
    dtype = p.values.ToDType(op->dtype_place == DTypePlace::kFirst ? args.positional[first++]
                                                                   : args.positional[--last]);
    if (!dtype) return args.Error();
  }
  if (dtype && dtype->is_handle() && op->dtype_place != DTypePlace::kNone) {
    p.env.RaiseDialect(Dialect::kV025);  // and `T.handle().ty` shows a newer release
  }
  // An unknown builtin keeps its dtype as an argument, as in the text.
  if (unknown && dtype) {
    const PyValue text =
        PyValue::Text(PyKind::kString, args.range, p.env.arena.Copy(dtype->ToString()));
    args.positional.insert(args.positional.begin(), text);
    ++last;
  } else if (unknown && first < last && args.positional[0].is(PyKind::kString) &&
             !args.positional[0].text().empty()) {
    dtype = p.env.DTypeOf(args.positional[0].text());
  }
  absl::InlinedVector<const Expr*, 8> exprs;
  for (size_t i = first; i < last; ++i) {
    exprs.push_back(p.values.ArgOf(args.positional[i]));
    if (exprs.back() == nullptr) return args.Error();
  }
  if (!CheckCount(p, op, args, static_cast<int>(exprs.size()))) return args.Error();
  const Span<const Expr*> list = p.env.Copy(exprs);
  if (IsRound(p, op, dtype, list)) {
    return PyValue::Of(args.range,
                       p.env.NewCall(*dtype, Op::Get(OpKind::kRound), list.subspan(1), args.range));
  }
  if (op->kind == OpKind::kBitwiseNot && !isa<IntImm>(list[0])) {
    p.env.RaiseDialect(Dialect::kV025);
  }
  if (opaque && !dtype) {
    dtype = ImpliedDType(*op, list);
    if (!dtype) {
      return p.env.Fail(
          DiagnosticKind::kArguments, args.range,
          fmt::format("`T.{0}` does not say its dtype; write `T.Call(dtype, \"tir.{0}\", [...])`",
                      args.name));
    }
  }
  return PyValue::Of(args.range,
                     p.env.NewCall(dtype ? *dtype : ResultOf(op, list), op, list, args.range));
}

PyValue CallIntrin(FormContext& p, const TirName&, Args& args) {
  // T.call_intrin("float32", "tir.exp", x)
  if (args.keywords.size() == 1 && args.keywords[0].name == "dtype") {
    args.positional.insert(args.positional.begin(), args.keywords[0].value);
    args.keywords.clear();
  }
  if (!args.keywords.empty() || args.positional.size() < 2) {
    return p.env.Fail(
        DiagnosticKind::kArguments, args.range,
        "arguments of `T.call_intrin`, expected a dtype, the name of a builtin, and its arguments");
  }
  const std::optional<DataType> dtype = p.values.ToDType(args.positional[0]);
  const std::optional<std::string_view> name = p.values.ToText(args.positional[1], "the operator");
  const Op* op = name ? OpOfCall(p, *name, args.positional[1].range) : nullptr;
  if (!dtype || op == nullptr) return args.Error();
  absl::InlinedVector<const Expr*, 8> exprs;
  for (size_t i = 2; i < args.positional.size(); ++i) {
    exprs.push_back(p.values.ArgOf(args.positional[i]));
    if (exprs.back() == nullptr) return args.Error();
  }
  return PyValue::Of(args.range, p.env.NewCall(*dtype, op, p.env.Copy(exprs), args.range));
}

PyValue CallGeneric(FormContext& p, const TirName&, Args& args) {
  // T.Call("float32", "tir.exp", [x])
  Bound<4> bound;
  Span<const Expr*> exprs;
  if (!p.env.Bind(args, {"dtype", "op", "args", "span"}, 3, bound)) return args.Error();
  const std::optional<DataType> dtype = p.values.ToDType(*bound[0]);
  const std::optional<std::string_view> op = p.values.ToText(*bound[1], "the operator");
  if (!dtype || !op || !p.values.ToExprs(*bound[2], "the list of arguments", &exprs))
    return args.Error();
  const Op* known = OpOfCall(p, *op, bound[1]->range);
  if (known == nullptr) return args.Error();
  return PyValue::Of(args.range, p.env.NewCall(*dtype, known, exprs, args.range));
}

PyValue CallPacked(FormContext& p, const TirName& name, Args& args) {
  for (PyValue& value : args.positional) {
    if (!value.is(PyKind::kBuffer)) continue;
    // A buffer is passed as a tensor on the stack.
    const Buffer* buffer = value.buffer;
    const auto shape_of = [&](Span<const Expr*> extents) {
      return p.env.NewCall(DataType::Handle(), Op::Get(OpKind::kTvmStackMakeShape), extents,
                           value.range);
    };
    const Expr* strides = buffer->strides.empty()
                              ? static_cast<const Expr*>(p.env.builder.Int(0, value.range))
                              : shape_of(buffer->strides);
    const Expr* packed = p.env.NewCall(
        DataType::Handle(), Op::Get(OpKind::kTvmStackMakeArray),
        p.env.builder.List<Expr>(
            {buffer->data, shape_of(buffer->shape), strides,
             p.env.builder.Int(static_cast<int64_t>(buffer->shape.size()), value.range),
             p.env.builder.Number(buffer->dtype.element(), 0, value.range), buffer->elem_offset}),
        value.range);
    value = PyValue::Of(value.range, packed);
  }
  return CallBuiltin(p, name, args);
}

// `A.vload([i], "float32x4")` reads four elements from i on, and a store of four writes them.
static bool WidenIndices(FormContext& p, const Buffer* buffer, const PyValue* dtype,
                         const PyValue* stored, Span<const Expr*>* indices) {
  DataType wanted = buffer->dtype;
  SourceRange range;
  if (dtype != nullptr && !dtype->is(PyKind::kNone)) {
    const std::optional<DataType> given = p.values.ToDType(*dtype);
    if (!given) return false;
    wanted = *given;
    range = dtype->range;
  } else if (stored != nullptr && !stored->is_number()) {
    const Expr* value = p.values.ToExpr(*stored);
    if (value == nullptr) return false;
    wanted = buffer->dtype.with_lanes(value->dtype.lanes());
    range = stored->range;
  }
  const int own = buffer->dtype.lanes();
  if (wanted == buffer->dtype || indices->empty() || !indices->back()->dtype.is_scalar())
    return true;
  if (wanted.element() != buffer->dtype.element() || own < 1 || wanted.lanes() % own != 0 ||
      wanted.lanes() < own) {
    p.env.Error(DiagnosticKind::kType, range,
                fmt::format("access of `{}` to `{}`, which has `{}`", wanted.ToString(),
                            buffer->name.view(), buffer->dtype.ToString()));
    return false;
  }
  absl::InlinedVector<const Expr*, 6> wide(indices->begin(), indices->end());
  const Expr* base = wide.back();
  wide.back() = p.env.builder.New<Ramp>(
      base->range, base, p.env.builder.Int(base->dtype, 1, base->range), wanted.lanes() / own);
  *indices = p.env.Copy(wide);
  return true;
}

static PyValue AccessPtr(FormContext& p, const Buffer* buffer, const Args& args) {
  Bound<5> bound;
  if (!p.env.Bind(args, {"access_mask", "ptr_type", "content_lanes", "offset", "extent"}, 1,
                  bound)) {
    return args.Error();
  }
  int64_t mask = 0;
  if (bound[0]->is(PyKind::kString)) {
    for (char c : bound[0]->text()) mask |= c == 'r' ? 1 : c == 'w' ? 2 : 4;
  } else {
    const std::optional<int64_t> number = p.values.ToInt(*bound[0], "the access mask");
    if (!number) return args.Error();
    mask = *number;
  }
  if (mask < 1 || mask > 3) {
    return p.env.Fail(DiagnosticKind::kArguments, bound[0]->range,
                      "access mask, expected \"r\", \"w\" or \"rw\", or 1 to 3", args.range);
  }
  const Expr* offset =
      bound[3] != nullptr ? p.values.ToExpr(*bound[3]) : p.env.builder.Int(0, args.range);
  if (offset == nullptr) return args.Error();
  const Expr* extent = nullptr;
  if (bound[4] != nullptr && !bound[4]->is(PyKind::kNone)) {
    extent = p.values.ToExpr(*bound[4]);
  } else {
    extent = p.env.builder.Int(1, args.range);
    std::string error;
    for (const Expr* dim : buffer->shape) {
      extent = Operator(p.env.builder, NodeKind::kMul, extent, dim, args.range, &error);
    }
    extent = Operator(p.env.builder, NodeKind::kSub, extent, offset, args.range, &error);
  }
  if (extent == nullptr) return args.Error();
  const Expr* carrier =
      p.env.NewCall(buffer->dtype, Op::Get(OpKind::kTypeAnnotation), {}, args.range);
  return PyValue::Of(args.range,
                     p.env.NewCall(DataType::Handle(), Op::Get(OpKind::kTvmAccessPtr),
                                   p.env.builder.List<Expr>({carrier, buffer->data, offset, extent,
                                                             p.env.builder.Int(mask, args.range)}),
                                   args.range));
}

PyValue CallMethod(FormContext& p, const PyMethod& method, const Args& args) {
  if (args.has_error) return args.Error();
  if (method.name == "astype") {
    Bound<1> bound;
    if (!p.env.Bind(args, {"dtype"}, 1, bound)) return args.Error();
    const std::optional<DataType> dtype = p.values.ToDType(*bound[0]);
    if (!dtype) return args.Error();
    return PyValue::Of(args.range, SmartCast(p.env.builder, *dtype, method.expr, args.range));
  }
  const Buffer* buffer = method.buffer;
  if (method.name == "scope") return PyValue::Text(PyKind::kString, args.range, buffer->scope());
  if (method.name == "view") return CallView(p, buffer, args);
  if (method.name == "access_ptr") return AccessPtr(p, buffer, args);
  const bool load = method.name == "vload";
  Bound<4> bound;
  const bool fits = load ? p.env.Bind(args, {"begin", "dtype", "predicate"}, 1, bound)
                         : p.env.Bind(args, {"begin", "value", "predicate"}, 2, bound);
  Span<const Expr*> indices;
  if (!fits || !p.values.ToExprs(*bound[0], "the index", &indices)) return args.Error();
  if (indices.size() != buffer->shape.size()) {
    return p.env.Fail(DiagnosticKind::kType, args.range,
                      fmt::format("wrong number of indices of `{}`: expected {}, found {}",
                                  buffer->name.view(), buffer->shape.size(), indices.size()));
  }
  for (const Expr* index : indices) {
    if (index->dtype.is_integer()) continue;
    return p.env.Fail(
        DiagnosticKind::kType, bound[0]->range,
        fmt::format("index is {}, expected an integer",
                    isa<StringImm>(index) ? "a string"
                                          : fmt::format("of dtype `{}`", index->dtype.ToString())),
        args.range);
  }
  const Expr* predicate = nullptr;
  if (bound[2] != nullptr && !bound[2]->is(PyKind::kNone)) {
    predicate = p.values.ToExpr(*bound[2]);
    if (predicate == nullptr) return args.Error();
  }
  if (!WidenIndices(p, buffer, load ? bound[1] : nullptr, load ? nullptr : bound[1], &indices)) {
    return args.Error();
  }
  auto* subscript = p.env.scratch->New<PySubscript>();
  subscript->buffer = buffer;
  subscript->indices = indices;
  subscript->range = args.range;
  if (load) {
    const Expr* plain = p.values.LoadOf(*subscript);
    if (plain == nullptr) return args.Error();
    return PyValue::Of(args.range, p.env.builder.New<BufferLoad>(args.range, plain->dtype, buffer,
                                                                 indices, predicate));
  }
  p.function.Store(*subscript, *bound[1], predicate, args.range);
  return PyValue(PyKind::kDone, args.range);
}

}  // namespace tenon
