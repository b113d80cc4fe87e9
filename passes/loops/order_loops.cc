#include "passes/loops/order_loops.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <optional>
#include <vector>

#include "analysis/loop_independence.h"
#include "arith/analyzer.h"
#include "ir/replace_var.h"
#include "ir/rewriter.h"
#include "ir/visitor.h"
#include "passes/loops/loop_vectorizer.h"
#include "passes/loops/store_nest.h"
#include "passes/loops/vectorize_sums.h"

namespace tenon {

namespace {

using Loops = std::vector<const For*>;

constexpr int64_t kBytesOfLine = 64;
/// Rows of fewer sums do not fill a vector.
constexpr int64_t kLeastRowOfSums = 8;
/// Vectors load lanes that are up to so many elements apart (vectorize-loops).
constexpr int64_t kMostLaneStepOfSums = 4;
constexpr int64_t kMostResultBytes = kWays * kBytesOfWay / 2;
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
    const std::optional<ElementNest> nest = ElementNestOf(loop);
    const Stmt* now = nest ? Ordered(*nest) : nullptr;
    if (now != nullptr) return now;
    if (nest && nest->body == nest->store) return loop;
    around_.push_back(loop);
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindLoop(loop);
    now = RewriteChildren(loop);
    around_.pop_back();
    return now;
  }

 private:
  /// The nest in a better order; null if it stays.
  const Stmt* Ordered(const ElementNest& old) {
    const Analyzer::Scope scope(analyzer_);
    for (const For* loop : old.loops) analyzer_.BindLoop(loop);
    const ElementNest nest = InBlocks(builder(), storage(), analyzer_, old);
    const std::optional<Loops> order = Order(nest);
    if (!order || *order == old.loops || !MayReorder(old, nest, *order)) return nullptr;
    ++nests_;
    return LoopsAround(arena(), *order, nest.body);
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
  /// sum; those of integers by their longest step in the other buffers.
  std::optional<Loops> Order(const ElementNest& nest) {
    std::vector<Key> keys;
    for (const For* loop : nest.loops) {
      const std::optional<int64_t> stored = Step(nest.store->indices[0], loop->loop_var);
      if (!stored) return std::nullopt;
      keys.push_back(KeyOf(nest, loop, *stored));
    }
    const bool is_integer = AddedInteger(pointers_, *nest.store) != nullptr;
    const For* innermost = keys.back().loop;
    const auto last =
        keys.back().has_row && !SumsIntegerRows(nest, keys) ? keys.end() - 1 : keys.end();
    std::stable_sort(keys.begin(), last, [&](const Key& a, const Key& b) {
      if (a.stored != b.stored) return a.stored > b.stored;
      return is_integer && a.stored == 0 && a.loaded > b.loaded;
    });
    if (keys.back().loop == innermost || IsGood(nest, keys)) return LoopsOf(keys);
    // Results that the first cache holds may be read again in each step of a sum.
    int64_t results = nest.store->value->dtype.bytes();
    for (const Key& key : keys) results *= key.stored == 0 ? 1 : *AsIntImm(key.loop->extent);
    std::stable_partition(keys.begin(), keys.end(), [](const Key& key) { return key.stored == 0; });
    if (results > kMostResultBytes || !IsGood(nest, keys)) return std::nullopt;
    return LoopsOf(keys);
  }

  /// True if the innermost loop reads elements that are far apart, and a loop of a sum of integers
  /// runs through neighbours.
  bool SumsIntegerRows(const ElementNest& nest, const std::vector<Key>& keys) {
    return keys.back().stored == 1 && keys.back().loaded > kMostLaneStepOfSums &&
           nest.body == nest.store && !nest.store->value->dtype.is_floating() &&
           std::count_if(keys.begin(), keys.end(), [&](const Key& key) {
             return key.stored == 0 && SumsRows(nest, *key.loop);
           }) == 1;
  }

  static Loops LoopsOf(const std::vector<Key>& keys) {
    Loops order;
    for (const Key& key : keys) order.push_back(key.loop);
    return order;
  }

  bool IsGood(const ElementNest& nest, const std::vector<Key>& keys) {
    return !keys.back().collides && !LosesLines(nest, LoopsOf(keys));
  }

  /// True if a line of a loaded buffer leaves the cache before the next element of it is read.
  bool LosesLines(const ElementNest& nest, const Loops& order) {
    bool loses = false;
    Walk(nest.body, [&](const Node* node) {
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

  Key KeyOf(const ElementNest& nest, const For* loop, int64_t stored) {
    Key key{loop, stored, 0, stored == 1, false};
    Walk(nest.body, [&](const Node* node) {
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

  /// True if the new order has the same results: they are independent, and the steps of each are in
  /// the same order. Sums of integers may add up their steps in any order; that pays if the
  /// innermost loop then has vectors (vectorize-sums).
  bool MayReorder(const ElementNest& nest, const ElementNest& now, const Loops& order) {
    if ((IsOneSum(nest) || SumsRows(now, *order.back())) &&
        AddedInteger(pointers_, *nest.store) != nullptr)
      return true;
    Loops sums;
    Loops around = around_;
    for (const For* loop : nest.loops) {
      if (Step(nest.store->indices[0], loop->loop_var) == 0) {
        sums.push_back(loop);
      } else if (!IterationsAreIndependent(pointers_, around, loop)) {
        return false;
      }
      around.push_back(loop);
    }
    const bool has_sum = !sums.empty() || now.body != now.store;
    const bool sums_rows = !nest.store->value->dtype.is_floating() && SumsRows(now, *order.back());
    if (has_sum && !sums_rows && !FillsVectors(now, order)) return false;
    // Rows of sums that are in memory stay where loads run along them.
    if (!sums.empty() && order.back() == nest.loops.back()) return false;
    Loops kept;
    std::copy_if(order.begin(), order.end(), std::back_inserter(kept), [&](const For* loop) {
      return std::find(sums.begin(), sums.end(), loop) != sums.end();
    });
    return kept == sums;
  }

  /// True if vectors can hold the results that the innermost loops store, apart from those of a
  /// sum. Loops that no access tells apart count as one (flatten-loops).
  bool FillsVectors(const ElementNest& nest, const Loops& order) {
    int64_t row = 1;
    const For* last = nullptr;
    for (size_t i = order.size(); i-- > 0 && row < kLeastRowOfSums;) {
      const std::optional<int64_t> stored = Step(nest.store->indices[0], order[i]->loop_var);
      if (stored == 0 && last == nullptr) continue;
      if (stored != row || !ContinuesRow(nest, last, *order[i], row)) break;
      last = order[i];
      row *= *AsIntImm(order[i]->extent);
    }
    return row >= kLeastRowOfSums;
  }

  /// True if all loads step over a row of `inner` in the outer loop as they step along it, by up to
  /// as many elements as vectors can load, or if lanes can be picked from a short row. Without
  /// `inner`, the outer loop is the innermost.
  bool ContinuesRow(const ElementNest& nest, const For* inner, const For& outer, int64_t row) {
    bool continues = true;
    Walk(nest.body, [&](const Node* node) {
      const auto* load = dyn_cast<BufferLoad>(node);
      if (load == nullptr || load->indices.size() != 1) return !isa<Buffer>(node);
      const std::optional<int64_t> far = Step(load->indices[0], outer.loop_var);
      const std::optional<int64_t> near =
          inner == nullptr ? far : Step(load->indices[0], inner->loop_var);
      continues &= near && far && *near <= kMostLaneStepOfSums &&
                   (inner == nullptr || *far == *near * row || *far <= kMostRowOfLanes * row);
      return true;
    });
    return continues;
  }

  bool IsOneSum(const ElementNest& nest) {
    return std::all_of(nest.loops.begin(), nest.loops.end(), [&](const For* loop) {
      return Step(nest.store->indices[0], loop->loop_var) == 0;
    });
  }

  /// True if iterations of the loop add up neighbours: of some buffers, and the same of others.
  bool SumsRows(const ElementNest& nest, const For& loop) {
    if (*AsIntImm(loop.extent) % kFewestSumLanes != 0 ||
        Step(nest.store->indices[0], loop.loop_var) != 0)
      return false;
    bool has_row = false;
    bool are_rows = true;
    Walk(nest.body, [&](const Node* node) {
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
