#include <fmt/format.h>

#include "parser/parser_internal.h"
#include "support/checked.h"

namespace tenon {

namespace {

/// The parameters of buffer declarations from the shape on.
enum Param : size_t {
  kShape,
  kDType,
  kData,
  kStrides,
  kElemOffset,
  kScope,
  kAlign,
  kOffsetFactor,
  kBufferType,
  kAxisSeparators,
  kParams,
};
constexpr std::string_view kParamNames[] = {
    "shape", "dtype", "data",          "strides",     "elem_offset",
    "scope", "align", "offset_factor", "buffer_type", "axis_separators"};
constexpr std::string_view kMatchParamNames[] = {
    "param", "shape", "dtype",         "data",        "strides",        "elem_offset",
    "scope", "align", "offset_factor", "buffer_type", "axis_separators"};

}  // namespace

void Parser::NameBuffer(Buffer* buffer, NameEntry* name, bool owns_data) {
  if (!buffer->name.empty()) return;
  buffer->name = SymbolOf(name);
  if (!owns_data) return;
  auto* data = const_cast<Var*>(buffer->data);
  if (data->name.empty()) data->name = buffer->name;
}

PyValue Parser::CallBuffer(const TirName& name, const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  if (name.form == TirForm::kPtr) return CallHandle(args);
  if (name.form == TirForm::kMatchBuffer) return MatchBuffer(args);
  std::array<const PyValue*, kParams> bound;
  Args room;
  const Args* plain = WithoutLayout(args, &room);
  if (plain == nullptr || !Bind(*plain, kParamNames, 1, bound)) return error;
  const PyValue shape = ReadQuotedExtents(*bound[kShape]);
  bound[kShape] = &shape;
  bool owns_data = false;
  Buffer* buffer = MakeBuffer(bound, args.range, name.form, &owns_data);
  if (buffer == nullptr) return error;
  switch (name.form) {
    case TirForm::kDeclBuffer: {
      PendingScope* scope =
          NewScope(owns_data ? ScopeForm::kAllocatedBuffer : ScopeForm::kDeclBuffer, args.range);
      scope->buffer = buffer;
      scope->owns_data = owns_data;
      return ScopeValue(scope);
    }
    case TirForm::kAllocBuffer:
      if (open_blocks_.empty()) {
        Error(DiagnosticKind::kType, args.range, "`T.alloc_buffer` outside of a function");
        return error;
      }
      open_blocks_.back()->alloc_buffers.push_back(buffer);
      break;
    default:
      break;
  }
  PyValue value = PyValue::Of(args.range, static_cast<const Buffer*>(buffer));
  value.count = owns_data ? kFreshBuffer | kOwnsData : kFreshBuffer;
  if (name.form == TirForm::kBuffer) value.count |= kPassing;
  return value;
}

std::optional<std::array<int32_t, 2>> Parser::BufferNumbers(const PyValue* align,
                                                            const PyValue* factor) {
  std::array<int32_t, 2> numbers{64, 0};
  if (align != nullptr) {
    const std::optional<int64_t> value = ToInt(*align, "the alignment");
    if (!value) return std::nullopt;
    if (*value > 0 && (!IsPowerOfTwo(*value) || *value > (1 << 30))) {
      Error(DiagnosticKind::kArguments, align->range,
            fmt::format("alignment {}, expected a power of two", *value));
      return std::nullopt;
    }
    if (*value > 0) numbers[0] = static_cast<int32_t>(*value);
  }
  if (factor != nullptr) {
    const std::optional<int64_t> value = ToInt(*factor, "the offset factor");
    if (!value) return std::nullopt;
    if (*value < 0 || *value > (1 << 30)) {
      Error(DiagnosticKind::kArguments, factor->range,
            fmt::format("offset factor {}, expected 0 to 2^30", *value));
      return std::nullopt;
    }
    numbers[1] = static_cast<int32_t>(*value);
  }
  return numbers;
}

const Var* Parser::BufferData(const PyValue& value) {
  const Expr* expr = ToExpr(value);
  const auto* var = dyn_cast_or_null<Var>(expr);
  if (var != nullptr && var->type->is_pointer()) return var;
  if (expr != nullptr) {
    Error(DiagnosticKind::kType, value.range,
          "the data of a buffer, expected a variable of pointer type such as "
          "`T.handle(\"float32\")`");
  }
  return nullptr;
}

bool Parser::BufferStrides(const PyValue& value, DataType fresh, Span<const Expr*>* result) {
  if (value.is(PyKind::kNone)) return true;
  if (!value.is_sequence() && !value.is(PyKind::kField))
    return ToExprs(value, "the list of strides", result);
  absl::InlinedVector<const Expr*, 6> strides;
  for (const PyValue& item : value.elements()) {
    if (item.is(PyKind::kString)) {  // a variable that the buffer itself introduces
      strides.push_back(
          builder_.New<Var>(item.range, context_.Intern(item.text()), PrimTypeOf(fresh)));
    } else {
      strides.push_back(ToExpr(item));
    }
    if (strides.back() == nullptr) return false;
  }
  *result = arena_.Copy(Span<const Expr*>(strides.data(), strides.size()));
  return true;
}

Buffer* Parser::MakeBuffer(std::span<const PyValue* const> bound, SourceRange range, TirForm form,
                           bool* owns_data) {
  Span<const Expr*> shape;
  if (!ToExprs(*bound[kShape], "the shape", &shape)) return nullptr;
  const auto given = [&](Param param) {
    return bound[param] != nullptr && !bound[param]->is(PyKind::kNone);
  };
  std::optional<DataType> dtype = DataType::Float(32);
  if (given(kDType)) dtype = ToDType(*bound[kDType]);
  if (!dtype || !CheckElement(*dtype, bound[kDType]) ||
      !CheckExtents(shape, *dtype, *bound[kShape])) {
    return nullptr;
  }
  std::string_view scope = "global";
  if (given(kScope)) {
    const std::optional<std::string_view> text = ToText(*bound[kScope], "the storage scope");
    if (!text) return nullptr;
    if (!text->empty()) scope = *text;
  }
  const Var* data = nullptr;
  if (given(kData)) {
    data = BufferData(*bound[kData]);
  } else {
    *owns_data = true;
    const DataType element = *dtype == DataType::Bool() ? DataType::Int(8) : *dtype;
    data = builder_.New<Var>(range, Symbol(), PointerTypeOf(element, scope));
  }
  const auto numbers = BufferNumbers(given(kAlign) ? bound[kAlign] : nullptr,
                                     given(kOffsetFactor) ? bound[kOffsetFactor] : nullptr);
  if (data == nullptr || !numbers) return nullptr;
  const DataType index = shape.empty() ? DataType::Int(32) : shape[0]->dtype;
  const Expr* offset = nullptr;
  if (given(kElemOffset)) {
    offset = ToExpr(*bound[kElemOffset]);
    if (offset != nullptr && (!offset->dtype.is_integer() || !offset->dtype.is_scalar())) {
      Error(DiagnosticKind::kType, bound[kElemOffset]->range,
            fmt::format("the offset is {}, expected an integer",
                        DescribeTyped(*bound[kElemOffset], offset)));
      return nullptr;
    }
  } else if ((*numbers)[1] != 0) {
    offset = builder_.New<Var>(range, context_.Intern("elem_offset"), PrimTypeOf(index));
  } else {
    offset = builder_.Int(index, 0, range);
  }
  if (offset == nullptr) return nullptr;
  Buffer* buffer = arena_.New<Buffer>(Symbol(), data, *dtype, shape, offset);
  buffer->range = range;
  buffer->data_alignment = (*numbers)[0];
  buffer->offset_factor = (*numbers)[1] == 0 ? 1 : (*numbers)[1];
  const DataType stride_type = form == TirForm::kMatchBuffer ? index : DataType::Int(32);
  if (given(kStrides) && !BufferStrides(*bound[kStrides], stride_type, &buffer->strides)) {
    return nullptr;
  }
  return FinishBuffer(buffer, bound) ? buffer : nullptr;
}

bool Parser::FinishBuffer(Buffer* buffer, std::span<const PyValue* const> bound) {
  if (!buffer->strides.empty() && buffer->strides.size() != buffer->shape.size()) {
    Error(
        DiagnosticKind::kArguments, bound[kStrides]->range,
        fmt::format("{} strides for {} dimensions", buffer->strides.size(), buffer->shape.size()));
    return false;
  }
  const PyValue* type = bound[kBufferType];
  if (type != nullptr && !type->is(PyKind::kNone)) {
    const std::optional<std::string_view> text = ToText(*type, "the buffer type");
    if (!text) return false;
    if (*text == "auto" || *text == "auto_broadcast") {
      buffer->buffer_kind = BufferKind::kAutoBroadcast;
    } else if (!text->empty() && *text != "default") {
      Error(DiagnosticKind::kArguments, type->range,
            fmt::format("expected the buffer type \"auto\" or \"default\", found `{}`", *text));
      return false;
    }
  }
  const PyValue* separators = bound[kAxisSeparators];
  if (separators != nullptr && !separators->is(PyKind::kNone)) {
    return ToExprs(*separators, "the axis separators", &buffer->axis_separators);
  }
  return true;
}

const Type* Parser::PointerTypeOf(DataType element, std::string_view scope) {
  if (scope != "global") return context_.PointerType(element, scope);
  for (const auto& [known, type] : global_pointers_) {
    if (known == element) return type;
  }
  return global_pointers_.emplace_back(element, context_.PointerType(element, scope)).second;
}

PyValue Parser::MatchBuffer(const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  std::array<const PyValue*, kParams + 1> bound;
  if (!Bind(args, kMatchParamNames, 1, bound)) return error;
  const PyValue& source = *bound[0];
  const BufferRegion* region = nullptr;
  size_t param = params_.size();
  PyValue implied(PyKind::kTuple, source.range);
  if (source.is(PyKind::kSubscript) || source.is(PyKind::kBuffer)) {
    region = ToRegion(source);
    if (region == nullptr) return error;
    if (bound[1] == nullptr) {  // as large as the region
      absl::InlinedVector<PyValue, 6> extents;
      for (const Range* range : region->region) {
        extents.push_back(PyValue::Of(source.range, range->extent));
      }
      implied = Items(PyKind::kTuple, source.range, Span<PyValue>(extents.data(), extents.size()));
      bound[1] = &implied;
    }
  } else {
    const Expr* expr = ToExpr(source);
    for (param = 0; param < params_.size() && params_[param] != expr; ++param) {
    }
    if (expr == nullptr) return error;
    if (param == params_.size() || !expr->dtype.is_handle()) {
      Error(DiagnosticKind::kType, source.range,
            "`T.match_buffer` expects a parameter that is a handle, or a region of a buffer");
      return error;
    }
    if (buffers_[param] != nullptr) {
      Error(DiagnosticKind::kDuplicateName, source.range, "this parameter has a buffer already");
      return error;
    }
  }
  if (bound[1] == nullptr) {
    Error(DiagnosticKind::kArguments, args.range, "`match_buffer` lacks its argument `shape`");
    return error;
  }
  bool owns_data = false;
  Buffer* buffer = MakeBuffer(std::span<const PyValue* const>(bound).subspan(1), args.range,
                              TirForm::kMatchBuffer, &owns_data);
  if (buffer == nullptr) return error;
  if (region == nullptr) {
    buffers_[param] = buffer;
  } else if (open_blocks_.size() < 2) {
    Error(DiagnosticKind::kType, args.range, "`T.match_buffer` of a region outside of a block");
    return error;
  } else {
    open_blocks_.back()->match_buffers.push_back(
        builder_.New<MatchBufferRegion>(args.range, buffer, region));
  }
  PyValue value = PyValue::Of(args.range, static_cast<const Buffer*>(buffer));
  value.count = owns_data ? kFreshBuffer | kOwnsData : kFreshBuffer;
  return value;
}

}  // namespace tenon
