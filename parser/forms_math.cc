#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "parser/forms_internal.h"

namespace tenon {

static const Expr* IsNanOf(FormContext& p, const Expr* x, SourceRange range) {
  const DataType truth = DataType::Bool(x->dtype.lanes());
  if (x->dtype.is_integer()) return p.env.builder.Number(truth, 0, range);
  if (x->dtype.bits() == 16) {
    x = SmartCast(p.env.builder, DataType::Float(32, x->dtype.lanes()), x, range);
  }
  return p.env.NewCall(truth, Op::Get(OpKind::kIsnan), p.env.builder.List<Expr>({x}), range);
}

static const Expr* AbsOf(FormContext& p, const Expr* x, SourceRange range) {
  if (x->dtype.is_uint()) return x;
  if (x->dtype.is_floating()) {
    return p.env.NewCall(x->dtype, Op::Get(OpKind::kFabs), p.env.builder.List<Expr>({x}), range);
  }
  const Expr* zero = p.env.builder.Number(x->dtype, 0, range);
  const Expr* negative = MakeBinary(p.env.builder, NodeKind::kSub, zero, x, range);
  const Expr* condition = MakeBinary(p.env.builder, NodeKind::kGE, x, zero, range);
  return p.env.builder.New<Select>(range, condition, x, negative);
}

PyValue CallMath(FormContext& p, const TirName& name, Args& args) {
  Bound<3> bound;
  if (name.form == TirForm::kPow) {
    if (!p.env.Bind(args, {"x", "y", "span"}, 2, bound)) return args.Error();
    const Expr* x = p.values.ToExpr(*bound[0]);
    const Expr* y = p.values.ToExpr(*bound[1]);
    if (x == nullptr || y == nullptr || !p.operators.CheckNoString(*bound[0], x) ||
        !p.operators.CheckNoString(*bound[1], y)) {
      return args.Error();
    }
    if (std::optional<std::string> mismatch = MatchTypes(p.env.builder, &x, &y)) {
      return p.env.Fail(DiagnosticKind::kType, args.range, *std::move(mismatch));
    }
    if (!x->dtype.is_floating()) {
      return p.env.Fail(
          DiagnosticKind::kType, args.range,
          fmt::format("`T.pow` of `{}`, expected a floating dtype", x->dtype.ToString()));
    }
    return PyValue::Of(args.range, p.env.NewCall(x->dtype, Op::Get(OpKind::kPow),
                                                 p.env.builder.List<Expr>({x, y}), args.range));
  }
  if (!p.env.Bind(args, {"x", "dtype", "span"}, 1, bound)) return args.Error();
  const Expr* x = p.values.ToExpr(*bound[0]);
  if (x == nullptr || !p.operators.CheckNoString(*bound[0], x)) return args.Error();
  if (x->dtype.is_handle() || x->dtype.is_void()) {
    return p.env.Fail(
        DiagnosticKind::kType, args.range,
        fmt::format("`T.{}` of `{}`, expected a number", args.name, x->dtype.ToString()));
  }
  switch (name.form) {
    case TirForm::kAbs:
      return PyValue::Of(args.range, AbsOf(p, x, args.range));
    case TirForm::kRounding:
      if (x->dtype.is_integer()) return PyValue::Of(args.range, x);
      return PyValue::Of(
          args.range, p.env.NewCall(x->dtype, name.op, p.env.builder.List<Expr>({x}), args.range));
    case TirForm::kIsNan:
      return PyValue::Of(args.range, IsNanOf(p, x, args.range));
    default:
      break;
  }
  const DataType truth = DataType::Bool(x->dtype.lanes());
  if (x->dtype.is_integer()) {
    return PyValue::Of(
        args.range, p.env.builder.Number(truth, name.form == TirForm::kIsInf ? 0 : 1, args.range));
  }
  const Expr* infinity =
      p.env.builder.Number(x->dtype, std::numeric_limits<double>::infinity(), args.range);
  const Expr* equal =
      MakeBinary(p.env.builder, NodeKind::kEQ, AbsOf(p, x, args.range), infinity, args.range);
  const Expr* number = p.env.builder.New<Not>(args.range, IsNanOf(p, x, args.range));
  const Expr* is_inf = MakeBinary(p.env.builder, NodeKind::kAnd, equal, number, args.range);
  if (name.form == TirForm::kIsInf) return PyValue::Of(args.range, is_inf);
  const Expr* finite = p.env.builder.New<Not>(args.range, is_inf);
  return PyValue::Of(
      args.range,
      MakeBinary(p.env.builder, NodeKind::kAnd, finite,
                 p.env.builder.New<Not>(args.range, IsNanOf(p, x, args.range)), args.range));
}

PyValue CallLimit(FormContext& p, const TirName& name, Args& args) {
  Bound<2> bound;
  if (!p.env.Bind(args, {"dtype", "span"}, 1, bound)) return args.Error();
  const std::optional<DataType> dtype = p.values.ToDType(*bound[0]);
  if (!dtype) return args.Error();
  const bool low = name.form == TirForm::kMinValue;
  if (dtype->is_integer() && dtype->is_scalar() && name.form != TirForm::kInfinity) {
    const int bits = dtype->bits();
    int64_t value = 0;
    if (dtype->is_uint()) {
      value = low ? 0 : bits == 64 ? -1 : static_cast<int64_t>((uint64_t{1} << bits) - 1);
    } else {
      const auto half = static_cast<int64_t>(uint64_t{1} << (bits - 1));
      value =
          low ? WrapToDType(half, *dtype) : static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1);
    }
    return PyValue::Of(args.range, p.env.builder.Int(*dtype, value, args.range));
  }
  if (!dtype->is_scalar() || !dtype->is_floating()) {
    return p.env.Fail(DiagnosticKind::kType, args.range,
                      fmt::format("`{}` has no `T.{}`", dtype->ToString(), args.name));
  }
  const double most =
      name.form == TirForm::kInfinity ? std::numeric_limits<double>::infinity() : LargestOf(*dtype);
  return PyValue::Of(args.range,
                     p.env.builder.New<FloatImm>(args.range, *dtype, low ? -most : most));
}

}  // namespace tenon
