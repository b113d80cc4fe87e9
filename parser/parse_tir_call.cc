#include <fmt/format.h>

#include <algorithm>

#include "parser/parser_internal.h"

namespace tenon {

namespace {

/// Older texts say the type of a result, `T.if_then_else(c, a, b, dtype="int32")`; it follows from
/// the arguments, and TVM does not look at it.
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

PyValue Parser::CallTir(const TirName& name, Args& args) {
  // The forms up to the buffers take values and give one.
  if (name.form >= TirForm::kBuffer) {
    if (args.has_error) return PyValue(PyKind::kError, args.range);
    const bool is_statement = name.form == TirForm::kAllocStatement ||
                              (name.text == "alloc_buffer" && rules_->has_flat_scopes);
    if (is_statement) return CallAllocation(name, args);
    if (name.form == TirForm::kAllocScalar) return AllocScalar(name, args);
    if (name.form <= TirForm::kPtr) return CallBuffer(name, args);
    if (name.form <= TirForm::kProducerRealize) return CallScope(name, args);
    if (name.form <= TirForm::kThreadBinding) return LoopOf(name, args);
    return CallStatement(name, args);
  }
  if (DropsDType(name.form)) {
    const auto is_dtype = [](const PyKeyword& word) { return word.name == "dtype"; };
    args.keywords.erase(std::remove_if(args.keywords.begin(), args.keywords.end(), is_dtype),
                        args.keywords.end());
  }
  switch (name.form) {
    case TirForm::kOp:
      return CallOp(name.op, args);
    case TirForm::kDType:
      return CallDType(name, args);
    case TirForm::kRawBinary:
    case TirForm::kMatched:
    case TirForm::kOperator:
    case TirForm::kBitwise:
    case TirForm::kCeilDiv:
      return CallBinary(name, args);
    default:
      return args.has_error ? PyValue(PyKind::kError, args.range) : CallForm(name, args);
  }
}

PyValue Parser::CallForm(const TirName& name, Args& args) {
  switch (name.form) {
    case TirForm::kHandle:
      return CallHandle(args);
    case TirForm::kNot:
    case TirForm::kCast:
    case TirForm::kSmartCast:
      return CallCast(name, args);
    case TirForm::kSelect:
    case TirForm::kIfThenElse:
      return CallSelect(name, args);
    case TirForm::kRamp:
    case TirForm::kBroadcast:
      return CallVector(name, args);
    case TirForm::kShuffle:
      return CallShuffle(args);
    case TirForm::kLet:
    case TirForm::kOldLet:
      return CallLet(name, args);
    case TirForm::kCall:
      return CallGeneric(args);
    case TirForm::kCallIntrin:
      return CallIntrin(args);
    case TirForm::kAbs:
    case TirForm::kRounding:
    case TirForm::kPow:
    case TirForm::kIsNan:
    case TirForm::kIsInf:
    case TirForm::kIsFinite:
      return CallMath(name, args);
    case TirForm::kPacked:
      return CallPacked(name, args);
    case TirForm::kMinValue:
    case TirForm::kMaxValue:
    case TirForm::kInfinity:
      return CallLimit(name, args);
    case TirForm::kIterVar:
      return CallIterVar(args);
    case TirForm::kRange:
      return CallRange(args);
    case TirForm::kReduce:
      return CallReduce(args);
    case TirForm::kTarget:
      return CallTarget(args);
    default:
      return CallImmediate(name, args);
  }
}

PyValue Parser::FreshVar(DataType dtype, const Type* type, SourceRange range, bool size_var) {
  Var* var = arena_.New<Var>(Symbol(), type != nullptr ? type : PrimTypeOf(dtype));
  var->range = range;
  if (size_var) var->flags |= Var::kSizeVar;
  PyValue value(PyKind::kFreshVar, range);
  value.expr = var;
  return value;
}

PyValue Parser::CallDType(const TirName& name, const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<2> bound;
  if (!Bind(args, {"expr", "is_size_var"}, 0, bound)) return error;
  if (bound[0] == nullptr || bound[0]->is(PyKind::kNone)) {
    const bool size_var = bound[1] != nullptr && bound[1]->is(PyKind::kBool) && bound[1]->integer;
    return FreshVar(name.dtype, nullptr, args.range, size_var);
  }
  const PyValue& value = *bound[0];
  const DataType element = name.dtype.element();
  if (value.is(PyKind::kString)) {
    const std::optional<double> real = RealOfText(value);
    if (!real) return error;
    PyValue number = PyValue::Float(args.range, *real);
    if (!element.is_floating()) {
      Error(DiagnosticKind::kType, args.range,
            fmt::format("expected a value of dtype `{}`, found a string", name.dtype.ToString()));
      return error;
    }
    return PyValue::Of(args.range, Splat(NumberOf(number, element), name.dtype));
  }
  if (!value.is_number()) {
    const Expr* expr = ToExpr(value);
    if (expr == nullptr) return error;
    return PyValue::Of(args.range, SmartCast(builder_, name.dtype, expr, args.range));
  }
  PyValue number = value;
  NoteFloatText(value, element);
  // Up to 0.17 the printer wrote a negative zero as `-0`.
  if (element.is_floating() && value.is(PyKind::kInt) && value.integer == 0 &&
      context_.sources().Text(value.range) == "-0") {
    number = PyValue::Float(args.range, -0.0);
  }
  if (element.is_bool())
    number.integer = number.is(PyKind::kFloat) ? number.real != 0 : number.integer != 0;
  if (element.is_bool() && !number.is(PyKind::kInt)) number.kind = PyKind::kInt;
  if (value.is(PyKind::kFloat) && element.is_integer() && !element.is_bool()) {
    const Expr* real = builder_.New<FloatImm>(args.range, DataType::Float(64), value.real);
    return PyValue::Of(args.range, SmartCast(builder_, name.dtype, real, args.range));
  }
  const Expr* imm = NumberOf(number, element);
  if (imm == nullptr) {
    Error(DiagnosticKind::kType, args.range,
          fmt::format("expected a value of dtype `{1}`, found {0}", Describe(value),
                      name.dtype.ToString()));
    return error;
  }
  const_cast<Expr*>(imm)->range = args.range;
  return PyValue::Of(args.range, Splat(imm, name.dtype));
}

const Expr* Parser::Splat(const Expr* scalar, DataType dtype) {
  return dtype.is_scalar() ? scalar : builder_.New<Broadcast>(scalar->range, scalar, dtype.lanes());
}

void Parser::NoteFloatText(const PyValue& value, DataType element) {
  // `T.float32(1.0)`: up to 0.17 the printer wrote `T.float32(1)`.
  if (!value.is(PyKind::kFloat) || !element.is_floating()) return;
  const std::string_view text = context_.sources().Text(value.range);
  if (text.ends_with(".0")) module_.dialect = std::max(module_.dialect, Dialect::kV018);
}

PyValue Parser::CallHandle(const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<3> bound;
  if (!Bind(args, {"dtype", "storage_scope", "is_size_var"}, 0, bound)) return error;
  if (bound[0] == nullptr || bound[0]->is(PyKind::kNone)) {
    return FreshVar(DataType::Handle(), nullptr, args.range, false);
  }
  const std::optional<DataType> dtype = ToDType(*bound[0]);
  if (!dtype) return error;
  std::string_view scope;
  if (bound[1] != nullptr) {
    const std::optional<std::string_view> text = ToText(*bound[1], "the storage scope");
    if (!text) return error;
    scope = *text;
  }
  return FreshVar(DataType::Handle(), context_.PointerType(*dtype, scope), args.range, false);
}

PyValue Parser::CallBinary(const TirName& name, const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<3> bound;
  if (!Bind(args, {"a", "b", "span"}, 2, bound)) return error;
  if (name.form == TirForm::kBitwise) {
    return Bitwise(name.op, *bound[0], *bound[1], args.range, /*fold=*/false);
  }
  const Expr* a = ToExpr(*bound[0]);
  const Expr* b = ToExpr(*bound[1]);
  if (a == nullptr || b == nullptr || !CheckNoString(*bound[0], a) ||
      !CheckNoString(*bound[1], b)) {
    return error;
  }
  const bool logical = name.kind == NodeKind::kAnd || name.kind == NodeKind::kOr;
  if (name.form == TirForm::kRawBinary) {
    if (a->dtype != b->dtype || a->dtype.is_void() || (logical && !a->dtype.is_bool())) {
      Error(
          DiagnosticKind::kType, args.range,
          fmt::format("operands of `T.{}` have dtypes `{}` and `{}`, expected {}", args.name,
                      a->dtype.ToString(), b->dtype.ToString(), logical ? "bool" : "equal dtypes"));
      return error;
    }
    return PyValue::Of(args.range, MakeBinary(builder_, name.kind, a, b, args.range));
  }
  std::string message;
  const Expr* result = nullptr;
  if (name.form == TirForm::kCeilDiv) {
    const Expr* sum = Operator(builder_, NodeKind::kAdd, a, b, args.range, &message);
    const Expr* one = builder_.Int(1, args.range);
    if (sum != nullptr) sum = Operator(builder_, NodeKind::kSub, sum, one, args.range, &message);
    if (sum != nullptr) {
      result = Operator(builder_, NodeKind::kFloorDiv, sum, b, args.range, &message);
    }
  } else if (name.form == TirForm::kOperator) {
    result = Operator(builder_, name.kind, a, b, args.range, &message);
  } else if (std::optional<std::string> mismatch = MatchTypes(builder_, &a, &b)) {
    message = *std::move(mismatch);
  } else {
    result = MakeBinary(builder_, name.kind, a, b, args.range);
  }
  if (result == nullptr) Error(DiagnosticKind::kType, args.range, std::move(message));
  return PyValue::Of(args.range, result);
}

PyValue Parser::CallCast(const TirName& name, const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<3> bound;
  if (name.form == TirForm::kNot) {
    const Expr* a = Bind(args, {"a", "span"}, 1, bound) ? ToExpr(*bound[0]) : nullptr;
    if (a == nullptr) return error;
    if (!a->dtype.is_bool()) {
      Error(DiagnosticKind::kType, args.range,
            fmt::format("operand of `T.Not` has dtype `{}`, expected bool", a->dtype.ToString()));
      return error;
    }
    return PyValue::Of(args.range, static_cast<const Expr*>(builder_.New<Not>(args.range, a)));
  }
  const bool raw = name.form == TirForm::kCast;
  const bool fits = raw ? Bind(args, {"dtype", "value", "span"}, 2, bound)
                        : Bind(args, {"value", "dtype", "span"}, 2, bound);
  if (!fits) return error;
  const std::optional<DataType> dtype = ToDType(*bound[raw ? 0 : 1]);
  const Expr* value = ToExpr(*bound[raw ? 1 : 0]);
  if (!dtype || value == nullptr) return error;
  if (dtype->is_void() || isa<StringImm>(value)) {
    Error(DiagnosticKind::kType, bound[raw == dtype->is_void() ? 0 : 1]->range,
          dtype->is_void() ? "cast to `void`" : "cast of a string, expected a number");
    return error;
  }
  if (raw) {
    return PyValue::Of(args.range,
                       static_cast<const Expr*>(builder_.New<Cast>(args.range, *dtype, value)));
  }
  return PyValue::Of(args.range, SmartCast(builder_, *dtype, value, args.range));
}

PyValue Parser::CallSelect(const TirName& name, const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<4> bound;
  if (!Bind(args, {"condition", "true_value", "false_value", "span"}, 3, bound)) return error;
  const Expr* condition = ToExpr(*bound[0]);
  const Expr* a = ToExpr(*bound[1]);
  const Expr* b = ToExpr(*bound[2]);
  if (condition == nullptr || a == nullptr || b == nullptr) return error;
  if (!condition->dtype.is_bool()) {
    Error(DiagnosticKind::kType, bound[0]->range,
          fmt::format("the condition has dtype `{}`, expected bool", condition->dtype.ToString()));
    return error;
  }
  if (name.form == TirForm::kIfThenElse) {
    if (std::optional<std::string> mismatch = MatchTypes(builder_, &a, &b)) {
      Error(DiagnosticKind::kType, args.range, *std::move(mismatch));
      return error;
    }
    return PyValue::Of(args.range, NewCall(a->dtype, Op::Get(OpKind::kIfThenElse),
                                           builder_.List<Expr>({condition, a, b}), args.range));
  }
  const int lanes = condition->dtype.lanes();
  if (a->dtype != b->dtype || (lanes != 1 && lanes != a->dtype.lanes())) {
    Error(DiagnosticKind::kType, args.range,
          fmt::format("`T.Select` of `{}` and `{}` by `{}`, expected equal dtypes and lanes",
                      a->dtype.ToString(), b->dtype.ToString(), condition->dtype.ToString()));
    return error;
  }
  return PyValue::Of(args.range,
                     static_cast<const Expr*>(builder_.New<Select>(args.range, condition, a, b)));
}

std::optional<int> Parser::ToLanes(const PyValue& value) {
  // `T.vscale() * 4`
  if (value.is(PyKind::kExpr)) {
    const auto* product = dyn_cast<Mul>(value.expr);
    const Expr* scale = product == nullptr ? value.expr : product->a;
    const Expr* factor = product == nullptr ? nullptr : product->b;
    if (factor != nullptr && isa<IntImm>(scale)) std::swap(scale, factor);
    const auto* call = dyn_cast<Call>(scale);
    if (call != nullptr && call->op->kind == OpKind::kVscale) {
      const int64_t* lanes = AsIntImm(factor);
      if (factor == nullptr) return -1;
      if (lanes != nullptr && *lanes >= 1 && *lanes <= kMostLanes) return static_cast<int>(-*lanes);
    }
  }
  const std::optional<int64_t> lanes = ToInt(value, "the number of lanes");
  if (!lanes) return std::nullopt;
  if (*lanes < 2 || *lanes > kMostLanes) {
    Error(DiagnosticKind::kArguments, value.range,
          fmt::format("{} lanes, expected 2 to {}", *lanes, kMostLanes));
    return std::nullopt;
  }
  return static_cast<int>(*lanes);
}

PyValue Parser::CallVector(const TirName& name, const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<4> bound;
  const bool ramp = name.form == TirForm::kRamp;
  const bool fits = ramp ? Bind(args, {"base", "stride", "lanes", "span"}, 3, bound)
                         : Bind(args, {"value", "lanes", "span"}, 2, bound);
  if (!fits) return error;
  const Expr* base = ToExpr(*bound[0]);
  const std::optional<int> lanes = ToLanes(*bound[ramp ? 2 : 1]);
  if (base == nullptr || !lanes) return error;
  if (!base->dtype.is_scalar() || base->dtype.is_void()) {
    Error(DiagnosticKind::kType, bound[0]->range,
          fmt::format("vector of `{}`, expected a scalar", base->dtype.ToString()));
    return error;
  }
  if (!ramp) {
    return PyValue::Of(args.range,
                       static_cast<const Expr*>(builder_.New<Broadcast>(args.range, base, *lanes)));
  }
  const Expr* stride = ToExpr(*bound[1]);
  if (stride == nullptr) return error;
  if (!base->dtype.is_integer() || !stride->dtype.is_integer() || !stride->dtype.is_scalar()) {
    Error(DiagnosticKind::kType, args.range,
          fmt::format("`T.Ramp` from `{}` by `{}`, expected integers", base->dtype.ToString(),
                      stride->dtype.ToString()));
    return error;
  }
  stride = SmartCast(builder_, base->dtype, stride);
  return PyValue::Of(
      args.range, static_cast<const Expr*>(builder_.New<Ramp>(args.range, base, stride, *lanes)));
}

PyValue Parser::CallPacked(const TirName& name, Args& args) {
  for (PyValue& value : args.positional) {
    if (!value.is(PyKind::kBuffer)) continue;
    // A buffer travels as a tensor on the stack.
    const Buffer* buffer = value.buffer;
    const auto shape_of = [&](Span<const Expr*> extents) {
      return NewCall(DataType::Handle(), Op::Get(OpKind::kTvmStackMakeShape), extents, value.range);
    };
    const Expr* strides = buffer->strides.empty()
                              ? static_cast<const Expr*>(builder_.Int(0, value.range))
                              : shape_of(buffer->strides);
    const Expr* packed = NewCall(
        DataType::Handle(), Op::Get(OpKind::kTvmStackMakeArray),
        builder_.List<Expr>({buffer->data, shape_of(buffer->shape), strides,
                             builder_.Int(static_cast<int64_t>(buffer->shape.size()), value.range),
                             builder_.Number(buffer->dtype.element(), 0, value.range),
                             buffer->elem_offset}),
        value.range);
    value = PyValue::Of(value.range, packed);
  }
  return CallOp(name.op, args);
}

}  // namespace tenon
