#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "parser/parser_internal.h"

namespace tenon {

std::optional<double> Parser::RealOfText(const PyValue& value) {
  std::string_view text = value.text();
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::string_view body = text;
  if (body.starts_with('+')) body.remove_prefix(1);
  double real = 0;
  const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), real);
  if (error == std::errc() && end == body.data() + body.size()) return real;
  Error(DiagnosticKind::kLiteral, value.range,
        fmt::format("expected a number, found \"{}\"", text));
  return std::nullopt;
}

PyValue Parser::CallMath(const TirName& name, Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<3> bound;
  if (name.form == TirForm::kPow) {
    if (!Bind(args, {"x", "y", "span"}, 2, bound)) return error;
    const Expr* x = ToExpr(*bound[0]);
    const Expr* y = ToExpr(*bound[1]);
    if (x == nullptr || y == nullptr || !CheckNoString(*bound[0], x) ||
        !CheckNoString(*bound[1], y)) {
      return error;
    }
    if (std::optional<std::string> mismatch = MatchTypes(builder_, &x, &y)) {
      Error(DiagnosticKind::kType, args.range, *std::move(mismatch));
      return error;
    }
    if (!x->dtype.is_floating()) {
      Error(DiagnosticKind::kType, args.range,
            fmt::format("`T.pow` of `{}`, expected a floating dtype", x->dtype.ToString()));
      return error;
    }
    return PyValue::Of(args.range, NewCall(x->dtype, Op::Get(OpKind::kPow),
                                           builder_.List<Expr>({x, y}), args.range));
  }
  if (!Bind(args, {"x", "dtype", "span"}, 1, bound)) return error;
  const Expr* x = ToExpr(*bound[0]);
  if (x == nullptr || !CheckNoString(*bound[0], x)) return error;
  if (x->dtype.is_handle() || x->dtype.is_void()) {
    Error(DiagnosticKind::kType, args.range,
          fmt::format("`T.{}` of `{}`, expected a number", args.name, x->dtype.ToString()));
    return error;
  }
  switch (name.form) {
    case TirForm::kAbs:
      return PyValue::Of(args.range, AbsOf(x, args.range));
    case TirForm::kRounding:
      if (x->dtype.is_integer()) return PyValue::Of(args.range, x);
      return PyValue::Of(args.range,
                         NewCall(x->dtype, name.op, builder_.List<Expr>({x}), args.range));
    case TirForm::kIsNan:
      return PyValue::Of(args.range, IsNanOf(x, args.range));
    default:
      break;
  }
  const DataType truth = DataType::Bool(x->dtype.lanes());
  if (x->dtype.is_integer()) {
    return PyValue::Of(args.range,
                       builder_.Number(truth, name.form == TirForm::kIsInf ? 0 : 1, args.range));
  }
  const Expr* infinity =
      builder_.Number(x->dtype, std::numeric_limits<double>::infinity(), args.range);
  const Expr* equal =
      MakeBinary(builder_, NodeKind::kEQ, AbsOf(x, args.range), infinity, args.range);
  const Expr* number = builder_.New<Not>(args.range, IsNanOf(x, args.range));
  const Expr* is_inf = MakeBinary(builder_, NodeKind::kAnd, equal, number, args.range);
  if (name.form == TirForm::kIsInf) return PyValue::Of(args.range, is_inf);
  const Expr* finite = builder_.New<Not>(args.range, is_inf);
  return PyValue::Of(args.range,
                     MakeBinary(builder_, NodeKind::kAnd, finite,
                                builder_.New<Not>(args.range, IsNanOf(x, args.range)), args.range));
}

const Expr* Parser::AbsOf(const Expr* x, SourceRange range) {
  if (x->dtype.is_uint()) return x;
  if (x->dtype.is_floating()) {
    return NewCall(x->dtype, Op::Get(OpKind::kFabs), builder_.List<Expr>({x}), range);
  }
  const Expr* zero = builder_.Number(x->dtype, 0, range);
  const Expr* negative = MakeBinary(builder_, NodeKind::kSub, zero, x, range);
  const Expr* condition = MakeBinary(builder_, NodeKind::kGE, x, zero, range);
  return builder_.New<Select>(range, condition, x, negative);
}

const Expr* Parser::IsNanOf(const Expr* x, SourceRange range) {
  const DataType truth = DataType::Bool(x->dtype.lanes());
  if (x->dtype.is_integer()) return builder_.Number(truth, 0, range);
  if (x->dtype.bits() == 16) {
    x = SmartCast(builder_, DataType::Float(32, x->dtype.lanes()), x, range);
  }
  return NewCall(truth, Op::Get(OpKind::kIsnan), builder_.List<Expr>({x}), range);
}

PyValue Parser::CallLimit(const TirName& name, const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<2> bound;
  if (!Bind(args, {"dtype", "span"}, 1, bound)) return error;
  const std::optional<DataType> dtype = ToDType(*bound[0]);
  if (!dtype) return error;
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
    return PyValue::Of(args.range,
                       static_cast<const Expr*>(builder_.Int(*dtype, value, args.range)));
  }
  std::optional<double> most;
  if (dtype->is_scalar() && dtype->is_floating()) {
    if (name.form == TirForm::kInfinity)
      most = std::numeric_limits<double>::infinity();
    else if (dtype->is_bfloat16())
      most = 3.38953138925153547590470800371487866880e+38;
    else if (dtype->code() == TypeCode::kE4M3Float)
      most = 448;
    else if (dtype->code() == TypeCode::kE5M2Float)
      most = 57344;
    else if (dtype->bits() == 16)
      most = 65504;
    else if (dtype->bits() == 32)
      most = std::numeric_limits<float>::max();
    else
      most = std::numeric_limits<double>::max();
  }
  if (!most) {
    Error(DiagnosticKind::kType, args.range,
          fmt::format("`{}` has no `T.{}`", dtype->ToString(), args.name));
    return error;
  }
  return PyValue::Of(args.range, static_cast<const Expr*>(builder_.New<FloatImm>(
                                     args.range, *dtype, low ? -*most : *most)));
}

PyValue Parser::CallImmediate(const TirName& name, const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<3> bound;
  switch (name.form) {
    case TirForm::kStringImm: {
      if (!Bind(args, {"value", "span"}, 1, bound)) return error;
      const std::optional<std::string_view> text = ToText(*bound[0], "the value");
      if (!text) return error;
      return PyValue::Of(args.range,
                         static_cast<const Expr*>(builder_.New<StringImm>(args.range, *text)));
    }
    case TirForm::kIntImm:
    case TirForm::kFloatImm: {
      if (!Bind(args, {"dtype", "value", "span"}, 2, bound)) return error;
      const std::optional<DataType> dtype = ToDType(*bound[0]);
      if (!dtype || !bound[1]->is_number()) {
        if (dtype) Error(DiagnosticKind::kArguments, bound[1]->range, "expected a number");
        return error;
      }
      if (name.form == TirForm::kIntImm ? !dtype->is_integer() : !dtype->is_floating()) {
        Error(DiagnosticKind::kType, bound[0]->range,
              fmt::format("`T.{}` of `{}`", args.name, dtype->ToString()));
        return error;
      }
      const Expr* imm = NumberOf(*bound[1], *dtype);
      if (imm == nullptr) {
        Error(DiagnosticKind::kType, bound[1]->range,
              fmt::format("expected a value of dtype `{1}`, found {0}", Describe(*bound[1]),
                          dtype->ToString()));
      }
      return PyValue::Of(args.range, imm);
    }
    case TirForm::kAny:
      if (!Bind(args, {"span"}, 0, bound)) return error;
      return PyValue::Of(args.range, static_cast<const Expr*>(builder_.New<Any>(args.range)));
    case TirForm::kMetaVar:
      return Bind(args, {"value"}, 1, bound) ? *bound[0] : error;
    case TirForm::kVar: {
      // `T.var("int32")`, `T.Var("x", "int32")`
      if (args.positional.size() == 1) {
        if (!Bind(args, {"dtype"}, 1, bound)) return error;
      } else {
        if (!Bind(args, {"name", "dtype"}, 2, bound)) return error;
        bound[0] = bound[1];
      }
      const std::optional<DataType> dtype = ToDType(*bound[0]);
      return dtype ? FreshVar(*dtype, nullptr, args.range, false) : error;
    }
    default:
      Error(DiagnosticKind::kUnsupported, args.range,
            fmt::format("`T.{}` is not supported", args.name));
      return error;
  }
}

}  // namespace tenon
