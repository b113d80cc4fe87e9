// Each of the three representations is converted to T.allocate_const and from it, so there are no
// conversions for pairs of them. Notes in attributes keep what the older representations cannot
// express.

#include "passes/constants/convert_link_params.h"

#include <fmt/format.h>

#include "ir/analysis/param_names.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/linked_params.h"
#include "ir/rewriter.h"
#include "passes/constants/extract_constants.h"
#include "passes/constants/lift_params.h"
#include "passes/constants/lifted_params.h"
#include "passes/constants/lower_linked_params.h"

namespace tenon {

namespace {

const MapAttr* MapOf(const PrimFunc& function, std::string_view key) {
  return dyn_cast_or_null<MapAttr>(function.FindAttr(key));
}

const Constant* ConstantOf(const Attr* attr) {
  const auto* constant = dyn_cast_or_null<ConstantAttr>(attr);
  return constant == nullptr ? nullptr : constant->value;
}

/// `map`, which may be null, with more items at the end.
const MapAttr* WithItems(NodeBuilder& builder, const MapAttr* map,
                         const std::vector<const MapItem*>& items) {
  std::vector<const MapItem*> all;
  if (map != nullptr) all.assign(map->items.begin(), map->items.end());
  all.insert(all.end(), items.begin(), items.end());
  return builder.New<MapAttr>(SourceRange(),
                              builder.arena().Copy(Span<const MapItem*>(all.data(), all.size())));
}

/// Turns T.allocate_const into a variable that is bound to T.lookup_param.
class ToLookups : public Rewriter<ToLookups> {
 public:
  using Rewriter::Rewriter;

  const PrimFunc* RewriteFunc(const PrimFunc* function) {
    map_ = MapOf(*function, attr_key::kLinkParams);
    notes_ = MapOf(*function, attr_key::kLinkedParams);
    const Stmt* body = RewriteAny(function->body);
    if (body == function->body) return function;
    PrimFunc copy = *function;
    copy.body = body;
    copy.attrs = builder().With(function->attrs, attr_key::kLinkParams, map_);
    if (notes_ != nullptr) copy.attrs = builder().With(copy.attrs, attr_key::kLinkedParams, notes_);
    return arena().New<PrimFunc>(copy);
  }

  const Stmt* RewriteAllocateConst(const AllocateConst* allocate) {
    if (allocate->data == nullptr) return RewriteChildren(allocate);
    const Expr* name = builder().String(KeyOf(*allocate), allocate->range);
    const Expr* lookup =
        builder().NewCall(DataType::Handle(), OpKind::kLookupParam, {name}, allocate->range);
    return builder().New<LetStmt>(allocate->range, allocate->buffer_var, lookup,
                                  RewriteAny(allocate->body));
  }

 private:
  /// The function's key for the constant; a separate key if the allocation needs a note.
  std::string KeyOf(const AllocateConst& allocate) {
    const bool usual = IsUsual(allocate);
    const std::string_view base = allocate.data->name().view();
    std::string key(base);
    for (int64_t number = 1;; ++number) {
      const Attr* known = map_ == nullptr ? nullptr : map_->Find(key);
      const bool has_note = notes_ != nullptr && notes_->Find(key) != nullptr;
      if (known == nullptr) break;
      if (usual && !has_note && ConstantOf(known) == allocate.data) return key;
      key = fmt::format("{}_{}", base, number);
    }
    map_ = builder().With(map_, key, builder().New<ConstantAttr>(SourceRange(), allocate.data));
    if (!usual) {
      notes_ = builder().With(notes_, key, MakeLiftedNote(builder(), NoteOf(builder(), allocate)));
    }
    return key;
  }

  const MapAttr* map_ = nullptr;
  const MapAttr* notes_ = nullptr;
};

/// The inverse, for lookups with a note.
class FromNotedLookups : public Rewriter<FromNotedLookups> {
 public:
  using Rewriter::Rewriter;

  const PrimFunc* RewriteFunc(const PrimFunc* function) {
    map_ = MapOf(*function, attr_key::kLinkParams);
    function_ = function;
    if (map_ == nullptr || MapOf(*function, attr_key::kLinkedParams) == nullptr) return function;
    PrimFunc copy = *function;
    copy.body = RewriteAny(function->body);
    copy.attrs = builder().With(function->attrs, attr_key::kLinkedParams, nullptr);
    return arena().New<PrimFunc>(copy);
  }

  const Stmt* RewriteLetStmt(const LetStmt* let) {
    const auto* call = dyn_cast<Call>(let->value);
    const auto* name =
        call == nullptr || call->op->kind != OpKind::kLookupParam || call->args.empty()
            ? nullptr
            : dyn_cast<StringImm>(call->args[0]);
    const Constant* constant = name == nullptr ? nullptr : ConstantOf(map_->Find(name->value));
    const std::optional<LiftedNote> note =
        constant == nullptr ? std::nullopt
                            : ReadLiftedNote(*function_, name->value, attr_key::kLinkedParams);
    if (!note || !let->var->type->is_pointer() || let->var->type->dtype != constant->dtype())
      return RewriteChildren(let);
    return NewAllocateConst(builder(), let->var, *constant, &*note, let->range,
                            RewriteAny(let->body));
  }

 private:
  const MapAttr* map_ = nullptr;
  const PrimFunc* function_ = nullptr;
};

IRModule LinkByName(const IRModule& module, PassContext& context) {
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<ToLookups>(module.context(), function);
  });
}

/// Lifts constants to parameters, and binds parameters that no caller passes.
IRModule LinkByParameter(const IRModule& module, PassContext& context) {
  const std::optional<LiftedModule> lifted = LiftConstants(module, context);
  if (!lifted) return module;
  absl::flat_hash_map<std::string_view, const Constant*> table;
  for (const Constant* constant : module.constants) table[constant->name().view()] = constant;
  IRModule result = lifted->module;
  result.constants = module.constants;
  for (const Function& function : lifted->module.functions()) {
    const PrimFunc& func = *function.func;
    const PrimFunc& before = *module.Find(function.name)->func;
    auto storage = std::make_shared<Storage>(function.storage);
    NodeBuilder builder(module.context(), storage->arena());
    std::vector<const MapItem*> items;
    for (size_t i = 0; i < func.params.size(); ++i) {
      const std::optional<LiftedNote> note = ReadLiftedNote(func, ParamName(func, i));
      if (!note || note->constant.empty() || ReadLiftedNote(before, ParamName(func, i))) continue;
      const Attr* key = builder.New<BufferAttr>(SourceRange(), func.buffers[i]);
      const Attr* value = builder.New<ConstantAttr>(SourceRange(), table.at(note->constant));
      items.push_back(builder.New<MapItem>(SourceRange(), key, value));
    }
    if (items.empty()) continue;
    PrimFunc copy = func;
    copy.attrs = builder.With(func.attrs, attr_key::kLinkParams,
                              WithItems(builder, MapOf(func, attr_key::kLinkParams), items));
    const PrimFunc* now = builder.arena().New<PrimFunc>(copy);
    result.Update({function.name, now, std::move(storage)});
  }
  return result;
}

absl::StatusOr<IRModule> ToAllocateConst(const IRModule& module, PassContext& context) {
  BoundParams bound;
  bool any = false;
  for (const Function& function : module.functions()) {
    std::vector<const Constant*> params = LinkedParams(*function.func);
    for (const Constant* constant : params) any |= constant != nullptr;
    bound.emplace(function.name, std::move(params));
  }
  const IRModule unbound = any ? ReplaceParams(module, std::move(bound)) : module;
  const IRModule restored =
      ForEachFunction(unbound, context, [&](const Function& function, Diagnostics&) {
        return RewriteFunction<FromNotedLookups>(module.context(), function);
      });
  return LowerLinkedParams(restored, {}, context);
}

}  // namespace

absl::StatusOr<IRModule> ConvertLinkParams(const IRModule& module,
                                           const ConvertLinkParamsOptions& options,
                                           PassContext& context) {
  if (options.to == "allocate_const") return ToAllocateConst(module, context);
  if (options.to != "attrs" && options.to != "params") {
    context.diagnostics.Error(
        DiagnosticKind::kPass, {},
        fmt::format("`to={}`, expected allocate_const, attrs or params", options.to));
    return module;
  }
  const absl::StatusOr<IRModule> extracted = ExtractConstants(module, {}, context);
  if (!extracted.ok()) return extracted.status();
  return options.to == "attrs" ? LinkByName(*extracted, context)
                               : LinkByParameter(*extracted, context);
}

}  // namespace tenon
