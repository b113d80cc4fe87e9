#include <fmt/format.h>

#include "parser/expr_parser.h"
#include "parser/forms_internal.h"
#include "support/checked.h"

// Declarations of buffers, and allocations that declare one.

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

static const Args* WithoutLayout(FormContext& p, const Args& args, Args* room) {
  for (size_t i = 0; i < args.keywords.size(); ++i) {
    if (args.keywords[i].name != "layout" || !p.env.rules->has_flat_scopes) continue;
    if (!args.keywords[i].value.is(PyKind::kNone)) {
      p.env.Error(DiagnosticKind::kUnsupported, args.keywords[i].range,
                  "layouts are not supported, expected `layout=None`");
      return nullptr;
    }
    *room = args;
    room->keywords.erase(room->keywords.begin() + static_cast<std::ptrdiff_t>(i));
    return room;
  }
  return &args;
}

static std::optional<std::array<int32_t, 2>> BufferNumbers(FormContext& p, const PyValue* align,
                                                           const PyValue* factor) {
  std::array<int32_t, 2> numbers{64, 0};
  if (align != nullptr) {
    const std::optional<int64_t> value = p.values.ToInt(*align, "the alignment");
    if (!value) return std::nullopt;
    if (*value > 0 && (!IsPowerOfTwo(*value) || *value > (1 << 30))) {
      p.env.Error(DiagnosticKind::kArguments, align->range,
                  fmt::format("alignment {}, expected a power of two", *value));
      return std::nullopt;
    }
    if (*value > 0) numbers[0] = static_cast<int32_t>(*value);
  }
  if (factor != nullptr) {
    const std::optional<int64_t> value = p.values.ToInt(*factor, "the offset factor");
    if (!value) return std::nullopt;
    if (*value < 0 || *value > (1 << 30)) {
      p.env.Error(DiagnosticKind::kArguments, factor->range,
                  fmt::format("offset factor {}, expected 0 to 2^30", *value));
      return std::nullopt;
    }
    numbers[1] = static_cast<int32_t>(*value);
  }
  return numbers;
}

static const Var* BufferData(FormContext& p, const PyValue& value) {
  const Expr* expr = p.values.ToExpr(value);
  const auto* var = dyn_cast_or_null<Var>(expr);
  if (var != nullptr && var->type->is_pointer()) return var;
  if (expr != nullptr) {
    p.env.Error(DiagnosticKind::kType, value.range,
                "the data of a buffer, expected a variable of pointer type such as "
                "`T.handle(\"float32\")`");
  }
  return nullptr;
}

static bool BufferStrides(FormContext& p, const PyValue& value, DataType fresh,
                          Span<const Expr*>* result) {
  if (value.is(PyKind::kNone)) return true;
  if (!value.is_sequence() && !value.is(PyKind::kField))
    return p.values.ToExprs(value, "the list of strides", result);
  absl::InlinedVector<const Expr*, 6> strides;
  for (const PyValue& item : value.elements()) {
    if (item.is(PyKind::kString)) {  // a variable that the buffer itself introduces
      strides.push_back(p.env.builder.New<Var>(item.range, p.env.context.Intern(item.text()),
                                               p.env.PrimTypeOf(fresh)));
    } else {
      strides.push_back(p.values.ToExpr(item));
    }
    if (strides.back() == nullptr) return false;
  }
  *result = p.env.Copy(strides);
  return true;
}

static bool FinishBuffer(FormContext& p, Buffer* buffer, std::span<const PyValue* const> bound) {
  if (!buffer->strides.empty() && buffer->strides.size() != buffer->shape.size()) {
    p.env.Error(
        DiagnosticKind::kArguments, bound[kStrides]->range,
        fmt::format("{} strides for {} dimensions", buffer->strides.size(), buffer->shape.size()));
    return false;
  }
  const PyValue* type = bound[kBufferType];
  if (type != nullptr && !type->is(PyKind::kNone)) {
    const std::optional<std::string_view> text = p.values.ToText(*type, "the buffer type");
    if (!text) return false;
    if (*text == "auto" || *text == "auto_broadcast") {
      buffer->buffer_kind = BufferKind::kAutoBroadcast;
    } else if (!text->empty() && *text != "default") {
      p.env.Error(
          DiagnosticKind::kArguments, type->range,
          fmt::format("expected the buffer type \"auto\" or \"default\", found `{}`", *text));
      return false;
    }
  }
  const PyValue* separators = bound[kAxisSeparators];
  if (separators != nullptr && !separators->is(PyKind::kNone)) {
    return p.values.ToExprs(*separators, "the axis separators", &buffer->axis_separators);
  }
  return true;
}

static Buffer* MakeBuffer(FormContext& p, std::span<const PyValue* const> bound, SourceRange range,
                          TirForm form, bool* owns_data) {
  Span<const Expr*> shape;
  if (!p.values.ToExprs(*bound[kShape], "the shape", &shape)) return nullptr;
  const auto given = [&](Param param) {
    return bound[param] != nullptr && !bound[param]->is(PyKind::kNone);
  };
  std::optional<DataType> dtype = DataType::Float(32);
  if (given(kDType)) dtype = p.values.ToDType(*bound[kDType]);
  if (!dtype || !p.values.CheckElement(*dtype, bound[kDType]) ||
      !p.values.CheckExtents(shape, *dtype, *bound[kShape])) {
    return nullptr;
  }
  std::string_view scope = "global";
  if (given(kScope)) {
    const std::optional<std::string_view> text =
        p.values.ToText(*bound[kScope], "the storage scope");
    if (!text) return nullptr;
    if (!text->empty()) scope = *text;
  }
  const Var* data = nullptr;
  if (given(kData)) {
    data = BufferData(p, *bound[kData]);
  } else {
    *owns_data = true;
    const DataType element = *dtype == DataType::Bool() ? DataType::Int(8) : *dtype;
    data = p.env.builder.New<Var>(range, Symbol(), p.env.PointerTypeOf(element, scope));
  }
  const auto numbers = BufferNumbers(p, given(kAlign) ? bound[kAlign] : nullptr,
                                     given(kOffsetFactor) ? bound[kOffsetFactor] : nullptr);
  if (data == nullptr || !numbers) return nullptr;
  const DataType index = shape.empty() ? DataType::Int(32) : shape[0]->dtype;
  const Expr* offset = nullptr;
  if (given(kElemOffset)) {
    offset = p.values.ToExpr(*bound[kElemOffset]);
    if (offset != nullptr && (!offset->dtype.is_integer() || !offset->dtype.is_scalar())) {
      p.env.Error(DiagnosticKind::kType, bound[kElemOffset]->range,
                  fmt::format("the offset is {}, expected an integer",
                              DescribeTyped(*bound[kElemOffset], offset)));
      return nullptr;
    }
  } else if ((*numbers)[1] != 0) {
    offset =
        p.env.builder.New<Var>(range, p.env.context.Intern("elem_offset"), p.env.PrimTypeOf(index));
  } else {
    offset = p.env.builder.Int(index, 0, range);
  }
  if (offset == nullptr) return nullptr;
  Buffer* buffer = p.env.arena.New<Buffer>(Symbol(), data, *dtype, shape, offset);
  buffer->range = range;
  const bool is_alias = given(kData) && p.env.data_range == bound[kData]->range;
  buffer->alias_of = is_alias ? p.env.data_buffer : nullptr;
  buffer->data_alignment = (*numbers)[0];
  buffer->offset_factor = (*numbers)[1] == 0 ? 1 : (*numbers)[1];
  const DataType stride_type = form == TirForm::kMatchBuffer ? index : DataType::Int(32);
  if (given(kStrides) && !BufferStrides(p, *bound[kStrides], stride_type, &buffer->strides)) {
    return nullptr;
  }
  return FinishBuffer(p, buffer, bound) ? buffer : nullptr;
}

PyValue CallBuffer(FormContext& p, const TirName& name, Args& args) {
  std::array<const PyValue*, kParams> bound;
  Args room;
  const Args* plain = WithoutLayout(p, args, &room);
  if (plain == nullptr || !p.env.Bind(*plain, kParamNames, 1, bound)) return args.Error();
  const PyValue shape = p.exprs.ReadQuotedExtents(*bound[kShape]);
  bound[kShape] = &shape;
  bool owns_data = false;
  Buffer* buffer = MakeBuffer(p, bound, args.range, name.form, &owns_data);
  if (buffer == nullptr) return args.Error();
  switch (name.form) {
    case TirForm::kDeclBuffer: {
      PendingScope* scope = p.env.NewScope(
          owns_data ? ScopeForm::kAllocatedBuffer : ScopeForm::kDeclBuffer, args.range);
      scope->buffer = buffer;
      scope->owns_data = owns_data;
      return p.env.ScopeValue(scope);
    }
    case TirForm::kAllocBuffer:
      if (!p.blocks.is_open()) {
        return p.env.Fail(DiagnosticKind::kType, args.range,
                          "`T.alloc_buffer` outside of a function");
      }
      p.blocks.innermost()->alloc_buffers.push_back(buffer);
      break;
    default:
      break;
  }
  PyValue value = PyValue::Of(args.range, buffer);
  value.count = owns_data ? kFreshBuffer | kOwnsData : kFreshBuffer;
  if (name.form == TirForm::kBuffer) value.count |= kPassing;
  return value;
}

PyValue AllocBuffer(FormContext& p, const TirName& name, Args& args) {
  const bool is_statement = p.env.rules->has_flat_scopes && name.text == "alloc_buffer";
  return is_statement ? CallAllocation(p, name, args) : CallBuffer(p, name, args);
}

PyValue MatchBuffer(FormContext& p, const TirName&, Args& args) {
  std::array<const PyValue*, kParams + 1> bound;
  if (!p.env.Bind(args, kMatchParamNames, 1, bound)) return args.Error();
  const PyValue& source = *bound[0];
  const BufferRegion* region = nullptr;
  size_t param = p.function.param_count();
  PyValue implied(PyKind::kTuple, source.range);
  if (source.is(PyKind::kSubscript) || source.is(PyKind::kBuffer)) {
    region = p.values.ToRegion(source);
    if (region == nullptr) return args.Error();
    if (bound[1] == nullptr) {  // as large as the region
      absl::InlinedVector<PyValue, 6> extents;
      for (const Range* range : region->region) {
        extents.push_back(PyValue::Of(source.range, range->extent));
      }
      implied = p.env.Items(PyKind::kTuple, source.range, extents);
      bound[1] = &implied;
    }
  } else {
    const Expr* expr = p.values.ToExpr(source);
    if (expr == nullptr) return args.Error();
    param = p.function.FindParam(expr);
    if (param == p.function.param_count() || !expr->dtype.is_handle()) {
      return p.env.Fail(
          DiagnosticKind::kType, source.range,
          "`T.match_buffer` expects a parameter that is a handle, or a region of a buffer",
          args.range);
    }
    if (p.function.buffer_of(param) != nullptr) {
      return p.env.Fail(DiagnosticKind::kDuplicateName, source.range,
                        "this parameter has a buffer already", args.range);
    }
  }
  if (bound[1] == nullptr) {
    return p.env.Fail(DiagnosticKind::kArguments, args.range,
                      "`match_buffer` lacks its argument `shape`");
  }
  bool owns_data = false;
  Buffer* buffer = MakeBuffer(p, std::span<const PyValue* const>(bound).subspan(1), args.range,
                              TirForm::kMatchBuffer, &owns_data);
  if (buffer == nullptr) return args.Error();
  if (region == nullptr) {
    p.env.RaiseDialect(Dialect::kV025);
    p.function.buffer_of(param) = buffer;
  } else if (!p.blocks.inside_block()) {
    return p.env.Fail(DiagnosticKind::kType, args.range,
                      "`T.match_buffer` of a region outside of a block");
  } else {
    p.blocks.innermost()->match_buffers.push_back(
        p.env.builder.New<MatchBufferRegion>(args.range, buffer, region));
  }
  PyValue value = PyValue::Of(args.range, buffer);
  value.count = owns_data ? kFreshBuffer | kOwnsData : kFreshBuffer;
  return value;
}

// `b = T.alloc_buffer((64,), "int32", annotations={"k": 1})`: an allocation and the declaration of
// its buffer.
PyValue CallAllocation(FormContext& p, const TirName& name, Args& args) {
  Args declared = args;
  const MapAttr* annotations = nullptr;
  for (size_t i = 0; i < declared.keywords.size(); ++i) {
    if (declared.keywords[i].name != "annotations") continue;
    annotations = p.attrs.ToMap(declared.keywords[i].value, /*normalise=*/true);
    if (annotations == nullptr) return args.Error();
    declared.keywords.erase(declared.keywords.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  const std::string_view scope = name.text == "alloc_local"    ? "local"
                                 : name.text == "alloc_shared" ? "shared"
                                                               : std::string_view();
  if (!scope.empty()) {
    declared.keywords.push_back(
        {"scope", args.range, PyValue::Text(PyKind::kString, args.range, scope)});
  }
  const TirName form{name.text, TirForm::kDeclBuffer, name.kind, name.dtype, name.op};
  const PyValue value = CallBuffer(p, form, declared);
  if (!value.is(PyKind::kScope)) return value;
  if (value.scope->form != ScopeForm::kAllocatedBuffer) {
    return p.env.Fail(
        DiagnosticKind::kArguments, args.range,
        fmt::format("`T.{}` allocates, expected `T.decl_buffer` for existing `data`", name.text));
  }
  value.scope->annotations = annotations;
  const bool is_scalar =
      !p.function.is_s_tir() && annotations == nullptr && IsOneElement(*value.scope->buffer);
  if (is_scalar) value.scope->buffer->buffer_kind = BufferKind::kScalar;
  return value;
}

PyValue AllocScalar(FormContext& p, const TirName& name, Args& args) {
  Bound<2> bound;
  if (!p.env.Bind(args, {"dtype", "scope"}, 1, bound)) return args.Error();
  const std::optional<DataType> dtype = p.values.ToDType(*bound[0]);
  if (!dtype || !p.values.CheckElement(*dtype, bound[0])) return args.Error();
  std::string_view scope = name.text == "shared_scalar" ? "shared" : "local";
  if (!p.values.TakeText(bound[1], "the storage scope", &scope)) return args.Error();
  PendingScope* allocation = p.env.NewScope(ScopeForm::kAllocatedBuffer, args.range);
  allocation->buffer = p.function.NewScalar(*dtype, scope, args.range);
  allocation->owns_data = true;
  return p.env.ScopeValue(allocation);
}

static const Expr* RescaledExtent(FormContext& p, const Buffer* buffer, DataType dtype) {
  const int64_t* last = buffer->shape.empty() ? nullptr : AsIntImm(buffer->shape.back());
  if (last == nullptr || dtype.bytes() == 0 || *last > INT64_MAX / buffer->dtype.bytes()) {
    return nullptr;
  }
  const int64_t bytes = *last * buffer->dtype.bytes();
  if (bytes % dtype.bytes() != 0) return nullptr;
  return p.env.builder.Int(buffer->shape.back()->dtype, bytes / dtype.bytes(),
                           buffer->shape.back()->range);
}

PyValue CallView(FormContext& p, const Buffer* buffer, const Args& args) {
  Args room;
  const Args* plain = WithoutLayout(p, args, &room);
  if (plain == nullptr) return args.Error();
  if (!plain->keywords.empty() || plain->positional.empty()) {
    return p.env.Fail(DiagnosticKind::kArguments, args.range,
                      "`view` takes the extents of the new shape, or a dtype");
  }
  auto* view = p.env.arena.New<Buffer>(*buffer);
  view->name = Symbol();
  view->range = args.range;
  view->alias_of = buffer;
  view->buffer_kind = BufferKind::kDefault;
  absl::InlinedVector<const Expr*, 6> shape;
  if (plain->positional[0].is(PyKind::kString)) {
    const std::optional<DataType> dtype = p.values.ToDType(plain->positional[0]);
    const Expr* last = dtype ? RescaledExtent(p, buffer, *dtype) : nullptr;
    if (last == nullptr) {
      if (dtype) {
        p.env.Error(
            DiagnosticKind::kType, args.range,
            fmt::format("a view as `{}` has no whole number of elements", dtype->ToString()));
      }
      return args.Error();
    }
    shape.assign(buffer->shape.begin(), buffer->shape.end());
    shape.back() = last;
    view->dtype = *dtype;
  } else {
    for (const PyValue& extent : plain->positional) {
      shape.push_back(p.values.IndexOf(extent, "extent"));
      if (shape.back() == nullptr) return args.Error();
    }
  }
  view->shape = p.env.Copy(shape);
  PendingScope* scope = p.env.NewScope(ScopeForm::kDeclBuffer, args.range);
  scope->buffer = view;
  return p.env.ScopeValue(scope);
}

}  // namespace tenon
