#include "passes/loops/order_loops.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <vector>

#include "analysis/loop_independence.h"
#include "arith/analyzer.h"
#include "ir/replace_var.h"
#include "ir/rewriter.h"
#include "ir/visitor.h"
#include "passes/loops/store_nest.h"
#include "passes/loops/vectorize_sums.h"

namespace tenon {

namespace {

using Loops = std::vector<const For*>;

constexpr int64_t kBytesOfLine = 64;
constexpr int64_t kMostLines = kWays * kBytesOfWay / kBytesOfLine;

class LoopOrderer : public Rewriter<LoopOrderer> {
 public:
  LoopOrderer(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func,
              std::atomic<int64_t>& nests)
      : Rewriter(context, storage),
        pointers_(func),
        analyzer_(context, storage->arena(), {.assume_index_no_overflow = true}),
        nests_(nests) {}

  const Stmt* RewriteFor(const For* loop) {
    if (const std::optional<StoreNest> nest = StoreNestOf(loop)) {
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
  const Stmt* Ordered(const StoreNest& old) {
    const Analyzer::Scope scope(analyzer_);
    for (const For* loop : old.loops) analyzer_.BindLoop(loop);
    const StoreNest nest = InBlocks(old);
    const std::optional<Loops> order = Order(nest);
    if (!order || *order == old.loops || !MayReorder(old, nest, *order)) return nullptr;
    ++nests_;
    return LoopsAround(arena(), *order, nest.store);
  }

  /// The nest with two loops for each loop that a layout has in blocks, as in `y[o // 4, o % 4]`.
  /// Indices then have constant steps.
  StoreNest InBlocks(const StoreNest& nest) {
    StoreNest now;
    const Expr* value = nest.store->value;
    const Expr* index = nest.store->indices[0];
    for (const For* loop : nest.loops) {
      const int64_t block = BlockOf(nest, loop);
      if (block == 0) {
        now.loops.push_back(loop);
        continue;
      }
      const Var* old = loop->loop_var;
      For blocks = *loop;
      For inside = *loop;
      blocks.loop_var = builder().NewVar(old->name.view(), old->type, old->range);
      blocks.extent = builder().Int(old->dtype, *AsIntImm(loop->extent) / block);
      inside.loop_var = builder().NewVar(old->name.view(), old->type, old->range);
      inside.extent = builder().Int(old->dtype, block);
      for (const For& part : {blocks, inside}) {
        now.loops.push_back(arena().New<For>(part));
        analyzer_.BindLoop(now.loops.back());
      }
      const Expr* first = builder().New<Mul>({}, blocks.loop_var, builder().Int(old->dtype, block));
      const Expr* place = builder().New<Add>({}, first, inside.loop_var);
      VarReplacer replacer(builder().context(), storage(), old, place);
      value = replacer.RewriteExpr(value);
      index = replacer.RewriteExpr(index);
    }
    if (now.loops == nest.loops) return nest;
    BufferStore store = *nest.store;
    store.value = analyzer_.Simplify(value);
    store.indices = builder().List<Expr>({analyzer_.Simplify(index)});
    now.store = arena().New<BufferStore>(store);
    return now;
  }

  /// The only number that indices divide the loop's variable by, if it divides the loop's extent;
  /// else 0.
  static int64_t BlockOf(const StoreNest& nest, const For* loop) {
    if (*AsIntImm(loop->min) != 0) return 0;
    int64_t block = 0;
    const auto divide = [&](const Expr* number, const Expr* divisor) {
      const int64_t* size = AsIntImm(divisor);
      if (number != loop->loop_var || size == nullptr) return;
      block = block == 0 || block == *size ? *size : -1;
    };
    const auto look = [&](const Node* node) {
      if (const auto* div = dyn_cast<FloorDiv>(node)) divide(div->a, div->b);
      if (const auto* mod = dyn_cast<FloorMod>(node)) divide(mod->a, mod->b);
      return !isa<Buffer>(node);
    };
    Walk(nest.store->value, look);
    Walk(nest.store->indices[0], look);
    const int64_t extent = *AsIntImm(loop->extent);
    return block > 1 && block < extent && extent % block == 0 ? block : 0;
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
  std::optional<Loops> Order(const StoreNest& nest) {
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
  bool LosesLines(const StoreNest& nest, const Loops& order) {
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

  Key KeyOf(const StoreNest& nest, const For* loop, int64_t stored) {
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
    const std::optional<int64_t> step = StepOf(builder(), storage(), analyzer_, index, var);
    return step ? std::optional(std::abs(*step)) : std::nullopt;
  }

  /// True if the new order has the same results. Sums of integers may add up their steps in any
  /// order; that pays if the innermost loop then has vectors (vectorize-sums).
  bool MayReorder(const StoreNest& nest, const StoreNest& now, const Loops& order) {
    if ((IsOneSum(nest) || SumsRows(now, *order.back())) &&
        AddedInteger(pointers_, *nest.store) != nullptr)
      return true;
    return AreIndependent(pointers_, around_, nest);
  }

  bool IsOneSum(const StoreNest& nest) {
    return std::all_of(nest.loops.begin(), nest.loops.end(), [&](const For* loop) {
      return Step(nest.store->indices[0], loop->loop_var) == 0;
    });
  }

  /// True if iterations of the loop add up neighbours: of some buffers, and the same of others.
  bool SumsRows(const StoreNest& nest, const For& loop) {
    if (*AsIntImm(loop.extent) % kFewestSumLanes != 0 ||
        Step(nest.store->indices[0], loop.loop_var) != 0)
      return false;
    bool has_row = false;
    bool are_rows = true;
    Walk(nest.store->value, [&](const Node* node) {
      const auto* load = dyn_cast<BufferLoad>(node);
      if (load == nullptr || load->indices.size() != 1) return !isa<Buffer>(node);
      const std::optional<int64_t> step = Step(load->indices[0], loop.loop_var);
      has_row |= step == 1;
      are_rows &= step == 0 || step == 1;
      return true;
    });
    return has_row && are_rows;
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
