#include "passes/loops/store_nest.h"

#include "ir/analysis/node_queries.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/replace_var.h"
#include "ir/visitor.h"
#include "passes/loops/innermost_loops.h"

namespace tenon {

namespace {

/// True if `sum` is the element that is stored, and `value` does not depend on its buffer.
bool IsApart(const FunctionStorage& pointers, const BufferStore& store, const Expr* sum,
             const Expr* value) {
  const auto* old = dyn_cast<BufferLoad>(sum);
  if (old == nullptr || old->buffer != store.buffer || old->predicate != nullptr ||
      !HaveSameValue(old->indices[0], store.indices[0]) || !IsPlainValue(value))
    return false;
  bool is_apart = true;
  const auto look = [&](const Node* node) {
    const auto* load = dyn_cast<BufferLoad>(node);
    is_apart &= load == nullptr || !pointers.MayAlias(load->buffer->data, store.buffer->data);
    return !isa<Buffer>(node);
  };
  Walk(value, look);
  Walk(store.indices[0], look);
  return is_apart;
}

/// True if the layouts of all buffers in a statement are literals.
bool HaveConstantLayouts(const Stmt* stmt) {
  bool have = true;
  Walk(stmt, [&](const Node* node) {
    const auto* buffer = dyn_cast<Buffer>(node);
    have &= buffer == nullptr || HasConstantLayout(*buffer);
    return have && buffer == nullptr;
  });
  return have;
}

}  // namespace

std::optional<StoreNest> StoreNestOf(const For* loop) {
  StoreNest nest;
  const Stmt* stmt = loop;
  for (; isa<For>(stmt); stmt = cast<For>(stmt)->body) {
    const auto* inner = cast<For>(stmt);
    const bool is_plain = inner->for_kind == ForKind::kSerial && inner->annotations == nullptr &&
                          AsIntImm(inner->min) != nullptr && AsIntImm(inner->extent) != nullptr;
    if (!is_plain) return std::nullopt;
    nest.loops.push_back(inner);
  }
  const auto* store = dyn_cast<BufferStore>(stmt);
  if (store == nullptr || store->indices.size() != 1 || store->predicate != nullptr ||
      !store->indices[0]->dtype.is_scalar() || !HaveConstantLayouts(store))
    return std::nullopt;
  nest.store = store;
  return nest;
}

bool AreIndependent(const FunctionStorage& pointers, std::vector<const For*> around,
                    const StoreNest& nest) {
  for (const For* loop : nest.loops) {
    if (!IterationsAreIndependent(pointers, around, loop)) return false;
    around.push_back(loop);
  }
  return true;
}

const Stmt* LoopsAround(Arena& arena, const std::vector<const For*>& loops, const Stmt* body) {
  for (size_t i = loops.size(); i-- > 0;) {
    For copy = *loops[i];
    copy.body = body;
    body = arena.New<For>(copy);
  }
  return body;
}

const Expr* AddedInteger(const FunctionStorage& pointers, const BufferStore& store) {
  const auto* add = dyn_cast<Add>(store.value);
  if (add == nullptr || !add->dtype.is_scalar() || (!add->dtype.is_int() && !add->dtype.is_uint()))
    return nullptr;
  if (IsApart(pointers, store, add->a, add->b)) return add->b;
  return IsApart(pointers, store, add->b, add->a) ? add->a : nullptr;
}

std::optional<int64_t> StepOf(NodeBuilder& builder, const std::shared_ptr<Storage>& storage,
                              Analyzer& analyzer, const Expr* index, const Var* var) {
  if (!Mentions(index, var)) return 0;
  const Expr* next = builder.New<Add>({}, var, builder.Int(var->dtype, 1));
  const Expr* moved = VarReplacer(builder.context(), storage, var, next).RewriteExpr(index);
  const int64_t* step = AsIntImm(analyzer.Simplify(builder.New<Sub>({}, moved, index)));
  return step == nullptr ? std::nullopt : std::optional(*step);
}

const Stmt* AllocateLocal(NodeBuilder& builder, const Buffer* buffer, const Stmt* body) {
  const MapAttr* unplanned =
      builder.With(nullptr, attr_key::kCandidateMemoryPools, builder.Array({}));
  return builder.New<Allocate>(body->range, buffer->data, buffer->dtype, buffer->shape,
                               builder.Bool(true), unplanned, body);
}

}  // namespace tenon
