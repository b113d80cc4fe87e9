#include <fmt/format.h>

#include "ir/attributes.h"
#include "parser/parser_internal.h"
#include "support/checked.h"

namespace tenon {

PendingScope* Parser::NewScope(ScopeForm form, SourceRange range) {
  auto* scope = scratch_->New<PendingScope>();
  scope->form = form;
  scope->range = range;
  return scope;
}

PyValue Parser::ScopeValue(PendingScope* scope) {
  PyValue value(PyKind::kScope, scope->range);
  value.scope = scope;
  return value;
}

PyValue Parser::CallScope(const TirName& name, const Args& args) {
  switch (name.form) {
    case TirForm::kAllocate:
      return CallAllocate(args);
    case TirForm::kLetStmt:
      return CallLetStmt(args);
    case TirForm::kAttr:
      return CallAttr(args);
    case TirForm::kAssert:
      return CallAssert(args);
    case TirForm::kRealize:
      return CallRealize(args);
    case TirForm::kLaunchThread:
      return CallLaunchThread(args);
    case TirForm::kEnvThread:
      return CallEnvThread(args);
    case TirForm::kBlock:
    case TirForm::kInit:
      return CallBlock(name, args);
    default:
      Error(DiagnosticKind::kUnsupported, args.range,
            fmt::format("`T.{}` is not supported", args.name));
      return PyValue(PyKind::kError, args.range);
  }
}

PyValue Parser::CallAllocate(const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<5> bound;
  PendingScope* scope = NewScope(ScopeForm::kAllocate, args.range);
  if (!Bind(args, {"extents", "dtype", "scope", "condition", "annotations"}, 2, bound) ||
      !ToExprs(*bound[0], "the list of extents", &scope->extents)) {
    return error;
  }
  const std::optional<DataType> dtype = ToDType(*bound[1]);
  if (!dtype || !CheckElement(*dtype, bound[1]) ||
      !CheckExtents(scope->extents, *dtype, *bound[0])) {
    return error;
  }
  std::string_view storage = "global";
  if (bound[2] != nullptr) {
    const std::optional<std::string_view> text = ToText(*bound[2], "the storage scope");
    if (!text) return error;
    storage = *text;
  }
  scope->dtype = *dtype;
  scope->type = context_.PointerType(*dtype, storage);
  scope->condition = bound[3] == nullptr || bound[3]->is(PyKind::kNone)
                         ? builder_.Bool(true, args.range)
                         : ToExpr(*bound[3]);
  if (scope->condition == nullptr) return error;
  if (bound[4] != nullptr && !bound[4]->is(PyKind::kNone)) {
    scope->annotations = ToMap(*bound[4], /*normalise=*/true);
    if (scope->annotations == nullptr) return error;
  }
  return ScopeValue(scope);
}

bool Parser::CheckElement(DataType dtype, const PyValue* written) {
  if (!dtype.is_void()) return true;
  Error(DiagnosticKind::kType, written->range, "elements of `void`");
  return false;
}

bool Parser::CheckExtents(Span<const Expr*> extents, DataType dtype, const PyValue& written) {
  absl::InlinedVector<int64_t, 8> constants;
  for (size_t i = 0; i < extents.size(); ++i) {
    const Expr* extent = extents[i];
    const SourceRange range = written.is_sequence() ? written.items[i].range : written.range;
    if (!extent->dtype.is_integer() || !extent->dtype.is_scalar()) {
      Error(DiagnosticKind::kType, range,
            isa<StringImm>(extent) ? "extent is a string, expected an integer"
                                   : fmt::format("extent of dtype `{}`, expected an integer",
                                                 extent->dtype.ToString()));
      return false;
    }
    const int64_t* value = AsIntImm(extent);
    if (value == nullptr) continue;
    if (*value < 0) {
      Error(DiagnosticKind::kConstantShape, range,
            fmt::format("extent {}, expected 0 or more", *value));
      return false;
    }
    constants.push_back(*value);
  }
  if (BytesOf(std::span<const int64_t>(constants.data(), constants.size()), dtype.bytes())) {
    return true;
  }
  Error(DiagnosticKind::kLimit, written.range, "the size is 2^62 bytes or more");
  return false;
}

PyValue Parser::CallLetStmt(const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<3> bound;
  const bool old = args.name == "let";
  const bool fits = old ? Bind(args, {"var", "value", "span"}, 2, bound)
                        : Bind(args, {"value", "type_annotation", "var"}, 1, bound);
  if (!fits) return error;
  const PyValue* var_value = old ? bound[0] : bound[2];
  PendingScope* scope = NewScope(ScopeForm::kLetStmt, args.range);
  const PyValue& value = *bound[old ? 1 : 0];
  if (var_value != nullptr && !var_value->is(PyKind::kNone)) {
    const auto* var = dyn_cast_or_null<Var>(ToExpr(*var_value));
    if (var == nullptr) {
      Error(DiagnosticKind::kArguments, var_value->range, "expected a variable");
      return error;
    }
    scope->var = const_cast<Var*>(var);
    scope->var_is_new = false;
    scope->value = ToExpr(value, var->dtype);
  } else if (bound[1] != nullptr && !old && !bound[1]->is(PyKind::kNone)) {
    scope->type = ToType(*bound[1]);
    if (scope->type == nullptr) return error;
    scope->value = ToExpr(value, scope->type->value_dtype());
  } else {
    scope->value = ToExpr(value);
  }
  if (scope->value == nullptr) return error;
  if (scope->type == nullptr && scope->var == nullptr) {
    scope->type = PrimTypeOf(scope->value->dtype);
  }
  const DataType dtype = scope->var != nullptr ? scope->var->dtype : scope->type->value_dtype();
  return CheckLet(dtype, scope->value, value.range) ? ScopeValue(scope) : error;
}

bool Parser::CheckLet(DataType dtype, const Expr* value, SourceRange range) {
  if (value->dtype.is_void()) {
    Error(DiagnosticKind::kType, range, "the value has no dtype");
    return false;
  }
  if (dtype == value->dtype) return true;
  Error(DiagnosticKind::kType, range,
        fmt::format("variable of dtype `{}` is bound to a value of `{}`", dtype.ToString(),
                    value->dtype.ToString()));
  return false;
}

const Type* Parser::ToType(const PyValue& value) {
  if (value.is(PyKind::kTirName)) {
    if (value.tir_name->form == TirForm::kDType) return PrimTypeOf(value.tir_name->dtype);
    if (value.tir_name->form == TirForm::kHandle) return PrimTypeOf(DataType::Handle());
  }
  if (value.is(PyKind::kFreshVar)) return cast<Var>(value.expr)->type;
  if (value.is(PyKind::kString)) {
    const std::optional<DataType> dtype = ToDType(value);
    return dtype ? PrimTypeOf(*dtype) : nullptr;
  }
  if (value.is(PyKind::kNone)) return context_.VoidType();
  if (!value.is_error()) {
    Error(DiagnosticKind::kType, value.range,
          fmt::format("found {}, expected a type such as `T.int32`", Describe(value)));
  }
  return nullptr;
}

PyValue Parser::CallAttr(const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  const bool is_dict = args.positional.size() == 1 && args.positional[0].is(PyKind::kDict);
  if (is_dict && rules_->merges_attrs) return CallAttrDict(args);
  Bound<3> bound;
  if (!Bind(args, {"node", "attr_key", "value"}, 3, bound)) return error;
  PendingScope* scope = NewScope(ScopeForm::kAttr, args.range);
  scope->node = ToAttr(*bound[0], /*normalise=*/true);
  const std::optional<std::string_view> key = ToText(*bound[1], "the key");
  scope->value = ToExpr(*bound[2]);
  if (scope->node == nullptr || !key || scope->value == nullptr) return error;
  scope->key = *key;
  return ScopeValue(scope);
}

PyValue Parser::CallAssert(const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<2> bound;
  if (!Bind(args, {"condition", "message"}, 2, bound)) return error;
  PendingScope* scope = NewScope(ScopeForm::kAssert, args.range);
  scope->condition = ToExpr(*bound[0]);
  const std::optional<std::string_view> message = ToText(*bound[1], "the message of the assertion");
  if (scope->condition == nullptr || !message) return error;
  if (!CheckCondition(scope->condition, bound[0]->range)) return error;
  scope->value = builder_.New<StringImm>(bound[1]->range, *message);
  return ScopeValue(scope);
}

bool Parser::CheckCondition(const Expr* condition, SourceRange range) {
  if (condition->dtype == DataType::Bool()) return true;
  if (isa<StringImm>(condition)) {
    Error(DiagnosticKind::kType, range, "the condition is a string, expected bool");
    return false;
  }
  Error(DiagnosticKind::kType, range,
        fmt::format("the condition has dtype `{}`, expected bool", condition->dtype.ToString()));
  return false;
}

PyValue Parser::CallRealize(const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<3> bound;
  if (!Bind(args, {"buffer_slice", "storage_scope", "condition"}, 1, bound)) return error;
  const BufferRegion* region = ToRegion(*bound[0]);
  if (region == nullptr) return error;
  PendingScope* scope = NewScope(ScopeForm::kRealize, args.range);
  scope->buffer = const_cast<Buffer*>(region->buffer);
  scope->bounds = region->region;
  if (bound[1] != nullptr) {
    const std::optional<std::string_view> text = ToText(*bound[1], "the storage scope");
    if (!text) return error;
    scope->key = *text;
  }
  scope->condition = bound[2] == nullptr ? builder_.Bool(true, args.range) : ToExpr(*bound[2]);
  if (scope->condition == nullptr || !CheckCondition(scope->condition, args.range)) {
    return error;
  }
  return ScopeValue(scope);
}

PyValue Parser::CallEnvThread(const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<2> bound;
  if (!Bind(args, {"thread_tag", "dtype"}, 1, bound)) return error;
  const std::optional<std::string_view> tag = ToText(*bound[0], "the thread tag");
  const std::optional<DataType> dtype =
      bound[1] == nullptr ? DataType::Int(32) : ToDType(*bound[1]);
  if (!tag || !dtype) return error;
  Var* var = arena_.New<Var>(Symbol(), PrimTypeOf(*dtype));
  var->range = args.range;
  PyValue value(PyKind::kIterVar, args.range);
  value.iter_var = builder_.New<IterVar>(args.range, nullptr, var, IterVarKind::kThreadIndex, *tag);
  return value;
}

PyValue Parser::CallLaunchThread(const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<2> bound;
  if (!Bind(args, {"thread", "extent"}, 2, bound)) return error;
  const Expr* extent = ToExpr(*bound[1]);
  if (extent == nullptr) return error;
  if (!extent->dtype.is_integer() || !extent->dtype.is_scalar()) {
    Error(DiagnosticKind::kType, bound[1]->range, "extent of a thread, expected an integer");
    return error;
  }
  PendingScope* scope = NewScope(ScopeForm::kAttr, args.range);
  std::string_view tag;
  Var* var = nullptr;
  if (bound[0]->is(PyKind::kIterVar)) {
    tag = bound[0]->iter_var->thread_tag;
    var = const_cast<Var*>(bound[0]->iter_var->var);
    scope->var_is_new = false;
  } else {
    const std::optional<std::string_view> text = ToText(*bound[0], "the thread");
    if (!text) return error;
    tag = *text;
    var = arena_.New<Var>(Symbol(), PrimTypeOf(extent->dtype));
    var->range = args.range;
  }
  if (isa<IntImm>(extent)) extent = SmartCast(builder_, var->dtype, extent);
  const Range* dom =
      builder_.New<Range>(args.range, builder_.Int(extent->dtype, 0, args.range), extent);
  scope->thread = builder_.New<IterVar>(args.range, dom, var, IterVarKind::kThreadIndex, tag);
  scope->node = builder_.New<IterVarAttr>(args.range, scope->thread);
  scope->key = tag == "vthread" || tag.starts_with("vthread.") ? attr_key::kVirtualThread
                                                               : attr_key::kThreadExtent;
  scope->value = extent;
  scope->var = var;
  return ScopeValue(scope);
}

}  // namespace tenon
