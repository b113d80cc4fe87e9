#include "parser/values.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "arith/analyzer.h"
#include "ir/analysis/node_queries.h"
#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "parser/tir_names.h"
#include "support/checked.h"

namespace tenon {

namespace {

/// `a - b`, modulo 2^64.
int64_t WrappedDifference(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

std::string TextOf(const PyValue& value) {
  return value.is(PyKind::kBigInt) ? fmt::format("{}", static_cast<uint64_t>(value.integer))
                                   : fmt::format("{}", value.integer);
}

}  // namespace

double LargestOf(DataType dtype) {
  if (dtype.is_bfloat16()) return 3.38953138925153547590470800371487866880e+38;
  if (dtype.code() == TypeCode::kE4M3Float) return 448;
  if (dtype.code() == TypeCode::kE5M2Float) return 57344;
  if (dtype.bits() == 16) return 65504;
  return dtype.bits() == 32 ? double{std::numeric_limits<float>::max()}
                            : std::numeric_limits<double>::max();
}

Values::Values(ParseEnv& env) : env_(env) {}

Values::~Values() = default;

Analyzer& Values::analyzer() {
  if (analyzer_ == nullptr) {
    analyzer_ = std::make_unique<Analyzer>(env_.context, env_.arena,
                                           AnalyzerOptions{.assume_index_no_overflow = true});
  }
  return *analyzer_;
}

const Expr* Values::FloatOf(double value, DataType dtype, SourceRange range) {
  if (std::isfinite(value) && std::abs(value) > LargestOf(dtype)) {
    env_.Error(DiagnosticKind::kLiteral, range,
               fmt::format("{} is out of the range of `{}`", value, dtype.ToString()));
    value = 0;
  }
  return env_.builder.New<FloatImm>(range, dtype, value);
}

const Expr* Values::NumberOf(const PyValue& value, DataType dtype) {
  const DataType element = dtype.element();
  if (element.is_integer()) {
    if (value.is(PyKind::kFloat)) return nullptr;
    const int64_t wrapped = WrapToDType(value.integer, element);
    const bool fits = value.is(PyKind::kBigInt) ? element.is_uint() && element.bits() == 64
                                                : wrapped == value.integer || element.bits() == 64;
    if (fits && !(element.is_uint() && value.integer < 0 && !value.is(PyKind::kBigInt))) {
      return env_.builder.Int(element, value.integer, value.range);
    }
    env_.Error(DiagnosticKind::kLiteral, value.range,
               fmt::format("{} is out of the range of `{}`", TextOf(value), element.ToString()));
    return env_.builder.Int(element, 0, value.range);
  }
  if (!element.is_floating()) return nullptr;
  const double real = value.is(PyKind::kFloat) ? value.real
                      : value.is(PyKind::kBigInt)
                          ? static_cast<double>(static_cast<uint64_t>(value.integer))
                          : static_cast<double>(value.integer);
  return FloatOf(real, element, value.range);
}

const Expr* Values::ToExpr(const PyValue& value) {
  switch (value.kind) {
    case PyKind::kError:
      return nullptr;
    case PyKind::kExpr:
    case PyKind::kFreshVar:
      return value.expr;
    case PyKind::kInt: {
      const bool narrow = value.integer >= std::numeric_limits<int32_t>::min() &&
                          value.integer <= std::numeric_limits<int32_t>::max();
      return env_.builder.Int(DataType::Int(narrow ? 32 : 64), value.integer, value.range);
    }
    case PyKind::kBool:
      return env_.builder.Bool(value.integer != 0, value.range);
    case PyKind::kFloat:
      return FloatOf(value.real, DataType::Float(32), value.range);
    case PyKind::kString:
      return env_.builder.New<StringImm>(value.range, value.text());
    case PyKind::kAttr: {  // a text of several lines stands in the metadata
      if (const auto* expr = dyn_cast<ExprAttr>(value.attr)) return expr->value;
      if (const std::string_view* text = AsString(value.attr))
        return env_.builder.New<StringImm>(value.range, *text);
      env_.Error(DiagnosticKind::kType, value.range,
                 fmt::format("found {}, expected an expression", Describe(value)));
      return nullptr;
    }
    case PyKind::kSubscript:
      NoteRelease(*value.subscript);
      return LoadOf(*value.subscript);
    case PyKind::kIterVar:
      return value.iter_var->var;
    case PyKind::kScalar:
      return env_.builder.Load(value.buffer, {env_.builder.Int(0, value.range)}, value.range);
    case PyKind::kBuffer:
      env_.Error(DiagnosticKind::kType, value.range,
                 "expected an element of the buffer or its `.data`, found the buffer");
      return nullptr;
    case PyKind::kBigInt:
      env_.Error(DiagnosticKind::kLiteral, value.range,
                 "integer does not fit int64, expected it in `T.uint64(...)`");
      return nullptr;
    default:
      env_.Error(DiagnosticKind::kType, value.range,
                 fmt::format("found {}, expected an expression", Describe(value)));
      return nullptr;
  }
}

/// Releases differ in how they write a load of several elements.
void Values::NoteRelease(const PySubscript& subscript) {
  if (!subscript.slices.empty()) return env_.RaiseDialect(Dialect::kV025);
  for (const Expr* index : subscript.indices) {
    const auto* ramp = dyn_cast<Ramp>(index);
    const int64_t* stride = ramp == nullptr ? nullptr : AsIntImm(ramp->stride);
    if (stride != nullptr && *stride != 0) env_.RaiseDialect(Dialect::kV027);
  }
}

const Expr* Values::ToExpr(const PyValue& value, DataType like) {
  if (!value.is_number()) return ToExpr(value);
  if (value.is(PyKind::kFloat) && like.is_integer()) return ToExpr(value);
  if (like.is_handle() || like.is_void()) return ToExpr(value);
  return NumberOf(value, like);
}

Span<const Expr*> Values::IndicesOf(const PySubscript& subscript, bool* ok) {
  *ok = true;
  if (subscript.slices.empty()) return subscript.indices;
  absl::InlinedVector<const Expr*, 6> indices;
  for (const PyIndex& index : subscript.slices) {
    const Expr* expr = index.is_slice ? RampOf(index) : index.start;
    if (expr == nullptr) {
      *ok = false;
      return {};
    }
    indices.push_back(expr);
  }
  return env_.Copy(indices);
}

std::optional<DataType> Values::AccessType(const Buffer* buffer, Span<const Expr*> indices,
                                           SourceRange range) {
  const int64_t index_lanes = indices.empty() ? 1 : indices.back()->dtype.lanes();
  const int64_t lanes = index_lanes * buffer->dtype.lanes();
  if (lanes <= kMostLanes && lanes >= -kMostLanes) {
    return buffer->dtype.with_lanes(static_cast<int>(lanes));
  }
  env_.Error(DiagnosticKind::kLimit, range,
             fmt::format("access of {} lanes, at most {} are possible", lanes, kMostLanes));
  return std::nullopt;
}

const Expr* Values::LoadOf(const PySubscript& subscript) {
  bool ok = true;
  const Span<const Expr*> indices = IndicesOf(subscript, &ok);
  if (!ok) return nullptr;
  const auto dtype = AccessType(subscript.buffer, indices, subscript.range);
  if (!dtype) return nullptr;
  return env_.builder.New<BufferLoad>(subscript.range, *dtype, subscript.buffer, indices);
}

std::optional<int64_t> Values::ConstantOf(const Expr* expr) {
  if (const int64_t* value = AsIntImm(expr)) return *value;
  const Expr* simple = analyzer().Simplify(expr);
  if (const int64_t* value = AsIntImm(simple)) return *value;
  return std::nullopt;
}

const Expr* Values::ExtentBetween(const Expr* start, const Expr* stop) {
  const int64_t* first = AsIntImm(start);
  const int64_t* last = AsIntImm(stop);
  if (first != nullptr && *first == 0) return stop;
  const DataType dtype = stop->dtype;
  if (first != nullptr && last != nullptr) {
    return env_.builder.Int(dtype, WrapToDType(WrappedDifference(*last, *first), dtype),
                            stop->range);
  }
  // `start + n`, as the printer writes it.
  const auto* sum = dyn_cast<Add>(stop);
  if (sum != nullptr && HaveSameValue(sum->a, start)) return sum->b;
  if (const auto* offset = dyn_cast_or_null<Add>(start); offset != nullptr && sum != nullptr) {
    const int64_t* low = AsIntImm(offset->b);
    const int64_t* high = AsIntImm(sum->b);
    if (low != nullptr && high != nullptr && HaveSameValue(sum->a, offset->a)) {
      return env_.builder.Int(dtype, WrapToDType(WrappedDifference(*high, *low), dtype),
                              stop->range);
    }
  }
  std::string error;
  const Expr* difference = Operator(env_.builder, NodeKind::kSub, stop, start, stop->range, &error);
  if (difference == nullptr) {
    env_.Error(DiagnosticKind::kType, stop->range, std::move(error));
    return nullptr;
  }
  return analyzer().Simplify(difference);
}

/// `k` of `T.vscale() * k`.
static std::optional<int> VscaleFactorOf(const Expr* extent) {
  const auto* product = dyn_cast<Mul>(extent);
  const auto* call = product == nullptr ? nullptr : dyn_cast<Call>(product->a);
  const int64_t* factor = product == nullptr ? nullptr : AsIntImm(product->b);
  const bool fits = call != nullptr && call->op->kind == OpKind::kVscale && factor != nullptr &&
                    *factor > 1 && *factor <= kMostLanes;
  return fits ? std::optional<int>(static_cast<int>(*factor)) : std::nullopt;
}

const Expr* Values::RampOf(const PyIndex& index) {
  if (index.start == nullptr || index.stop == nullptr) {
    env_.Error(DiagnosticKind::kType, index.range,
               "expected a slice with both ends (only a region may omit them)");
    return nullptr;
  }
  const Expr* step = index.step != nullptr
                         ? SmartCast(env_.builder, index.start->dtype.element(), index.step)
                         : env_.builder.Int(index.start->dtype.element(), 1, index.range);
  const Expr* extent = ExtentBetween(index.start, index.stop);
  if (extent == nullptr) return nullptr;
  const int64_t* stride = AsIntImm(step);
  if (const std::optional<int> factor = VscaleFactorOf(extent); factor && stride && *stride == 1) {
    return env_.builder.New<Ramp>(index.range, index.start, step, -*factor);
  }
  const std::optional<int64_t> length = ConstantOf(extent);
  if (!length || stride == nullptr || *stride == 0) {
    env_.Error(DiagnosticKind::kType, index.range,
               "the number of elements of the slice is not a constant");
    return nullptr;
  }
  const int64_t magnitude = *stride < 0 ? -*stride : *stride;
  const int64_t span = *stride < 0 ? -*length : *length;
  const int64_t lanes = span <= 0 ? 0 : (span - 1) / magnitude + 1;
  if (lanes < 1 || lanes > kMostLanes) {
    env_.Error(DiagnosticKind::kType, index.range,
               fmt::format("slice of {} elements, expected 1 to {}", lanes, kMostLanes));
    return nullptr;
  }
  if (lanes == 1) return index.start;
  return env_.builder.New<Ramp>(index.range, index.start, step, static_cast<int>(lanes));
}

const Range* Values::RangeOf(const PyIndex& index) {
  if (!index.is_slice) {
    if (const auto* ramp = dyn_cast<Ramp>(index.start);
        ramp != nullptr && IsConstInt(ramp->stride, 1)) {
      return env_.builder.New<Range>(
          index.range, ramp->base,
          env_.builder.Int(ramp->base->dtype, ramp->dtype.lanes(), index.range));
    }
    return env_.builder.New<Range>(index.range, index.start,
                                   env_.builder.Int(index.start->dtype.element(), 1, index.range));
  }
  if (index.step != nullptr && !IsConstInt(index.step, 1)) {
    env_.Error(DiagnosticKind::kType, index.range, "region with a step, expected step 1");
    return nullptr;
  }
  if (index.start == nullptr || index.stop == nullptr) return nullptr;
  const Expr* start = index.start;
  const Expr* extent = ExtentBetween(start, index.stop);
  if (extent == nullptr) return nullptr;
  // Constants take the width of the other end.
  if (start->dtype != extent->dtype && isa<IntImm>(start)) {
    start = SmartCast(env_.builder, extent->dtype, start);
  }
  if (start->dtype != extent->dtype && isa<IntImm>(extent)) {
    extent = SmartCast(env_.builder, start->dtype, extent);
  }
  return env_.builder.New<Range>(index.range, start, extent);
}

const BufferRegion* Values::ToRegion(const PyValue& value) {
  if (value.is_error()) return nullptr;
  absl::InlinedVector<const Range*, 6> ranges;
  const Buffer* buffer = nullptr;
  if (value.is(PyKind::kBuffer)) {
    buffer = value.buffer;
    for (const Expr* extent : buffer->shape) {
      ranges.push_back(env_.builder.New<Range>(
          value.range, env_.builder.Int(extent->dtype, 0, value.range), extent));
    }
  } else if (value.is(PyKind::kSubscript)) {
    buffer = value.subscript->buffer;
    for (const Expr* index : value.subscript->indices) {
      PyIndex plain;
      plain.start = index;
      plain.range = index->range;
      ranges.push_back(RangeOf(plain));
    }
    for (size_t i = 0; i < value.subscript->slices.size(); ++i) {
      PyIndex index = value.subscript->slices[i];
      if (index.is_slice && index.start == nullptr) {
        index.start = env_.builder.Int(buffer->shape[i]->dtype, 0, index.range);
      }
      if (index.is_slice && index.stop == nullptr) index.stop = buffer->shape[i];
      ranges.push_back(RangeOf(index));
      if (ranges.back() == nullptr) return nullptr;
    }
  } else {
    const Expr* expr = ToExpr(value);
    const auto* load = dyn_cast_or_null<BufferLoad>(expr);
    if (load == nullptr) {
      if (expr != nullptr) {
        env_.Error(DiagnosticKind::kType, value.range,
                   fmt::format("found {}, expected a region of a buffer", Describe(value)));
      }
      return nullptr;
    }
    buffer = load->buffer;
    for (const Expr* index : load->indices) {
      PyIndex plain;
      plain.start = index;
      plain.range = index->range;
      ranges.push_back(RangeOf(plain));
    }
  }
  return env_.builder.New<BufferRegion>(value.range, buffer, env_.Copy(ranges));
}

const Range* Values::ToRange(const PyValue& value) {
  if (value.is(PyKind::kRange)) return value.range_node;
  if (value.is_sequence() && value.count == 2) {
    const Expr* begin = IndexOf(value.items[0], "begin of the domain");
    const Expr* end = IndexOf(value.items[1], "end of the domain");
    if (begin == nullptr || end == nullptr) return nullptr;
    if (isa<IntImm>(begin)) begin = SmartCast(env_.builder, end->dtype, begin);
    if (isa<IntImm>(end)) end = SmartCast(env_.builder, begin->dtype, end);
    const Expr* extent = ExtentBetween(begin, end);
    return extent == nullptr ? nullptr : env_.builder.New<Range>(value.range, begin, extent);
  }
  const Expr* extent = ToExpr(value);
  if (extent == nullptr) return nullptr;
  if (!extent->dtype.is_integer() || !extent->dtype.is_scalar()) {
    env_.Error(DiagnosticKind::kType, value.range,
               fmt::format("the domain is {}, expected an integer or a pair of them",
                           DescribeTyped(value, extent)));
    return nullptr;
  }
  return env_.builder.New<Range>(value.range, env_.builder.Int(extent->dtype, 0, value.range),
                                 extent);
}

bool Values::ToExprs(const PyValue& value, std::string_view what, Span<const Expr*>* result) {
  if (value.is_error()) return false;
  absl::InlinedVector<const Expr*, 6> exprs;
  if (value.is_sequence() || value.is(PyKind::kField)) {
    for (const PyValue& item : value.elements()) {
      exprs.push_back(ToExpr(item));
      if (exprs.back() == nullptr) return false;
    }
  } else if (value.is_number() || value.is(PyKind::kExpr) || value.is(PyKind::kSubscript)) {
    exprs.push_back(ToExpr(value));
    if (exprs.back() == nullptr) return false;
  } else {
    env_.Error(DiagnosticKind::kArguments, value.range,
               fmt::format("{} is {}, expected a list", what, Describe(value)));
    return false;
  }
  *result = env_.Copy(exprs);
  return true;
}

const Expr* Values::ArgOf(const PyValue& value) {
  // A buffer's name as an argument denotes its data.
  if (value.is(PyKind::kBuffer)) return value.buffer->data;
  return ToExpr(value);
}

const Expr* Values::IndexOf(const PyValue& value, std::string_view what) {
  const Expr* index = ToExpr(value);
  if (index == nullptr || index->dtype.is_integer()) return index;
  env_.Error(DiagnosticKind::kType, value.range,
             fmt::format("{} is {}, expected an integer", what, DescribeTyped(value, index)));
  return nullptr;
}

std::optional<int64_t> Values::ToInt(const PyValue& value, std::string_view what) {
  if (value.is(PyKind::kInt)) return value.integer;
  if (value.is(PyKind::kExpr)) {
    if (const int64_t* imm = AsIntImm(value.expr)) return *imm;
  }
  if (value.is(PyKind::kBigInt)) {
    env_.Error(DiagnosticKind::kLiteral, value.range, fmt::format("{} does not fit int64", what));
  } else if (!value.is_error()) {
    env_.Error(DiagnosticKind::kArguments, value.range,
               fmt::format("{} is {}, expected an integer", what, Describe(value)));
  }
  return std::nullopt;
}

std::optional<std::string_view> Values::ToText(const PyValue& value, std::string_view what) {
  if (value.is(PyKind::kString)) return value.text();
  if (value.is(PyKind::kExpr)) {
    if (const auto* imm = dyn_cast<StringImm>(value.expr)) return imm->value;
  }
  if (value.is(PyKind::kAttr)) {
    if (const std::string_view* text = AsString(value.attr)) return *text;
    const auto* expr = dyn_cast<ExprAttr>(value.attr);
    const auto* imm = expr == nullptr ? nullptr : dyn_cast<StringImm>(expr->value);
    if (imm != nullptr) return imm->value;
  }
  if (!value.is_error()) {
    env_.Error(DiagnosticKind::kArguments, value.range,
               fmt::format("{} is {}, expected a string", what, Describe(value)));
  }
  return std::nullopt;
}

bool Values::TakeText(const PyValue* argument, std::string_view what, std::string_view* text) {
  if (argument == nullptr) return true;
  const std::optional<std::string_view> given = ToText(*argument, what);
  if (given) *text = *given;
  return given.has_value();
}

std::optional<DataType> Values::ToDType(const PyValue& value) {
  if (value.is(PyKind::kTirName) && value.tir_name->form == TirForm::kDType) {
    return value.tir_name->dtype;
  }
  const std::optional<std::string_view> text = ToText(value, "the dtype");
  if (!text) return std::nullopt;
  const std::optional<DataType> dtype = env_.DTypeOf(*text);
  if (!dtype) {
    env_.Error(DiagnosticKind::kType, value.range,
               fmt::format("expected a dtype such as `float32`, found `{}`", *text));
  }
  return dtype;
}

const Type* Values::ToType(const PyValue& value) {
  if (value.is(PyKind::kTirName)) {
    if (value.tir_name->form == TirForm::kDType) return env_.PrimTypeOf(value.tir_name->dtype);
    if (value.tir_name->form == TirForm::kHandle) return env_.PrimTypeOf(DataType::Handle());
  }
  if (value.is(PyKind::kFreshVar)) return cast<Var>(value.expr)->type;
  if (value.is(PyKind::kString)) {
    const std::optional<DataType> dtype = ToDType(value);
    return dtype ? env_.PrimTypeOf(*dtype) : nullptr;
  }
  if (value.is(PyKind::kNone)) return env_.context.VoidType();
  if (!value.is_error()) {
    env_.Error(DiagnosticKind::kType, value.range,
               fmt::format("found {}, expected a type such as `T.int32`", Describe(value)));
  }
  return nullptr;
}

bool Values::CheckElement(DataType dtype, const PyValue* written) {
  if (!dtype.is_void()) return true;
  env_.Error(DiagnosticKind::kType, written->range, "elements of `void`");
  return false;
}

bool Values::CheckExtents(Span<const Expr*> extents, DataType dtype, const PyValue& written) {
  absl::InlinedVector<int64_t, 8> constants;
  for (size_t i = 0; i < extents.size(); ++i) {
    const Expr* extent = extents[i];
    const SourceRange range = written.is_sequence() ? written.items[i].range : written.range;
    if (!extent->dtype.is_integer() || !extent->dtype.is_scalar()) {
      env_.Error(DiagnosticKind::kType, range,
                 isa<StringImm>(extent) ? "extent is a string, expected an integer"
                                        : fmt::format("extent of dtype `{}`, expected an integer",
                                                      extent->dtype.ToString()));
      return false;
    }
    const int64_t* value = AsIntImm(extent);
    if (value == nullptr) continue;
    if (*value < 0) {
      env_.Error(DiagnosticKind::kConstantShape, range,
                 fmt::format("extent {}, expected 0 or more", *value));
      return false;
    }
    constants.push_back(*value);
  }
  if (BytesOf(std::span<const int64_t>(constants.data(), constants.size()), dtype.bytes())) {
    return true;
  }
  env_.Error(DiagnosticKind::kLimit, written.range, "the size is 2^62 bytes or more");
  return false;
}

bool Values::CheckLet(DataType dtype, const Expr* value, SourceRange range) {
  if (value->dtype.is_void()) {
    env_.Error(DiagnosticKind::kType, range, "the value has no dtype");
    return false;
  }
  if (dtype == value->dtype) return true;
  env_.Error(DiagnosticKind::kType, range,
             fmt::format("variable of dtype `{}` is bound to a value of `{}`", dtype.ToString(),
                         value->dtype.ToString()));
  return false;
}

const Expr* Values::ConditionOf(const Expr* value) {
  const bool is_number = value != nullptr && value->dtype.is_integer() &&
                         value->dtype.is_scalar() && !value->dtype.is_bool();
  if (!is_number || !IsTirx(env_.dialect)) return value;
  const Expr* zero = env_.builder.Int(value->dtype, 0, value->range);
  return MakeBinary(env_.builder, NodeKind::kNE, value, zero, value->range);
}

bool Values::CheckCondition(const Expr* condition, SourceRange range) {
  if (condition->dtype == DataType::Bool()) return true;
  if (isa<StringImm>(condition)) {
    env_.Error(DiagnosticKind::kType, range, "the condition is a string, expected bool");
    return false;
  }
  env_.Error(
      DiagnosticKind::kType, range,
      fmt::format("the condition has dtype `{}`, expected bool", condition->dtype.ToString()));
  return false;
}

}  // namespace tenon
