#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "parser/forms_internal.h"

// Forms that give an expression, a variable or a range.

namespace tenon {

namespace {

constexpr std::pair<std::string_view, IterVarKind> kIterKinds[] = {
    {"DataPar", IterVarKind::kDataPar},
    {"ThreadIndex", IterVarKind::kThreadIndex},
    {"CommReduce", IterVarKind::kCommReduce},
    {"Ordered", IterVarKind::kOrdered},
    {"Opaque", IterVarKind::kOpaque},
    {"DimInfo", IterVarKind::kOpaque},
    {"Unrolled", IterVarKind::kUnrolled},
    {"Vectorized", IterVarKind::kVectorized},
    {"Parallelized", IterVarKind::kParallelized},
    {"Tensorized", IterVarKind::kTensorized},
};

}  // namespace

static std::optional<double> RealOfText(FormContext& p, const PyValue& value) {
  std::string_view text = value.text();
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::string_view body = text;
  if (body.starts_with('+')) body.remove_prefix(1);
  double real = 0;
  const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), real);
  if (error == std::errc() && end == body.data() + body.size()) return real;
  p.env.Error(DiagnosticKind::kLiteral, value.range,
              fmt::format("expected a number, found \"{}\"", text));
  return std::nullopt;
}

static void NoteFloatText(FormContext& p, const PyValue& value, DataType element) {
  // `T.float32(1.0)`: up to 0.17 the printer wrote `T.float32(1)`.
  if (!value.is(PyKind::kFloat) || !element.is_floating()) return;
  const std::string_view text = p.env.context.sources().Text(value.range);
  if (text.ends_with(".0")) p.env.RaiseDialect(Dialect::kV018);
}

PyValue CallDType(FormContext& p, const TirName& name, Args& args) {
  Bound<2> bound;
  if (!p.env.Bind(args, {"expr", "is_size_var"}, 0, bound)) return args.Error();
  if (bound[0] == nullptr || bound[0]->is(PyKind::kNone)) {
    const bool size_var = bound[1] != nullptr && bound[1]->is(PyKind::kBool) && bound[1]->integer;
    if (size_var) p.env.RaiseDialect(Dialect::kV025);
    return p.env.FreshVar(name.dtype, nullptr, args.range, size_var);
  }
  const PyValue& value = *bound[0];
  const DataType element = name.dtype.element();
  if (value.is(PyKind::kString)) {
    const std::optional<double> real = RealOfText(p, value);
    if (!real) return args.Error();
    PyValue number = PyValue::Float(args.range, *real);
    if (!element.is_floating()) {
      return p.env.Fail(
          DiagnosticKind::kType, args.range,
          fmt::format("expected a value of dtype `{}`, found a string", name.dtype.ToString()));
    }
    return PyValue::Of(args.range,
                       p.operators.Splat(p.values.NumberOf(number, element), name.dtype));
  }
  if (!value.is_number()) {
    const Expr* expr = p.values.ToExpr(value);
    if (expr == nullptr) return args.Error();
    return PyValue::Of(args.range, SmartCast(p.env.builder, name.dtype, expr, args.range));
  }
  PyValue number = value;
  NoteFloatText(p, value, element);
  // Up to 0.17 the printer wrote a negative zero as `-0`.
  if (element.is_floating() && value.is(PyKind::kInt) && value.integer == 0 &&
      p.env.context.sources().Text(value.range) == "-0") {
    number = PyValue::Float(args.range, -0.0);
  }
  if (element.is_bool())
    number.integer = number.is(PyKind::kFloat) ? number.real != 0 : number.integer != 0;
  if (element.is_bool() && !number.is(PyKind::kInt)) number.kind = PyKind::kInt;
  if (value.is(PyKind::kFloat) && element.is_integer() && !element.is_bool()) {
    const Expr* real = p.env.builder.New<FloatImm>(args.range, DataType::Float(64), value.real);
    return PyValue::Of(args.range, SmartCast(p.env.builder, name.dtype, real, args.range));
  }
  const Expr* imm = p.values.NumberOf(number, element);
  if (imm == nullptr) {
    return p.env.Fail(DiagnosticKind::kType, args.range,
                      fmt::format("expected a value of dtype `{1}`, found {0}", Describe(value),
                                  name.dtype.ToString()));
  }
  const_cast<Expr*>(imm)->range = args.range;
  return PyValue::Of(args.range, p.operators.Splat(imm, name.dtype));
}

PyValue CallHandle(FormContext& p, const TirName&, Args& args) {
  Bound<3> bound;
  if (!p.env.Bind(args, {"dtype", "storage_scope", "is_size_var"}, 0, bound)) return args.Error();
  std::string_view scope;
  if (!p.values.TakeText(bound[1], "the storage scope", &scope)) return args.Error();
  const bool is_typed = bound[0] != nullptr && !bound[0]->is(PyKind::kNone);
  if (!is_typed && scope.empty()) {
    return p.env.FreshVar(DataType::Handle(), nullptr, args.range, false);
  }
  const std::optional<DataType> dtype = is_typed ? p.values.ToDType(*bound[0]) : DataType::Void();
  if (!dtype) return args.Error();
  if (is_typed && dtype->is_void()) p.env.RaiseDialect(Dialect::kV025);
  return p.env.FreshVar(DataType::Handle(), p.env.context.PointerType(*dtype, scope), args.range,
                        false);
}

PyValue CallBinary(FormContext& p, const TirName& name, Args& args) {
  Bound<3> bound;
  if (!p.env.Bind(args, {"a", "b", "span"}, 2, bound)) return args.Error();
  if (name.form == TirForm::kBitwise) {
    return p.operators.Bitwise(name.op, *bound[0], *bound[1], args.range, /*fold=*/false);
  }
  const Expr* a = p.values.ToExpr(*bound[0]);
  const Expr* b = p.values.ToExpr(*bound[1]);
  if (a == nullptr || b == nullptr || !p.operators.CheckNoString(*bound[0], a) ||
      !p.operators.CheckNoString(*bound[1], b)) {
    return args.Error();
  }
  const bool logical = name.kind == NodeKind::kAnd || name.kind == NodeKind::kOr;
  if (name.form == TirForm::kRawBinary) {
    if (a->dtype != b->dtype || a->dtype.is_void() || (logical && !a->dtype.is_bool())) {
      return p.env.Fail(
          DiagnosticKind::kType, args.range,
          fmt::format("operands of `T.{}` have dtypes `{}` and `{}`, expected {}", args.name,
                      a->dtype.ToString(), b->dtype.ToString(), logical ? "bool" : "equal dtypes"));
    }
    return PyValue::Of(args.range, MakeBinary(p.env.builder, name.kind, a, b, args.range));
  }
  std::string message;
  const Expr* result = nullptr;
  if (name.form == TirForm::kCeilDiv) {
    const Expr* sum = Operator(p.env.builder, NodeKind::kAdd, a, b, args.range, &message);
    const Expr* one = p.env.builder.Int(1, args.range);
    if (sum != nullptr)
      sum = Operator(p.env.builder, NodeKind::kSub, sum, one, args.range, &message);
    if (sum != nullptr) {
      result = Operator(p.env.builder, NodeKind::kFloorDiv, sum, b, args.range, &message);
    }
  } else if (name.form == TirForm::kOperator) {
    result = Operator(p.env.builder, name.kind, a, b, args.range, &message);
  } else if (std::optional<std::string> mismatch = MatchTypes(p.env.builder, &a, &b)) {
    message = *std::move(mismatch);
  } else {
    result = MakeBinary(p.env.builder, name.kind, a, b, args.range);
  }
  if (result == nullptr) p.env.Error(DiagnosticKind::kType, args.range, std::move(message));
  return PyValue::Of(args.range, result);
}

PyValue CallCast(FormContext& p, const TirName& name, Args& args) {
  Bound<3> bound;
  if (name.form == TirForm::kNot) {
    const Expr* a =
        p.env.Bind(args, {"a", "span"}, 1, bound) ? p.values.ToExpr(*bound[0]) : nullptr;
    if (a == nullptr) return args.Error();
    if (!a->dtype.is_bool()) {
      return p.env.Fail(
          DiagnosticKind::kType, args.range,
          fmt::format("operand of `T.Not` has dtype `{}`, expected bool", a->dtype.ToString()));
    }
    return PyValue::Of(args.range, p.env.builder.New<Not>(args.range, a));
  }
  const bool raw = name.form == TirForm::kCast;
  const bool fits = raw ? p.env.Bind(args, {"dtype", "value", "span"}, 2, bound)
                        : p.env.Bind(args, {"value", "dtype", "span"}, 2, bound);
  if (!fits) return args.Error();
  const std::optional<DataType> dtype = p.values.ToDType(*bound[raw ? 0 : 1]);
  const Expr* value = p.values.ToExpr(*bound[raw ? 1 : 0]);
  if (!dtype || value == nullptr) return args.Error();
  if (dtype->is_void() || isa<StringImm>(value)) {
    return p.env.Fail(DiagnosticKind::kType, bound[raw == dtype->is_void() ? 0 : 1]->range,
                      dtype->is_void() ? "cast to `void`" : "cast of a string, expected a number",
                      args.range);
  }
  if (raw) return PyValue::Of(args.range, p.env.builder.New<Cast>(args.range, *dtype, value));
  return PyValue::Of(args.range, SmartCast(p.env.builder, *dtype, value, args.range));
}

PyValue CallSelect(FormContext& p, const TirName& name, Args& args) {
  Bound<4> bound;
  if (!p.env.Bind(args, {"condition", "true_value", "false_value", "span"}, 3, bound))
    return args.Error();
  const Expr* condition = p.values.ToExpr(*bound[0]);
  const Expr* a = p.values.ToExpr(*bound[1]);
  const Expr* b = p.values.ToExpr(*bound[2]);
  if (condition == nullptr || a == nullptr || b == nullptr) return args.Error();
  if (!condition->dtype.is_bool()) {
    return p.env.Fail(
        DiagnosticKind::kType, bound[0]->range,
        fmt::format("the condition has dtype `{}`, expected bool", condition->dtype.ToString()),
        args.range);
  }
  if (name.form == TirForm::kIfThenElse) {
    if (std::optional<std::string> mismatch = MatchTypes(p.env.builder, &a, &b)) {
      return p.env.Fail(DiagnosticKind::kType, args.range, *std::move(mismatch));
    }
    return PyValue::Of(args.range,
                       p.env.NewCall(a->dtype, Op::Get(OpKind::kIfThenElse),
                                     p.env.builder.List<Expr>({condition, a, b}), args.range));
  }
  const int lanes = condition->dtype.lanes();
  if (a->dtype != b->dtype || (lanes != 1 && lanes != a->dtype.lanes())) {
    return p.env.Fail(
        DiagnosticKind::kType, args.range,
        fmt::format("`T.Select` of `{}` and `{}` by `{}`, expected equal dtypes and lanes",
                    a->dtype.ToString(), b->dtype.ToString(), condition->dtype.ToString()));
  }
  return PyValue::Of(args.range, p.env.builder.New<Select>(args.range, condition, a, b));
}

static std::optional<int> ToLanes(FormContext& p, const PyValue& value) {
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
  const std::optional<int64_t> lanes = p.values.ToInt(value, "the number of lanes");
  if (!lanes) return std::nullopt;
  if (*lanes < 2 || *lanes > kMostLanes) {
    p.env.Error(DiagnosticKind::kArguments, value.range,
                fmt::format("{} lanes, expected 2 to {}", *lanes, kMostLanes));
    return std::nullopt;
  }
  return static_cast<int>(*lanes);
}

PyValue CallVector(FormContext& p, const TirName& name, Args& args) {
  Bound<4> bound;
  const bool ramp = name.form == TirForm::kRamp;
  const bool fits = ramp ? p.env.Bind(args, {"base", "stride", "lanes", "span"}, 3, bound)
                         : p.env.Bind(args, {"value", "lanes", "span"}, 2, bound);
  if (!fits) return args.Error();
  const Expr* base = p.values.ToExpr(*bound[0]);
  const std::optional<int> lanes = ToLanes(p, *bound[ramp ? 2 : 1]);
  if (base == nullptr || !lanes) return args.Error();
  if (!base->dtype.is_scalar() || base->dtype.is_void()) {
    return p.env.Fail(DiagnosticKind::kType, bound[0]->range,
                      fmt::format("vector of `{}`, expected a scalar", base->dtype.ToString()),
                      args.range);
  }
  if (!ramp) return PyValue::Of(args.range, p.env.builder.New<Broadcast>(args.range, base, *lanes));
  const Expr* stride = p.values.ToExpr(*bound[1]);
  if (stride == nullptr) return args.Error();
  if (!base->dtype.is_integer() || !stride->dtype.is_integer() || !stride->dtype.is_scalar()) {
    return p.env.Fail(DiagnosticKind::kType, args.range,
                      fmt::format("`T.Ramp` from `{}` by `{}`, expected integers",
                                  base->dtype.ToString(), stride->dtype.ToString()));
  }
  stride = SmartCast(p.env.builder, base->dtype, stride);
  return PyValue::Of(args.range, p.env.builder.New<Ramp>(args.range, base, stride, *lanes));
}

PyValue CallShuffle(FormContext& p, const TirName&, Args& args) {
  Bound<3> bound;
  Span<const Expr*> vectors;
  Span<const Expr*> indices;
  if (!p.env.Bind(args, {"vectors", "indices", "span"}, 2, bound) ||
      !p.values.ToExprs(*bound[0], "the list of vectors", &vectors) ||
      !p.values.ToExprs(*bound[1], "the list of indices", &indices)) {
    return args.Error();
  }
  for (const auto& [list, size] :
       {std::pair("vectors", vectors.size()), std::pair("indices", indices.size())}) {
    if (size > 0 && size <= static_cast<size_t>(kMostLanes)) continue;
    return p.env.Fail(
        DiagnosticKind::kArguments, args.range,
        fmt::format("`T.Shuffle` expected 1 to {} {}, found {}", kMostLanes, list, size));
  }
  int64_t lanes = 0;
  for (const Expr* vector : vectors) {
    if (vector->dtype.element() != vectors[0]->dtype.element()) {
      return p.env.Fail(DiagnosticKind::kType, vector->range,
                        fmt::format("`T.Shuffle` of `{}` and `{}`, expected one element type",
                                    vectors[0]->dtype.ToString(), vector->dtype.ToString()),
                        args.range);
    }
    lanes += vector->dtype.lanes();
  }
  for (const Expr* index : indices) {
    const int64_t* lane = AsIntImm(index);
    if (lane != nullptr && *lane >= 0 && *lane < lanes) continue;
    return p.env.Fail(
        DiagnosticKind::kArguments, index->range,
        fmt::format("index of `T.Shuffle`, expected a constant from 0 to {}", lanes - 1),
        args.range);
  }
  const DataType dtype = vectors[0]->dtype.with_lanes(static_cast<int>(indices.size()));
  return PyValue::Of(args.range, p.env.builder.New<Shuffle>(args.range, dtype, vectors, indices));
}

PyValue CallLet(FormContext& p, const TirName& name, Args& args) {
  const Var* var = nullptr;
  const Expr* value = nullptr;
  const Expr* body = nullptr;
  Bound<4> bound;
  if (name.form == TirForm::kOldLet && args.positional.size() < 3)
    return CallLetStmt(p, name, args);
  if (name.form == TirForm::kOldLet) {
    if (!p.env.Bind(args, {"var", "value", "body", "span"}, 3, bound)) return args.Error();
    var = dyn_cast_or_null<Var>(p.values.ToExpr(*bound[0]));
    value = p.values.ToExpr(*bound[1]);
    body = p.values.ToExpr(*bound[2]);
  } else {
    if (!p.env.Bind(args, {"expr", "where", "span"}, 2, bound)) return args.Error();
    const PyValue& where = *bound[1];
    if (!where.is(PyKind::kDict) || where.count != 2) {
      return p.env.Fail(DiagnosticKind::kArguments, where.range,
                        "`where` of `T.Let`, expected a dict of one variable", args.range);
    }
    body = p.values.ToExpr(*bound[0]);
    const Expr* key = p.values.ToExpr(where.items[0]);
    var = dyn_cast_or_null<Var>(key);
    value = p.values.ToExpr(where.items[1]);
  }
  if (value == nullptr || body == nullptr) return args.Error();
  if (var == nullptr) {
    return p.env.Fail(DiagnosticKind::kArguments, args.range,
                      "what `T.Let` binds, expected a variable");
  }
  if (value->dtype != var->dtype) {
    return p.env.Fail(DiagnosticKind::kType, args.range,
                      fmt::format("`T.Let` of a `{}` to a value of `{}`", var->dtype.ToString(),
                                  value->dtype.ToString()));
  }
  return PyValue::Of(args.range, p.env.builder.New<Let>(args.range, var, value, body));
}

PyValue CallIterVar(FormContext& p, const TirName&, Args& args) {
  Bound<5> bound;
  if (!p.env.Bind(args, {"var", "dom", "iter_type", "thread_tag", "span"}, 4, bound))
    return args.Error();
  const auto kind_text = p.values.ToText(*bound[2], "the kind");
  const auto tag = p.values.ToText(*bound[3], "the thread tag");
  if (!kind_text || !tag) return args.Error();
  const auto* known = std::find_if(std::begin(kIterKinds), std::end(kIterKinds),
                                   [&](const auto& row) { return row.first == *kind_text; });
  if (known == std::end(kIterKinds)) {
    return p.env.Fail(DiagnosticKind::kArguments, bound[2]->range,
                      fmt::format("unknown kind `{}` of an iteration variable", *kind_text),
                      args.range);
  }
  const Range* dom = nullptr;
  if (!bound[1]->is(PyKind::kNone)) {
    dom = p.values.ToRange(*bound[1]);
    if (dom == nullptr) return args.Error();
  }
  const Var* var = nullptr;
  if (bound[0]->is(PyKind::kString)) {
    const DataType dtype = dom != nullptr ? dom->extent->dtype : DataType::Int(32);
    var = p.env.builder.New<Var>(bound[0]->range, p.env.context.Intern(bound[0]->text()),
                                 p.env.PrimTypeOf(dtype));
  } else {
    var = dyn_cast_or_null<Var>(p.values.ToExpr(*bound[0]));
    if (var == nullptr) {
      return p.env.Fail(DiagnosticKind::kArguments, bound[0]->range, "expected a variable",
                        args.range);
    }
  }
  return PyValue::Of(args.range,
                     p.env.builder.New<IterVar>(args.range, dom, var, known->second, *tag));
}

PyValue CallRange(FormContext& p, const TirName&, Args& args) {
  Bound<3> bound;
  if (!p.env.Bind(args, {"begin", "end", "span"}, 1, bound)) return args.Error();
  const Expr* first = p.values.ToExpr(*bound[0]);
  if (first == nullptr) return args.Error();
  const Expr* begin = first;
  const Expr* end = nullptr;
  if (bound[1] == nullptr || bound[1]->is(PyKind::kNone)) {
    begin = p.env.builder.Int(first->dtype, 0, args.range);
    end = first;
  } else {
    end = p.values.ToExpr(*bound[1]);
    if (end == nullptr) return args.Error();
  }
  if (isa<IntImm>(begin)) begin = SmartCast(p.env.builder, end->dtype, begin);
  if (isa<IntImm>(end)) end = SmartCast(p.env.builder, begin->dtype, end);
  const Expr* extent = p.values.ExtentBetween(begin, end);
  if (extent == nullptr) return args.Error();
  PyValue value(PyKind::kRange, args.range);
  value.range_node = p.env.builder.New<Range>(args.range, begin, extent);
  return value;
}

PyValue CallReduce(FormContext& p, const TirName&, Args& args) {
  // T.reduce(T.comm_reducer(...), source=[...], init=[...], axis=[...], condition=...,
  // value_index=0)
  Bound<6> bound;
  Span<const Expr*> source;
  Span<const Expr*> init;
  if (!p.env.Bind(args, {"combiner", "source", "init", "axis", "condition", "value_index"}, 6,
                  bound) ||
      !p.values.ToExprs(*bound[1], "the list of sources", &source) ||
      !p.values.ToExprs(*bound[2], "the list of initial values", &init)) {
    return args.Error();
  }
  if (!bound[0]->is(PyKind::kReducer)) {
    return p.env.Fail(
        DiagnosticKind::kArguments, bound[0]->range,
        fmt::format("combiner is {}, expected a `T.comm_reducer`", Describe(*bound[0])),
        args.range);
  }
  const CommReducer* combiner = bound[0]->reducer;
  std::vector<const IterVar*> axis;
  for (const PyValue& item :
       bound[3]->is_sequence() ? bound[3]->elements() : std::span<const PyValue>(bound[3], 1)) {
    if (!item.is(PyKind::kIterVar)) {
      return p.env.Fail(DiagnosticKind::kArguments, item.range,
                        fmt::format("axis is {}, expected a `T.iter_var`", Describe(item)),
                        args.range);
    }
    axis.push_back(item.iter_var);
  }
  const Expr* condition = p.values.ToExpr(*bound[4]);
  const std::optional<int64_t> index = p.values.ToInt(*bound[5], "the index of the value");
  if (condition == nullptr || !index) return args.Error();
  if (source.size() != combiner->lhs.size() || (!init.empty() && init.size() != source.size())) {
    return p.env.Fail(DiagnosticKind::kArguments, args.range,
                      fmt::format("{} sources and {} initial values for a reducer of {} values",
                                  source.size(), init.size(), combiner->lhs.size()));
  }
  if (*index < 0 || *index >= static_cast<int64_t>(source.size())) {
    return p.env.Fail(DiagnosticKind::kArguments, bound[5]->range,
                      fmt::format("value {} of a reducer of {} values", *index, source.size()),
                      args.range);
  }
  const Expr* reduce = p.env.builder.New<Reduce>(
      args.range, source[static_cast<size_t>(*index)]->dtype, combiner, source, p.env.Copy(axis),
      condition, static_cast<int>(*index), init);
  return PyValue::Of(args.range, reduce);
}

PyValue CallImmediate(FormContext& p, const TirName& name, Args& args) {
  Bound<3> bound;
  switch (name.form) {
    case TirForm::kStringImm: {
      if (!p.env.Bind(args, {"value", "span"}, 1, bound)) return args.Error();
      const std::optional<std::string_view> text = p.values.ToText(*bound[0], "the value");
      if (!text) return args.Error();
      return PyValue::Of(args.range, p.env.builder.New<StringImm>(args.range, *text));
    }
    case TirForm::kIntImm:
    case TirForm::kFloatImm: {
      if (!p.env.Bind(args, {"dtype", "value", "span"}, 2, bound)) return args.Error();
      const std::optional<DataType> dtype = p.values.ToDType(*bound[0]);
      if (!dtype || !bound[1]->is_number()) {
        if (dtype) p.env.Error(DiagnosticKind::kArguments, bound[1]->range, "expected a number");
        return args.Error();
      }
      if (name.form == TirForm::kIntImm ? !dtype->is_integer() : !dtype->is_floating()) {
        return p.env.Fail(DiagnosticKind::kType, bound[0]->range,
                          fmt::format("`T.{}` of `{}`", args.name, dtype->ToString()), args.range);
      }
      const Expr* imm = p.values.NumberOf(*bound[1], *dtype);
      if (imm == nullptr) {
        p.env.Error(DiagnosticKind::kType, bound[1]->range,
                    fmt::format("expected a value of dtype `{1}`, found {0}", Describe(*bound[1]),
                                dtype->ToString()));
      }
      return PyValue::Of(args.range, imm);
    }
    case TirForm::kAny:
      if (!p.env.Bind(args, {"span"}, 0, bound)) return args.Error();
      return PyValue::Of(args.range, p.env.builder.New<Any>(args.range));
    case TirForm::kMetaVar:
      return p.env.Bind(args, {"value"}, 1, bound) ? *bound[0] : args.Error();
    case TirForm::kVar: {
      // `T.var("int32")`, `T.Var("x", "int32")`
      if (args.positional.size() == 1) {
        if (!p.env.Bind(args, {"dtype"}, 1, bound)) return args.Error();
      } else {
        if (!p.env.Bind(args, {"name", "dtype"}, 2, bound)) return args.Error();
        bound[0] = bound[1];
      }
      const std::optional<DataType> dtype = p.values.ToDType(*bound[0]);
      return dtype ? p.env.FreshVar(*dtype, nullptr, args.range, false) : args.Error();
    }
    default:
      return p.env.Fail(DiagnosticKind::kUnsupported, args.range,
                        fmt::format("`T.{}` is not supported", args.name));
  }
}

}  // namespace tenon
