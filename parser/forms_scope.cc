#include <fmt/format.h>

#include "ir/const_fold.h"
#include "ir/thread_binding.h"
#include "parser/forms_internal.h"

// Forms that open a scope, and forms that are statements.

namespace tenon {

PyValue CallAllocate(FormContext& p, const TirName&, Args& args) {
  Bound<5> bound;
  PendingScope* scope = p.env.NewScope(ScopeForm::kAllocate, args.range);
  if (!p.env.Bind(args, {"extents", "dtype", "scope", "condition", "annotations"}, 2, bound) ||
      !p.values.ToExprs(*bound[0], "the list of extents", &scope->extents)) {
    return args.Error();
  }
  const std::optional<DataType> dtype = p.values.ToDType(*bound[1]);
  if (!dtype || !p.values.CheckElement(*dtype, bound[1]) ||
      !p.values.CheckExtents(scope->extents, *dtype, *bound[0])) {
    return args.Error();
  }
  std::string_view storage = "global";
  if (!p.values.TakeText(bound[2], "the storage scope", &storage)) return args.Error();
  scope->dtype = *dtype;
  scope->type = p.env.context.PointerType(*dtype, storage);
  scope->condition = bound[3] == nullptr || bound[3]->is(PyKind::kNone)
                         ? p.env.builder.Bool(true, args.range)
                         : p.values.ToExpr(*bound[3]);
  if (scope->condition == nullptr) return args.Error();
  if (bound[4] != nullptr && !bound[4]->is(PyKind::kNone)) {
    scope->annotations = p.attrs.ToMap(*bound[4], /*normalise=*/true);
    if (scope->annotations == nullptr) return args.Error();
  }
  return p.env.ScopeValue(scope);
}

PyValue CallLetStmt(FormContext& p, const TirName&, Args& args) {
  Bound<3> bound;
  const bool old = args.name == "let";
  const bool fits = old ? p.env.Bind(args, {"var", "value", "span"}, 2, bound)
                        : p.env.Bind(args, {"value", "type_annotation", "var"}, 1, bound);
  if (!fits) return args.Error();
  const PyValue* var_value = old ? bound[0] : bound[2];
  PendingScope* scope = p.env.NewScope(ScopeForm::kLetStmt, args.range);
  const PyValue& value = *bound[old ? 1 : 0];
  if (var_value != nullptr && !var_value->is(PyKind::kNone)) {
    const auto* var = dyn_cast_or_null<Var>(p.values.ToExpr(*var_value));
    if (var == nullptr) {
      return p.env.Fail(DiagnosticKind::kArguments, var_value->range, "expected a variable",
                        args.range);
    }
    scope->var = const_cast<Var*>(var);
    scope->var_is_new = false;
    scope->value = p.values.ToExpr(value, var->dtype);
  } else if (bound[1] != nullptr && !old && !bound[1]->is(PyKind::kNone)) {
    scope->type = p.values.ToType(*bound[1]);
    if (scope->type == nullptr) return args.Error();
    scope->value = p.values.ToExpr(value, scope->type->value_dtype());
  } else {
    scope->value = p.values.ToExpr(value);
  }
  if (scope->value == nullptr) return args.Error();
  if (scope->type == nullptr && scope->var == nullptr) {
    scope->type = p.env.PrimTypeOf(scope->value->dtype);
  }
  const DataType dtype = scope->var != nullptr ? scope->var->dtype : scope->type->value_dtype();
  return p.values.CheckLet(dtype, scope->value, value.range) ? p.env.ScopeValue(scope)
                                                             : args.Error();
}

// `T.attr({"a": 1, "b": 2})`: an attribute of the node 0 in another.
static PyValue CallAttrDict(FormContext& p, const Args& args) {
  const PyValue& dict = args.positional[0];
  if (!args.keywords.empty() || dict.count == 0) {
    return p.env.Fail(DiagnosticKind::kArguments, args.range,
                      "`T.attr` takes one argument, a dict with items");
  }
  PendingScope* outer = nullptr;
  for (uint32_t i = dict.count; i >= 2; i -= 2) {
    const std::optional<std::string_view> key = p.values.ToText(dict.items[i - 2], "the key");
    PendingScope* scope = p.env.NewScope(ScopeForm::kAttr, args.range);
    scope->node = p.env.builder.New<ExprAttr>(args.range, p.env.builder.Int(0, args.range));
    scope->value = p.values.ToExpr(dict.items[i - 1]);
    if (!key || scope->value == nullptr) return args.Error();
    scope->key = *key;
    scope->inner = outer;
    outer = scope;
  }
  return p.env.ScopeValue(outer);
}

PyValue CallAttr(FormContext& p, const TirName&, Args& args) {
  const bool is_dict = args.positional.size() == 1 && args.positional[0].is(PyKind::kDict);
  if (is_dict && p.env.rules->merges_attrs) return CallAttrDict(p, args);
  Bound<3> bound;
  if (!p.env.Bind(args, {"node", "attr_key", "value"}, 3, bound)) return args.Error();
  PendingScope* scope = p.env.NewScope(ScopeForm::kAttr, args.range);
  scope->node = p.attrs.ToAttr(*bound[0], /*normalise=*/true);
  const std::optional<std::string_view> key = p.values.ToText(*bound[1], "the key");
  scope->value = p.values.ToExpr(*bound[2]);
  if (scope->node == nullptr || !key || scope->value == nullptr) return args.Error();
  scope->key = *key;
  return p.env.ScopeValue(scope);
}

PyValue CallAssert(FormContext& p, const TirName&, Args& args) {
  Bound<2> bound;
  if (!p.env.Bind(args, {"condition", "message"}, 2, bound)) return args.Error();
  PendingScope* scope = p.env.NewScope(ScopeForm::kAssert, args.range);
  scope->condition = p.values.ToExpr(*bound[0]);
  const std::optional<std::string_view> message =
      p.values.ToText(*bound[1], "the message of the assertion");
  if (scope->condition == nullptr || !message) return args.Error();
  if (!p.values.CheckCondition(scope->condition, bound[0]->range)) return args.Error();
  scope->value = p.env.builder.New<StringImm>(bound[1]->range, *message);
  return p.env.ScopeValue(scope);
}

PyValue CallRealize(FormContext& p, const TirName&, Args& args) {
  Bound<3> bound;
  if (!p.env.Bind(args, {"buffer_slice", "storage_scope", "condition"}, 1, bound))
    return args.Error();
  const BufferRegion* region = p.values.ToRegion(*bound[0]);
  if (region == nullptr) return args.Error();
  PendingScope* scope = p.env.NewScope(ScopeForm::kRealize, args.range);
  scope->buffer = const_cast<Buffer*>(region->buffer);
  scope->bounds = region->region;
  if (!p.values.TakeText(bound[1], "the storage scope", &scope->key)) return args.Error();
  scope->condition =
      bound[2] == nullptr ? p.env.builder.Bool(true, args.range) : p.values.ToExpr(*bound[2]);
  if (scope->condition == nullptr || !p.values.CheckCondition(scope->condition, args.range)) {
    return args.Error();
  }
  return p.env.ScopeValue(scope);
}

PyValue CallEnvThread(FormContext& p, const TirName&, Args& args) {
  Bound<2> bound;
  if (!p.env.Bind(args, {"thread_tag", "dtype"}, 1, bound)) return args.Error();
  const std::optional<std::string_view> tag = p.values.ToText(*bound[0], "the thread tag");
  const std::optional<DataType> dtype =
      bound[1] == nullptr ? DataType::Int(32) : p.values.ToDType(*bound[1]);
  if (!tag || !dtype) return args.Error();
  Var* var = p.env.arena.New<Var>(Symbol(), p.env.PrimTypeOf(*dtype));
  var->range = args.range;
  return PyValue::Of(args.range, p.env.builder.New<IterVar>(args.range, nullptr, var,
                                                            IterVarKind::kThreadIndex, *tag));
}

PyValue CallLaunchThread(FormContext& p, const TirName&, Args& args) {
  Bound<2> bound;
  if (!p.env.Bind(args, {"thread", "extent"}, 2, bound)) return args.Error();
  const Expr* extent = p.values.ToExpr(*bound[1]);
  if (extent == nullptr) return args.Error();
  if (!extent->dtype.is_integer() || !extent->dtype.is_scalar()) {
    return p.env.Fail(DiagnosticKind::kType, bound[1]->range,
                      "extent of a thread, expected an integer", args.range);
  }
  PendingScope* scope = p.env.NewScope(ScopeForm::kAttr, args.range);
  std::string_view tag;
  Var* var = nullptr;
  if (bound[0]->is(PyKind::kIterVar)) {
    tag = bound[0]->iter_var->thread_tag;
    var = const_cast<Var*>(bound[0]->iter_var->var);
    scope->var_is_new = false;
  } else {
    const std::optional<std::string_view> text = p.values.ToText(*bound[0], "the thread");
    if (!text) return args.Error();
    tag = *text;
    var = p.env.arena.New<Var>(Symbol(), p.env.PrimTypeOf(extent->dtype));
    var->range = args.range;
  }
  if (isa<IntImm>(extent)) extent = SmartCast(p.env.builder, var->dtype, extent);
  const Range* dom =
      p.env.builder.New<Range>(args.range, p.env.builder.Int(extent->dtype, 0, args.range), extent);
  scope->thread = p.env.builder.New<IterVar>(args.range, dom, var, IterVarKind::kThreadIndex, tag);
  scope->node = p.env.builder.New<IterVarAttr>(args.range, scope->thread);
  scope->key = LaunchKey(tag);
  scope->value = extent;
  scope->var = var;
  return p.env.ScopeValue(scope);
}

PyValue CallEvaluate(FormContext& p, const TirName&, Args& args) {
  Bound<1> bound;
  if (!p.env.Bind(args, {"value"}, 1, bound)) return args.Error();
  const Expr* value = p.values.ToExpr(*bound[0]);
  if (value != nullptr) p.function.Push(p.env.builder.New<Evaluate>(args.range, value));
  return PyValue(PyKind::kDone, args.range);
}

PyValue CallPrefetch(FormContext& p, const TirName&, Args& args) {
  Bound<2> bound;
  if (!p.env.Bind(args, {"buffer", "bounds"}, 2, bound)) return args.Error();
  if (!bound[0]->is(PyKind::kBuffer) || !bound[1]->is_sequence()) {
    return p.env.Fail(DiagnosticKind::kArguments, args.range,
                      "`T.prefetch` takes a buffer and a list of ranges");
  }
  absl::InlinedVector<const Range*, 6> ranges;
  for (const PyValue& item : bound[1]->elements()) {
    ranges.push_back(p.values.ToRange(item));
    if (ranges.back() == nullptr) return args.Error();
  }
  p.function.Push(p.env.builder.New<Prefetch>(args.range, bound[0]->buffer, p.env.Copy(ranges)));
  return PyValue(PyKind::kDone, args.range);
}

PyValue CallBufferStore(FormContext& p, const TirName&, Args& args) {
  Bound<4> bound;
  Span<const Expr*> indices;
  if (!p.env.Bind(args, {"buffer", "value", "indices", "predicate"}, 3, bound)) return args.Error();
  if (!bound[0]->is(PyKind::kBuffer)) {
    return p.env.Fail(DiagnosticKind::kArguments, bound[0]->range,
                      fmt::format("found {}, expected a buffer", Describe(*bound[0])), args.range);
  }
  if (!p.values.ToExprs(*bound[2], "the indices", &indices)) return args.Error();
  auto* subscript = p.env.scratch->New<PySubscript>();
  subscript->buffer = bound[0]->buffer;
  subscript->indices = indices;
  subscript->range = args.range;
  const Expr* predicate = bound[3] == nullptr ? nullptr : p.values.ToExpr(*bound[3]);
  p.function.Store(*subscript, *bound[1], predicate, args.range);
  return PyValue(PyKind::kDone, args.range);
}

}  // namespace tenon
