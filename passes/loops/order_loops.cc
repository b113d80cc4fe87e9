#include "passes/loops/order_loops.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <vector>

#include "analysis/loop_independence.h"
#include "arith/analyzer.h"
#include "ir/replace_var.h"
#include "ir/rewriter.h"
#include "ir/structural.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

using Loops = std::vector<const For*>;

/// Loops around one store.
struct Nest {
  Loops loops;
  const BufferStore* store = nullptr;
};

/// The loops from `loop` to the only store inside of them; nullopt if there is something else.
std::optional<Nest> NestOf(const For* loop) {
  Nest nest;
  const Stmt* stmt = loop;
  for (; isa<For>(stmt); stmt = cast<For>(stmt)->body) {
    const auto* inner = cast<For>(stmt);
    const bool is_plain = inner->for_kind == ForKind::kSerial && inner->annotations == nullptr &&
                          AsIntImm(inner->min) != nullptr && AsIntImm(inner->extent) != nullptr;
    if (!is_plain) return std::nullopt;
    nest.loops.push_back(inner);
  }
  const auto* store = dyn_cast<BufferStore>(stmt);
  if (store == nullptr || nest.loops.size() < 2 || store->indices.size() != 1 ||
      store->predicate != nullptr || !store->indices[0]->dtype.is_scalar())
    return std::nullopt;
  nest.store = store;
  return nest;
}

class LoopOrderer : public Rewriter<LoopOrderer> {
 public:
  LoopOrderer(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func,
              std::atomic<int64_t>& nests)
      : Rewriter(context, storage),
        pointers_(func),
        analyzer_(context, storage->arena(), {.assume_index_no_overflow = true}),
        nests_(nests) {}

  const Stmt* RewriteFor(const For* loop) {
    if (const std::optional<Nest> nest = NestOf(loop)) {
      const Stmt* now = Ordered(*nest);
      return now == nullptr ? loop : now;
    }
    around_.push_back(loop);
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(loop);
    const Stmt* now = RewriteChildren(loop);
    around_.pop_back();
    return now;
  }

 private:
  /// The nest in a better order; null if it stays.
  const Stmt* Ordered(const Nest& nest) {
    const Analyzer::Scope scope(analyzer_);
    for (const For* loop : nest.loops) analyzer_.BindLoop(loop);
    const std::optional<Loops> order = Order(nest);
    if (!order || *order == nest.loops || !MayReorder(nest)) return nullptr;
    ++nests_;
    const Stmt* body = nest.store;
    for (size_t i = order->size(); i-- > 0;) {
      For copy = *(*order)[i];
      copy.body = body;
      body = arena().New<For>(copy);
    }
    return body;
  }

  /// The loops by their steps in the stored buffer, the longest step first. Then the loops of a sum,
  /// by their longest step in the other buffers.
  std::optional<Loops> Order(const Nest& nest) {
    struct Key {
      const For* loop;
      int64_t stored;
      int64_t loaded;
    };
    std::vector<Key> keys;
    bool has_row = false;
    for (const For* loop : nest.loops) {
      const std::optional<int64_t> stored = Step(nest.store->indices[0], loop->loop_var);
      if (!stored) return std::nullopt;
      keys.push_back({loop, *stored, 0});
      has_row = *stored == 1;
      Walk(nest.store->value, [&](const Node* node) {
        const auto* load = dyn_cast<BufferLoad>(node);
        if (load == nullptr || load->indices.size() != 1) return !isa<Buffer>(node);
        const std::optional<int64_t> step = Step(load->indices[0], loop->loop_var);
        has_row |= step == 1;
        keys.back().loaded = std::max(keys.back().loaded, step.value_or(0));
        return true;
      });
    }
    const auto last = has_row ? keys.end() - 1 : keys.end();
    std::stable_sort(keys.begin(), last, [](const Key& a, const Key& b) {
      return a.stored != b.stored ? a.stored > b.stored : a.stored == 0 && a.loaded > b.loaded;
    });
    Loops order;
    for (const Key& key : keys) order.push_back(key.loop);
    return order;
  }

  /// The distance of two neighbouring iterations in an index, without its sign; nullopt if it is not
  /// constant.
  std::optional<int64_t> Step(const Expr* index, const Var* var) {
    const Expr* next = builder().New<Add>({}, var, builder().Int(var->dtype, 1));
    const Expr* moved =
        VarReplacer(builder().context(), storage(), var, next).RewriteExpr(index);
    const int64_t* step = AsIntImm(analyzer_.Simplify(builder().New<Sub>({}, moved, index)));
    return step == nullptr ? std::nullopt : std::optional(std::abs(*step));
  }

  bool MayReorder(const Nest& nest) const {
    if (IsIntegerSum(*nest.store)) return true;
    Loops around = around_;
    for (const For* loop : nest.loops) {
      if (!IterationsAreIndependent(pointers_, around, loop)) return false;
      around.push_back(loop);
    }
    return true;
  }

  /// True for `y[i] = y[i] + value`, of integers, where the value does not depend on any `y[j]`.
  bool IsIntegerSum(const BufferStore& store) const {
    const auto* add = dyn_cast<Add>(store.value);
    const auto* old = add == nullptr ? nullptr : dyn_cast<BufferLoad>(add->a);
    if (old == nullptr || !add->dtype.is_scalar() || (!add->dtype.is_int() && !add->dtype.is_uint()) ||
        old->buffer != store.buffer || old->predicate != nullptr ||
        !StructuralEqual(old->indices[0], store.indices[0]) || !IsPlainValue(add->b))
      return false;
    bool is_apart = true;
    const auto look = [&](const Node* node) {
      const auto* load = dyn_cast<BufferLoad>(node);
      is_apart &= load == nullptr || !pointers_.MayAlias(load->buffer->data, store.buffer->data);
      return !isa<Buffer>(node);
    };
    Walk(add->b, look);
    Walk(store.indices[0], look);
    return is_apart;
  }

  const FunctionStorage pointers_;
  Analyzer analyzer_;
  Loops around_;
  std::atomic<int64_t>& nests_;
};

}  // namespace

absl::StatusOr<IRModule> OrderLoops(const IRModule& module, const NoOptions&,
                                    PassContext& context) {
  std::atomic<int64_t> nests = 0;
  absl::StatusOr<IRModule> result =
      ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
        return RewriteFunction<LoopOrderer>(module.context(), function, *function.func, nests);
      });
  context.Count("order-loops.nests", nests);
  return result;
}

}  // namespace tenon
