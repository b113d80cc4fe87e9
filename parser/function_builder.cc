#include "parser/function_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/analysis/free_vars.h"
#include "ir/attributes.h"
#include "ir/const_fold.h"
#include "support/check.h"

namespace tenon {

void FunctionBuilder::Start(bool is_s_tir) {
  params_.clear();
  buffers_.clear();
  attrs_.clear();
  statements_.clear();
  open_scopes_.clear();
  declared_vars_.clear();
  is_s_tir_ = is_s_tir;
}

void FunctionBuilder::AddParam(Var* var, const Buffer* buffer) {
  params_.push_back(var);
  buffers_.push_back(buffer);
}

size_t FunctionBuilder::FindParam(const Expr* expr) const {
  return static_cast<size_t>(std::find(params_.begin(), params_.end(), expr) - params_.begin());
}

void FunctionBuilder::Store(const PySubscript& target, const PyValue& value, const Expr* predicate,
                            SourceRange range) {
  if (value.is_error()) return env_.NotUnderstood(range);
  bool ok = true;
  const Span<const Expr*> indices = values_.IndicesOf(target, &ok);
  if (!ok) return;
  const Buffer* buffer = target.buffer;
  const std::optional<DataType> access = values_.AccessType(buffer, indices, range);
  if (!access) return;
  const DataType dtype = *access;
  const Expr* expr = value.is_number() && dtype.is_scalar() && !dtype.is_handle() &&
                             !(value.is(PyKind::kFloat) && dtype.is_integer())
                         ? values_.NumberOf(value, dtype)
                         : values_.ToExpr(value);
  if (expr == nullptr) return;
  if (expr->dtype != dtype) {
    if (expr->dtype.lanes() != dtype.lanes() || expr->dtype.is_handle() || dtype.is_handle()) {
      env_.Error(DiagnosticKind::kType, value.range,
                 fmt::format("expected a value of dtype `{}`, found {}", dtype.ToString(),
                             isa<StringImm>(expr) ? std::string("a string")
                                                  : fmt::format("`{}`", expr->dtype.ToString())));
      return;
    }
    expr = SmartCast(env_.builder, dtype, expr, expr->range);
  }
  Push(env_.builder.New<BufferStore>(range, buffer, expr, indices, predicate));
}

void FunctionBuilder::StoreScalar(const Buffer* buffer, const PyValue& value, SourceRange range) {
  auto* target = env_.scratch->New<PySubscript>();
  target->buffer = buffer;
  target->indices = env_.builder.List<Expr>({env_.builder.Int(0, range)});
  target->range = range;
  Store(*target, value, nullptr, range);
}

Buffer* FunctionBuilder::NewScalar(DataType dtype, std::string_view scope, SourceRange range) {
  const DataType element = dtype == DataType::Bool() ? DataType::Int(8) : dtype;
  const Var* data = env_.builder.New<Var>(range, Symbol(), env_.PointerTypeOf(element, scope));
  auto* buffer = env_.arena.New<Buffer>(Symbol(), data, dtype,
                                        env_.builder.List<Expr>({env_.builder.Int(1, range)}),
                                        env_.builder.Int(0, range));
  buffer->range = range;
  buffer->buffer_kind = BufferKind::kScalar;
  return buffer;
}

void FunctionBuilder::NameBuffer(Buffer* buffer, NameEntry* name, bool owns_data) {
  if (!buffer->name.empty()) return;
  buffer->name = env_.SymbolOf(name);
  if (!owns_data) return;
  auto* data = const_cast<Var*>(buffer->data);
  if (data->name.empty()) data->name = buffer->name;
}

PyValue FunctionBuilder::NamedBuffer(SourceRange range, const Buffer* buffer) {
  PyValue value = PyValue::Of(range, buffer);
  if (buffer->buffer_kind == BufferKind::kScalar) value.kind = PyKind::kScalar;
  return value;
}

void FunctionBuilder::OpenScope(PendingScope* scope, NameEntry* name, SourceRange name_range) {
  PyValue bound;
  switch (scope->form) {
    case ScopeForm::kAllocate:
    case ScopeForm::kAllocateConst:
    case ScopeForm::kLetStmt:
      if (scope->var == nullptr) {
        scope->var = env_.arena.New<Var>(
            name != nullptr ? env_.SymbolOf(name) : env_.context.Intern("v"), scope->type);
        scope->var->range = name != nullptr ? name_range : scope->range;
      }
      bound = PyValue::Of(name_range, scope->var);
      break;
    case ScopeForm::kDeclBuffer:
    case ScopeForm::kAllocatedBuffer:
      if (name != nullptr) NameBuffer(scope->buffer, name, scope->owns_data);
      bound = NamedBuffer(name_range, scope->buffer);
      break;
    case ScopeForm::kAttr:
      if (scope->thread != nullptr) {
        if (name != nullptr && scope->var->name.empty()) scope->var->name = env_.SymbolOf(name);
        bound = PyValue(PyKind::kIterVar, name_range);
        bound.iter_var = scope->thread;
      }
      break;
    default:
      break;
  }
  if (name != nullptr) {
    if (bound.is_error()) {
      env_.Error(DiagnosticKind::kType, name_range, "this scope has no value that `as` could name");
    }
    scopes_.Define(name, bound, name_range);
  }
  scope->start = statements_.size();
  open_scopes_.push_back(scope);
  if (scope->inner != nullptr) OpenScope(scope->inner, nullptr, scope->range);
}

const Stmt* FunctionBuilder::TakeStatements(size_t base, SourceRange range) {
  TENON_CHECK(base <= statements_.size());
  const Span<const Stmt*> all(statements_.data() + base, statements_.size() - base);
  const Stmt* body = nullptr;
  if (all.size() == 1) {
    body = all[0];
  } else {
    body = env_.builder.Seq(all, all.empty() ? range : SourceRange{});
  }
  statements_.resize(base);
  return body;
}

void FunctionBuilder::CloseScopes(size_t base) {
  while (open_scopes_.size() > base) {
    PendingScope* scope = open_scopes_.back();
    TENON_CHECK(scope != nullptr);
    open_scopes_.pop_back();
    // The printer tells an absent rest of a block from a statement by its place.
    const SourceRange range = env_.rules->has_flat_scopes ? SourceRange{} : scope->range;
    const Stmt* body = TakeStatements(scope->start, range);
    if (scope->form == ScopeForm::kInit) {
      TENON_CHECK(blocks_.is_open());
      blocks_.innermost()->init = body;
    } else {
      Push(CloseScope(*scope, body));
    }
  }
}

const Stmt* FunctionBuilder::CloseScope(const PendingScope& scope, const Stmt* body) {
  const SourceRange range = scope.range;
  switch (scope.form) {
    case ScopeForm::kAllocate:
      return env_.builder.New<Allocate>(range, scope.var, scope.dtype, scope.extents,
                                        scope.condition, scope.annotations, body);
    case ScopeForm::kAllocateConst:
      return env_.builder.New<AllocateConst>(range, scope.var, scope.dtype, scope.extents,
                                             scope.data, scope.annotations, body);
    case ScopeForm::kLetStmt:
      return env_.builder.New<LetStmt>(range, scope.var, scope.value, body);
    case ScopeForm::kAttr:
      return env_.builder.New<AttrStmt>(range, scope.node, scope.key, scope.value, body);
    case ScopeForm::kAssert:
      return env_.builder.New<AssertStmt>(range, scope.condition, scope.value, body);
    case ScopeForm::kDeclBuffer:
      return env_.builder.New<DeclBuffer>(range, scope.buffer, body);
    case ScopeForm::kAllocatedBuffer:
      return env_.builder.New<Allocate>(range, scope.buffer->data, scope.buffer->dtype,
                                        scope.buffer->shape, env_.builder.Bool(true, range),
                                        scope.annotations,
                                        env_.builder.New<DeclBuffer>(range, scope.buffer, body));
    case ScopeForm::kRealize:
      return env_.builder.New<BufferRealize>(range, scope.buffer, scope.bounds, scope.key,
                                             scope.condition, body);
    case ScopeForm::kProducerRealize:
      return env_.builder.New<ProducerRealize>(range, scope.buffer, scope.bounds, scope.condition,
                                               body);
    case ScopeForm::kBlock:
      TENON_CHECK(scope.block != nullptr);
      return blocks_.CloseBlock(*scope.block, body, range);
    case ScopeForm::kInit:
      return body;
  }
  TENON_UNREACHABLE();
}

void FunctionBuilder::MarkFreeVars(const PrimFunc& function) {
  const absl::flat_hash_set<const Var*> defined = DefinedVars(function, Declarations::kIncluded);
  for (Var* var : declared_vars_) {
    if (!defined.contains(var)) var->flags |= kFreeVar;
  }
}

const PrimFunc* FunctionBuilder::Finish(Symbol name, bool is_private, const Type* ret_type,
                                        const Stmt* body, SourceRange range) {
  NodeBuilder& builder = env_.builder;
  const MapItem* symbol = nullptr;
  for (const MapItem* item : attrs_) {
    if (*AsString(item->key) == attr_key::kGlobalSymbol) symbol = item;
  }
  if (is_private && symbol != nullptr) {
    env_.Error(DiagnosticKind::kArguments, symbol->range,
               "a private function has no `global_symbol`");
  } else if (!is_private && symbol == nullptr) {
    AddAttr(builder.New<MapItem>(range, builder.New<StringAttr>(range, attr_key::kGlobalSymbol),
                                 builder.New<StringAttr>(range, name.view())));
  }
  if (is_s_tir_ && env_.rules->marks_s_tir) {
    AddAttr(builder.New<MapItem>(range, builder.New<StringAttr>(range, attr_key::kSTir),
                                 builder.New<BoolAttr>(range, true)));
  }
  std::stable_sort(attrs_.begin(), attrs_.end(), [](const MapItem* a, const MapItem* b) {
    return *AsString(a->key) < *AsString(b->key);
  });
  body = blocks_.AddRootBlock(body);
  const MapAttr* attrs = builder.New<MapAttr>(range, env_.arena.Copy(attrs_));
  const PrimFunc* function = builder.New<PrimFunc>(
      range, env_.Copy(params_), env_.arena.Copy(buffers_), ret_type, attrs, body);
  if (!declared_vars_.empty()) MarkFreeVars(*function);
  return function;
}

}  // namespace tenon
