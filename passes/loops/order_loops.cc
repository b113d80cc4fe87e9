#include "passes/loops/order_loops.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <vector>

#include "analysis/loop_independence.h"
#include "arith/analyzer.h"
#include "ir/analysis/node_queries.h"
#include "ir/replace_var.h"
#include "ir/rewriter.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

using Loops = std::vector<const For*>;

/// The first cache of most processors: elements at a distance of a multiple of `kBytesOfWay` share
/// `kWays` lines.
constexpr int64_t kBytesOfWay = 4096;
constexpr int64_t kBytesOfLine = 64;
constexpr int64_t kWays = 8;
constexpr int64_t kMostLines = kWays * kBytesOfWay / kBytesOfLine;

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

  /// A loop, and its longest steps in the stored buffer and in the loaded ones.
  struct Key {
    const For* loop = nullptr;
    int64_t stored = 0;
    int64_t loaded = 0;
    /// True if neighbouring iterations access neighbours in a buffer that not all other loops
    /// share.
    bool has_row = false;
    /// True if the iterations may push each other's elements out of the cache.
    bool collides = false;
  };

  /// The loops by their steps in the stored buffer, the longest step first. Then the loops of a
  /// sum, by their longest step in the other buffers.
  std::optional<Loops> Order(const Nest& nest) {
    std::vector<Key> keys;
    for (const For* loop : nest.loops) {
      const std::optional<int64_t> stored = Step(nest.store->indices[0], loop->loop_var);
      if (!stored) return std::nullopt;
      keys.push_back(KeyOf(nest, loop, *stored));
    }
    const For* innermost = keys.back().loop;
    const auto last = keys.back().has_row ? keys.end() - 1 : keys.end();
    std::stable_sort(keys.begin(), last, [](const Key& a, const Key& b) {
      return a.stored != b.stored ? a.stored > b.stored : a.stored == 0 && a.loaded > b.loaded;
    });
    Loops order;
    for (const Key& key : keys) order.push_back(key.loop);
    if (keys.back().loop != innermost && (keys.back().collides || LosesLines(nest, order)))
      return std::nullopt;
    return order;
  }

  /// True if a line of a loaded buffer leaves the cache before the next element of it is read.
  bool LosesLines(const Nest& nest, const Loops& order) {
    bool loses = false;
    Walk(nest.store->value, [&](const Node* node) {
      const auto* load = dyn_cast<BufferLoad>(node);
      if (load == nullptr || load->indices.size() != 1) return !isa<Buffer>(node);
      int64_t lines = 1;
      for (size_t i = order.size(); i-- > 0 && lines <= kMostLines;) {
        const std::optional<int64_t> step = Step(load->indices[0], order[i]->loop_var);
        // Blocks of a layout, as in `o // 4, o % 4`, count as a row.
        if (!step || *step == 1) return true;
        if (*step != 0) lines *= *AsIntImm(order[i]->extent);
      }
      loses |= lines > kMostLines;
      return true;
    });
    return loses;
  }

  Key KeyOf(const Nest& nest, const For* loop, int64_t stored) {
    Key key{loop, stored, 0, stored == 1, false};
    Walk(nest.store->value, [&](const Node* node) {
      const auto* load = dyn_cast<BufferLoad>(node);
      if (load == nullptr || load->indices.size() != 1) return !isa<Buffer>(node);
      const auto used = std::count_if(nest.loops.begin(), nest.loops.end(), [&](const For* other) {
        return Step(load->indices[0], other->loop_var) != 0;
      });
      const std::optional<int64_t> step = Step(load->indices[0], loop->loop_var);
      key.has_row |= step == 1 && used > 1;
      key.loaded = std::max(key.loaded, step.value_or(0));
      const int64_t bytes = step.value_or(0) * load->dtype.bytes();
      const int64_t sets = kBytesOfWay / std::gcd(bytes, kBytesOfWay);
      key.collides |= bytes >= kBytesOfLine && *AsIntImm(loop->extent) > kWays * sets;
      return true;
    });
    return key;
  }

  /// The distance of two neighbouring iterations in an index, without its sign; nullopt if it is
  /// not constant.
  std::optional<int64_t> Step(const Expr* index, const Var* var) {
    const Expr* next = builder().New<Add>({}, var, builder().Int(var->dtype, 1));
    const Expr* moved = VarReplacer(builder().context(), storage(), var, next).RewriteExpr(index);
    const int64_t* step = AsIntImm(analyzer_.Simplify(builder().New<Sub>({}, moved, index)));
    return step == nullptr ? std::nullopt : std::optional(std::abs(*step));
  }

  bool MayReorder(const Nest& nest) {
    const bool is_one_sum = std::all_of(nest.loops.begin(), nest.loops.end(), [&](const For* loop) {
      return Step(nest.store->indices[0], loop->loop_var) == 0;
    });
    if (is_one_sum) return IsIntegerSum(*nest.store);
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
    if (add == nullptr || !add->dtype.is_scalar() ||
        (!add->dtype.is_int() && !add->dtype.is_uint()))
      return false;
    return IsApart(store, add->a, add->b) || IsApart(store, add->b, add->a);
  }

  /// True if `sum` is the element that is stored, and `value` does not depend on its buffer.
  bool IsApart(const BufferStore& store, const Expr* sum, const Expr* value) const {
    const auto* old = dyn_cast<BufferLoad>(sum);
    if (old == nullptr || old->buffer != store.buffer || old->predicate != nullptr ||
        !HaveSameValue(old->indices[0], store.indices[0]) || !IsPlainValue(value))
      return false;
    bool is_apart = true;
    const auto look = [&](const Node* node) {
      const auto* load = dyn_cast<BufferLoad>(node);
      is_apart &= load == nullptr || !pointers_.MayAlias(load->buffer->data, store.buffer->data);
      return !isa<Buffer>(node);
    };
    Walk(value, look);
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
