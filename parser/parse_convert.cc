#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "arith/analyzer.h"
#include "ir/structural.h"
#include "parser/parser_internal.h"
#include "support/checked.h"

namespace tenon {

namespace {

/// What is no plain value.
std::string_view DescribeOther(PyKind kind) {
  switch (kind) {
    case PyKind::kScope:
      return "something that opens a scope";
    case PyKind::kLoop:
      return "a loop's range";
    case PyKind::kDone:
      return "a statement";
    case PyKind::kReducer:
      return "a reducer";
    case PyKind::kField:
      return "a list of extents or strides";
    case PyKind::kTirModule:
    case PyKind::kRelaxModule:
    case PyKind::kRelaxName:
    case PyKind::kIrModule:
      return "a namespace";
    case PyKind::kClass:
      return "the module";
    case PyKind::kMetadata:
    case PyKind::kMetadataKey:
      return "`metadata` without a key or an index";
    case PyKind::kAxis:
      return "`T.axis` without a kind";
    case PyKind::kCall:
      return "the data of a constant";
    case PyKind::kAttr:
      return "an attribute's value";
    default:
      return "nothing";
  }
}

}  // namespace

std::string_view Describe(const PyValue& value) {
  switch (value.kind) {
    case PyKind::kNone:
      return "`None`";
    case PyKind::kBool:
      return "a bool";
    case PyKind::kInt:
    case PyKind::kBigInt:
      return "an integer";
    case PyKind::kFloat:
      return "a floating number";
    case PyKind::kString:
      return "a string";
    case PyKind::kList:
    case PyKind::kRawList:
      return "a list";
    case PyKind::kTuple:
      return "a tuple";
    case PyKind::kDict:
      return "a dict";
    case PyKind::kExpr:
    case PyKind::kFreshVar:
      return "an expression";
    case PyKind::kSubscript:
      return "an element or region of a buffer";
    case PyKind::kBuffer:
      return "a buffer";
    case PyKind::kScalar:
      return "a scalar";
    case PyKind::kLet:
      return "`T.let`, which is not a value";
    case PyKind::kIterVar:
      return "an iteration variable";
    case PyKind::kRange:
      return "a range";
    case PyKind::kTirName:
      return value.tir_name->form == TirForm::kDType ? "a dtype" : "a function that is not called";
    case PyKind::kFunction:
    case PyKind::kIrName:
    case PyKind::kRangeName:
    case PyKind::kMethod:
      return "a function that is not called";
    default:
      return DescribeOther(value.kind);
  }
}

std::string DescribeTyped(const PyValue& value, const Expr* expr) {
  if (value.is(PyKind::kString)) return "a string";
  return fmt::format("of dtype `{}`", expr->dtype.ToString());
}

namespace {

/// The largest finite value of a floating dtype.
double MostOf(DataType dtype) {
  if (dtype.is_bfloat16()) return 3.38953138925153547590470800371487866880e+38;
  if (dtype.code() == TypeCode::kE4M3Float) return 448;
  if (dtype.code() == TypeCode::kE5M2Float) return 57344;
  if (dtype.bits() == 16) return 65504;
  return dtype.bits() == 32 ? double{std::numeric_limits<float>::max()}
                            : std::numeric_limits<double>::max();
}

std::string TextOf(const PyValue& value) {
  return value.is(PyKind::kBigInt) ? fmt::format("{}", static_cast<uint64_t>(value.integer))
                                   : fmt::format("{}", value.integer);
}

}  // namespace

const Expr* Parser::FloatOf(double value, DataType dtype, SourceRange range) {
  if (std::isfinite(value) && std::abs(value) > MostOf(dtype)) {
    Error(DiagnosticKind::kLiteral, range,
          fmt::format("{} is out of the range of `{}`", value, dtype.ToString()));
    value = 0;
  }
  return builder_.New<FloatImm>(range, dtype, value);
}

const Expr* Parser::NumberOf(const PyValue& value, DataType dtype) {
  const DataType element = dtype.element();
  if (element.is_integer()) {
    if (value.is(PyKind::kFloat)) return nullptr;
    const int64_t wrapped = WrapToDType(value.integer, element);
    const bool fits = value.is(PyKind::kBigInt) ? element.is_uint() && element.bits() == 64
                                                : wrapped == value.integer || element.bits() == 64;
    if (fits && !(element.is_uint() && value.integer < 0 && !value.is(PyKind::kBigInt))) {
      return builder_.Int(element, value.integer, value.range);
    }
    Error(DiagnosticKind::kLiteral, value.range,
          fmt::format("{} is out of the range of `{}`", TextOf(value), element.ToString()));
    return builder_.Int(element, 0, value.range);
  }
  if (!element.is_floating()) return nullptr;
  const double real = value.is(PyKind::kFloat) ? value.real
                      : value.is(PyKind::kBigInt)
                          ? static_cast<double>(static_cast<uint64_t>(value.integer))
                          : static_cast<double>(value.integer);
  return FloatOf(real, element, value.range);
}

const Expr* Parser::ToExpr(const PyValue& value) {
  switch (value.kind) {
    case PyKind::kError:
      return nullptr;
    case PyKind::kExpr:
    case PyKind::kFreshVar:
      return value.expr;
    case PyKind::kInt: {
      const bool narrow = value.integer >= std::numeric_limits<int32_t>::min() &&
                          value.integer <= std::numeric_limits<int32_t>::max();
      return builder_.Int(DataType::Int(narrow ? 32 : 64), value.integer, value.range);
    }
    case PyKind::kBool:
      return builder_.Bool(value.integer != 0, value.range);
    case PyKind::kFloat:
      return FloatOf(value.real, DataType::Float(32), value.range);
    case PyKind::kString:
      return builder_.New<StringImm>(value.range, value.text());
    case PyKind::kAttr: {  // a text of several lines stands in the metadata
      if (const auto* expr = dyn_cast<ExprAttr>(value.attr)) return expr->value;
      if (const std::string_view* text = AsString(value.attr))
        return builder_.New<StringImm>(value.range, *text);
      Error(DiagnosticKind::kType, value.range,
            fmt::format("found {}, expected an expression", Describe(value)));
      return nullptr;
    }
    case PyKind::kSubscript:
      return LoadOf(*value.subscript);
    case PyKind::kIterVar:
      return value.iter_var->var;
    case PyKind::kScalar:
      return builder_.Load(value.buffer, {builder_.Int(0, value.range)}, value.range);
    case PyKind::kBuffer:
      Error(DiagnosticKind::kType, value.range,
            "expected an element of the buffer or its `.data`, found the buffer");
      return nullptr;
    case PyKind::kBigInt:
      Error(DiagnosticKind::kLiteral, value.range,
            "integer does not fit int64, expected it in `T.uint64(...)`");
      return nullptr;
    default:
      Error(DiagnosticKind::kType, value.range,
            fmt::format("found {}, expected an expression", Describe(value)));
      return nullptr;
  }
}

const Expr* Parser::ToExpr(const PyValue& value, DataType like) {
  if (!value.is_number()) return ToExpr(value);
  if (value.is(PyKind::kFloat) && like.is_integer()) return ToExpr(value);
  if (like.is_handle() || like.is_void()) return ToExpr(value);
  return NumberOf(value, like);
}

Span<const Expr*> Parser::IndicesOf(const PySubscript& subscript, bool* ok) {
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
  return arena_.Copy(Span<const Expr*>(indices.data(), indices.size()));
}

const Expr* Parser::LoadOf(const PySubscript& subscript) {
  bool ok = true;
  const Span<const Expr*> indices = IndicesOf(subscript, &ok);
  if (!ok) return nullptr;
  const Buffer* buffer = subscript.buffer;
  const int64_t lanes = indices.empty() ? 1 : indices.back()->dtype.lanes();
  const int64_t all = lanes * buffer->dtype.lanes();
  if (all > kMostLanes || all < -kMostLanes) {
    Error(DiagnosticKind::kLimit, subscript.range,
          fmt::format("access of {} lanes, at most {} are possible", all, kMostLanes));
    return nullptr;
  }
  return builder_.New<BufferLoad>(subscript.range, buffer->dtype.with_lanes(static_cast<int>(all)),
                                  buffer, indices);
}

std::optional<int64_t> Parser::ConstantOf(const Expr* expr) {
  if (const int64_t* value = AsIntImm(expr)) return *value;
  const Expr* simple = Simplify(expr);
  if (const int64_t* value = AsIntImm(simple)) return *value;
  return std::nullopt;
}

const Expr* Parser::Simplify(const Expr* expr) {
  if (analyzer_ == nullptr) {
    analyzer_ = std::make_unique<Analyzer>(context_, arena_,
                                           AnalyzerOptions{.assume_index_no_overflow = true});
  }
  return analyzer_->Simplify(expr);
}

const Expr* Parser::ExtentBetween(const Expr* start, const Expr* stop) {
  const int64_t* first = AsIntImm(start);
  const int64_t* last = AsIntImm(stop);
  if (first != nullptr && *first == 0) return stop;
  const DataType dtype = stop->dtype;
  if (first != nullptr && last != nullptr) {
    return builder_.Int(dtype, WrapToDType(*last - *first, dtype), stop->range);
  }
  // `start + n`, as it is printed.
  const auto* sum = dyn_cast<Add>(stop);
  if (sum != nullptr && StructuralEqual(sum->a, start)) return sum->b;
  if (const auto* offset = dyn_cast_or_null<Add>(start); offset != nullptr && sum != nullptr) {
    const int64_t* low = AsIntImm(offset->b);
    const int64_t* high = AsIntImm(sum->b);
    if (low != nullptr && high != nullptr && StructuralEqual(sum->a, offset->a)) {
      return builder_.Int(dtype, WrapToDType(*high - *low, dtype), stop->range);
    }
  }
  std::string error;
  const Expr* difference = Operator(builder_, NodeKind::kSub, stop, start, stop->range, &error);
  if (difference == nullptr) {
    Error(DiagnosticKind::kType, stop->range, std::move(error));
    return nullptr;
  }
  return Simplify(difference);
}

const Expr* Parser::RampOf(const PyIndex& index) {
  if (index.start == nullptr || index.stop == nullptr) {
    Error(DiagnosticKind::kType, index.range,
          "expected a slice with both ends (only a region may omit them)");
    return nullptr;
  }
  const Expr* step = index.step != nullptr
                         ? SmartCast(builder_, index.start->dtype.element(), index.step)
                         : builder_.Int(index.start->dtype.element(), 1, index.range);
  const Expr* extent = ExtentBetween(index.start, index.stop);
  if (extent == nullptr) return nullptr;
  const int64_t* stride = AsIntImm(step);
  const std::optional<int64_t> length = ConstantOf(extent);
  if (!length || stride == nullptr || *stride == 0) {
    Error(DiagnosticKind::kType, index.range,
          "the number of elements of the slice is not a constant");
    return nullptr;
  }
  const int64_t magnitude = *stride < 0 ? -*stride : *stride;
  const int64_t span = *stride < 0 ? -*length : *length;
  const int64_t lanes = span <= 0 ? 0 : (span - 1) / magnitude + 1;
  if (lanes < 1 || lanes > kMostLanes) {
    Error(DiagnosticKind::kType, index.range,
          fmt::format("slice of {} elements, expected 1 to {}", lanes, kMostLanes));
    return nullptr;
  }
  if (lanes == 1) return index.start;
  return builder_.New<Ramp>(index.range, index.start, step, static_cast<int>(lanes));
}

const Range* Parser::RangeOf(const PyIndex& index) {
  if (!index.is_slice) {
    if (const auto* ramp = dyn_cast<Ramp>(index.start);
        ramp != nullptr && IsConstInt(ramp->stride, 1)) {
      return builder_.New<Range>(index.range, ramp->base,
                                 builder_.Int(ramp->base->dtype, ramp->dtype.lanes(), index.range));
    }
    return builder_.New<Range>(index.range, index.start,
                               builder_.Int(index.start->dtype.element(), 1, index.range));
  }
  if (index.step != nullptr && !IsConstInt(index.step, 1)) {
    Error(DiagnosticKind::kType, index.range, "region with a step, expected step 1");
    return nullptr;
  }
  if (index.start == nullptr || index.stop == nullptr) return nullptr;
  const Expr* start = index.start;
  const Expr* extent = ExtentBetween(start, index.stop);
  if (extent == nullptr) return nullptr;
  // Constants take the width of the other end.
  if (start->dtype != extent->dtype && isa<IntImm>(start)) {
    start = SmartCast(builder_, extent->dtype, start);
  }
  if (start->dtype != extent->dtype && isa<IntImm>(extent)) {
    extent = SmartCast(builder_, start->dtype, extent);
  }
  return builder_.New<Range>(index.range, start, extent);
}

const BufferRegion* Parser::ToRegion(const PyValue& value) {
  if (value.is_error()) return nullptr;
  absl::InlinedVector<const Range*, 6> ranges;
  const Buffer* buffer = nullptr;
  if (value.is(PyKind::kBuffer)) {
    buffer = value.buffer;
    for (const Expr* extent : buffer->shape) {
      ranges.push_back(
          builder_.New<Range>(value.range, builder_.Int(extent->dtype, 0, value.range), extent));
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
        index.start = builder_.Int(buffer->shape[i]->dtype, 0, index.range);
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
        Error(DiagnosticKind::kType, value.range,
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
  return builder_.New<BufferRegion>(value.range, buffer,
                                    arena_.Copy(Span<const Range*>(ranges.data(), ranges.size())));
}

bool Parser::ToExprs(const PyValue& value, std::string_view what, Span<const Expr*>* result) {
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
    Error(DiagnosticKind::kArguments, value.range,
          fmt::format("{} is {}, expected a list", what, Describe(value)));
    return false;
  }
  *result = arena_.Copy(Span<const Expr*>(exprs.data(), exprs.size()));
  return true;
}

std::optional<int64_t> Parser::ToInt(const PyValue& value, std::string_view what) {
  if (value.is(PyKind::kInt)) return value.integer;
  if (value.is(PyKind::kExpr)) {
    if (const int64_t* imm = AsIntImm(value.expr)) return *imm;
  }
  if (value.is(PyKind::kBigInt)) {
    Error(DiagnosticKind::kLiteral, value.range, fmt::format("{} does not fit int64", what));
  } else if (!value.is_error()) {
    Error(DiagnosticKind::kArguments, value.range,
          fmt::format("{} is {}, expected an integer", what, Describe(value)));
  }
  return std::nullopt;
}

std::optional<std::string_view> Parser::ToText(const PyValue& value, std::string_view what) {
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
    Error(DiagnosticKind::kArguments, value.range,
          fmt::format("{} is {}, expected a string", what, Describe(value)));
  }
  return std::nullopt;
}

std::optional<DataType> Parser::ToDType(const PyValue& value) {
  if (value.is(PyKind::kTirName) && value.tir_name->form == TirForm::kDType) {
    return value.tir_name->dtype;
  }
  const std::optional<std::string_view> text = ToText(value, "the dtype");
  if (!text) return std::nullopt;
  const std::optional<DataType> dtype = DTypeOf(*text);
  if (!dtype) {
    Error(DiagnosticKind::kType, value.range,
          fmt::format("expected a dtype such as `float32`, found `{}`", *text));
  }
  return dtype;
}

}  // namespace tenon
