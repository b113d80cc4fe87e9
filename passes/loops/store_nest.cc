// The shapes of nests that passes of this folder accept, so that each pass checks only its own
// conditions. Loops over blocks of a layout become two loops, which makes all indices linear.

#include "passes/loops/store_nest.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/node_queries.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/replace_var.h"
#include "ir/rewriter.h"
#include "ir/structural.h"
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

/// The smallest divisor of the loop's variable in indices, if it divides the loop's extent and the
/// other divisors; otherwise 0.
int64_t BlockOf(const StoreNest& nest, const For* loop) {
  if (*AsIntImm(loop->min) != 0) return 0;
  std::vector<int64_t> sizes;
  const auto divide = [&](const Expr* number, const Expr* divisor) {
    const int64_t* size = AsIntImm(divisor);
    if (number == loop->loop_var) sizes.push_back(size == nullptr ? 0 : *size);
  };
  Walk(nest.store, [&](const Node* node) {
    if (const auto* div = dyn_cast<FloorDiv>(node)) divide(div->a, div->b);
    if (const auto* mod = dyn_cast<FloorMod>(node)) divide(mod->a, mod->b);
    return !isa<Buffer>(node);
  });
  if (sizes.empty()) return 0;
  const int64_t block = *std::min_element(sizes.begin(), sizes.end());
  const int64_t extent = *AsIntImm(loop->extent);
  const auto is_multiple = [&](int64_t size) { return size % block == 0; };
  const bool splits = block > 1 && block < extent && is_multiple(extent) &&
                      std::all_of(sizes.begin(), sizes.end(), is_multiple);
  return splits ? block : 0;
}

/// Simplifies the indices of stores and loads, and the values of stores. `analyzer` may assume that
/// indices do not overflow. Values may wrap, so they are simplified by an analyzer that assumes
/// nothing.
class IndexSimplifier : public Rewriter<IndexSimplifier> {
 public:
  IndexSimplifier(Context& context, std::shared_ptr<Storage> storage, Analyzer& analyzer)
      : Rewriter(context, std::move(storage)), analyzer_(analyzer), values_(context, arena()) {}

  const Stmt* RewriteFor(const For* loop) {
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(loop);
    return RewriteChildren(loop);
  }

  const Stmt* RewriteBufferStore(const BufferStore* store) {
    BufferStore now = *store;
    now.value = RewriteExpr(store->value);
    Walk(now.value, [&](const Node* node) {
      const auto* var = dyn_cast<Var>(node);
      if (var != nullptr && var->dtype.is_integer()) values_.Bind(var, analyzer_.Bounds(var));
      return true;
    });
    now.value = values_.Simplify(now.value);
    now.indices = Simplified(store->indices);
    return arena().New<BufferStore>(now);
  }

  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    BufferLoad now = *cast<BufferLoad>(RewriteChildren(load));
    now.indices = Simplified(now.indices);
    return arena().New<BufferLoad>(now);
  }

 private:
  Span<const Expr*> Simplified(Span<const Expr*> indices) {
    std::vector<const Expr*> simplified;
    for (const Expr* index : indices) simplified.push_back(analyzer_.Simplify(index));
    return arena().Copy(Span<const Expr*>(simplified));
  }

  Analyzer& analyzer_;
  Analyzer values_;
};

}  // namespace

std::optional<StoreNest> StoreNestOf(const For* loop) {
  StoreNest nest;
  const Stmt* stmt = loop;
  for (; isa<For>(stmt); stmt = cast<For>(stmt)->body) {
    if (!IsPlainLoop(*cast<For>(stmt))) return std::nullopt;
    nest.loops.push_back(cast<For>(stmt));
  }
  nest.store = dyn_cast<BufferStore>(stmt);
  if (nest.store == nullptr || nest.store->indices.size() != 1 ||
      nest.store->predicate != nullptr || !nest.store->indices[0]->dtype.is_scalar() ||
      !HaveConstantLayouts(stmt))
    return std::nullopt;
  return nest;
}

StoreNest InBlocks(NodeBuilder& builder, const std::shared_ptr<Storage>& storage,
                   Analyzer& analyzer, const StoreNest& nest) {
  StoreNest now;
  const Stmt* body = nest.store;
  for (const For* loop : nest.loops) {
    const int64_t block = BlockOf(nest, loop);
    if (block == 0) {
      now.loops.push_back(loop);
      continue;
    }
    const Var* old = loop->loop_var;
    For blocks = *loop;
    For inside = *loop;
    blocks.loop_var = builder.NewVar(old->name.view(), old->type, old->range);
    blocks.extent = builder.Int(old->dtype, *AsIntImm(loop->extent) / block);
    inside.loop_var = builder.NewVar(old->name.view(), old->type, old->range);
    inside.extent = builder.Int(old->dtype, block);
    for (const For& part : {blocks, inside}) {
      now.loops.push_back(builder.arena().New<For>(part));
      analyzer.BindLoop(now.loops.back());
    }
    const Expr* first = builder.New<Mul>({}, blocks.loop_var, builder.Int(old->dtype, block));
    const Expr* place = builder.New<Add>({}, first, inside.loop_var);
    body = VarReplacer(builder.context(), storage, old, place).RewriteStmt(body);
  }
  if (now.loops == nest.loops) return nest;
  now.store = cast<BufferStore>(SimplifiedIndices(builder, storage, analyzer, body));
  // Blocks may consist of smaller blocks, as in `x[o // 16, o % 16]` and `y[o // 4, o % 4]`.
  return InBlocks(builder, storage, analyzer, now);
}

const Stmt* SimplifiedIndices(NodeBuilder& builder, const std::shared_ptr<Storage>& storage,
                              Analyzer& analyzer, const Stmt* stmt) {
  return IndexSimplifier(builder.context(), storage, analyzer).RewriteStmt(stmt);
}

const For* Fused(NodeBuilder& builder, const std::shared_ptr<Storage>& storage, Analyzer& analyzer,
                 const For& outer, const For& inner, const Stmt* body) {
  const DataType dtype = outer.loop_var->dtype;
  const int64_t extent = *AsIntImm(inner.extent);
  For* const loop = builder.arena().New<For>(outer);
  loop->loop_var = builder.NewVar(outer.loop_var->name.view(), outer.loop_var->type);
  loop->extent = builder.Int(dtype, *AsIntImm(outer.extent) * extent);
  const Expr* size = builder.Int(dtype, extent);
  const auto replace = [&](const Var* var, const Expr* value) {
    body = VarReplacer(builder.context(), storage, var, value).RewriteStmt(body);
  };
  replace(outer.loop_var, builder.New<FloorDiv>({}, loop->loop_var, size));
  replace(inner.loop_var, builder.New<FloorMod>({}, loop->loop_var, size));
  analyzer.BindLoop(loop);
  loop->body = SimplifiedIndices(builder, storage, analyzer, body);
  return loop;
}

bool AreIndependent(const FunctionStorage& pointers, std::vector<const For*> around,
                    const std::vector<const For*>& loops) {
  for (const For* loop : loops) {
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

bool IsInside(NodeBuilder& builder, Analyzer& analyzer, const BufferLoad& load) {
  const Buffer& buffer = *load.buffer;
  if (load.indices.size() != 1 || buffer.shape.size() != 1 || !HasConstantLayout(buffer) ||
      load.predicate != nullptr)
    return false;
  const Expr* index = load.indices[0];
  const Expr* end = builder.Int(index->dtype, *AsIntImm(buffer.shape[0]));
  return analyzer.CanProve(builder.New<LE>({}, builder.Int(index->dtype, 0), index)) &&
         analyzer.CanProve(builder.New<LT>({}, index, end));
}

const BufferLoad* OnlyLoadIn(const Expr* value) {
  const BufferLoad* only = nullptr;
  int loads = 0;
  Walk(value, [&](const Node* node) {
    const auto* load = dyn_cast<BufferLoad>(node);
    if (load != nullptr && ++loads == 1) only = load;
    return !isa<Buffer>(node);
  });
  return loads == 1 ? only : nullptr;
}

const Expr* IntegerSum::Both(NodeBuilder& builder, const Expr* a, const Expr* b) const {
  if (op == NodeKind::kMax) return builder.New<Max>({}, a, b);
  if (op == NodeKind::kMin) return builder.New<Min>({}, a, b);
  return builder.New<Add>({}, a, b);
}

std::optional<IntegerSum> IntegerSumOf(const FunctionStorage& pointers, const BufferStore& store) {
  const DataType dtype = store.value->dtype;
  const NodeKind op = store.value->kind;
  if ((op != NodeKind::kAdd && op != NodeKind::kMax && op != NodeKind::kMin) ||
      !dtype.is_scalar() || (!dtype.is_int() && !dtype.is_uint()))
    return std::nullopt;
  const auto* both = cast<BinaryExpr>(store.value);
  if (IsApart(pointers, store, both->a, both->b)) return IntegerSum{op, both->b};
  if (IsApart(pointers, store, both->b, both->a)) return IntegerSum{op, both->a};
  return std::nullopt;
}

const Stmt* AllocateLocal(NodeBuilder& builder, const Buffer* buffer, const Stmt* body) {
  const MapAttr* unplanned =
      builder.With(nullptr, attr_key::kCandidateMemoryPools, builder.Array({}));
  return builder.New<Allocate>(body->range, buffer->data, buffer->dtype, buffer->shape,
                               builder.Bool(true), unplanned, body);
}

}  // namespace tenon
