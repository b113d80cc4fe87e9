// The counterpart of pack_operands.cc for results. The copy at the end is one pass over them,
// whatever the number of steps, and pays for sums of few steps already.

#include "passes/loops/pack_results.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "analysis/loop_independence.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/rewriter.h"
#include "ir/visitor.h"
#include "passes/loops/innermost_loops.h"
#include "passes/loops/loop_vectorizer.h"
#include "passes/loops/packed_layout.h"

namespace tenon {

namespace {

/// With fewer steps, the copy takes longer than sums whose results are apart.
constexpr int64_t kLeastStepsOfCopy = 3;
/// The same if results are also copied before the nest.
constexpr int64_t kLeastStepsOfTwoCopies = 8;
/// Results in shorter rows do not fill a vector. Those of long sums may fill a quarter of one. With
/// fuller rows of order-loops, this took three nests on a Zen 4 from 1.4 to 5.5 times gcc's time to
/// 0.09 to 0.5.
constexpr int64_t kLeastResultsOfRow = 8;
constexpr int64_t kLeastLongSumsOfRow = 4;
constexpr int64_t kManyStepsOfResult = 16;

/// The results of a nest, which are copied.
struct Results {
  const Buffer* buffer = nullptr;
  PackedLayout layout;
  /// Each run of this loop computes its results in the copy, which is then written back.
  const For* loop = nullptr;
  /// True if the nest reads results that were set before it.
  bool reads_old = false;
};

/// Finds the results of one outermost loop.
class ResultFinder {
 public:
  ResultFinder(NodeBuilder& builder, const FunctionStorage& pointers)
      : builder_(builder), pointers_(pointers) {}

  std::optional<Results> Find(const For* loop) {
    Statement(loop);
    for (std::vector<Access>* accesses : {&stores_, &loads_}) {
      for (Access& access : *accesses) nest_.digits().Normalise(access.form);
    }
    leaves_ = nest_.digits().Leaves();
    if (!is_plain_ || stored_ == nullptr || !IsApart()) return std::nullopt;
    const std::optional<int64_t> count = StaticCount(stored_->shape);
    std::optional<Results> results = InOrder();
    if (!results || !count || !results->layout.IsOneToOne(*count)) return std::nullopt;
    results->loop = loop;
    results->reads_old = !sets_first_;
    while (results->layout.elements() * stored_->dtype.bytes() > kMostPackedResultBytes) {
      if (!GoInside(*results)) return std::nullopt;
    }
    const int64_t steps = Steps();
    if (steps < (sets_first_ ? kLeastStepsOfCopy : kLeastStepsOfTwoCopies)) return std::nullopt;
    return results;
  }

  /// The index of a result in the copy, at a place of the loops.
  const Expr* PackedIndex(const Results& results) const {
    return nest_.IndexOf(builder_, results.layout);
  }
  /// The index of the first result that a run of the loop computes.
  const Expr* FirstIndex(const Results& results) const {
    return nest_.FirstOf(builder_, results.layout);
  }

 private:
  struct Access {
    const Buffer* buffer = nullptr;
    LinearIndex form;  ///< of the first byte
  };

  /// Copies the results of the next inner loop. False if the row fills no vector, or if the outer
  /// loop runs through steps of the sums or along the row, or has more than that loop in it.
  bool GoInside(Results& results) const {
    const auto* inner = dyn_cast<For>(results.loop->body);
    PackedLayout& layout = results.layout;
    const int outer = nest_.GroupOf(results.loop);
    const auto is_outer = [&](const PackedAxis& axis) { return axis.group == outer; };
    if (inner == nullptr || layout.axes.back().extent < kLongRow || is_outer(layout.axes.back()))
      return false;
    int64_t iterations = 1;
    for (const PackedAxis& axis : layout.axes) {
      if (!is_outer(axis)) continue;
      iterations *= axis.extent;
      layout.around.push_back(axis);
    }
    if (iterations != *AsIntImm(results.loop->extent)) return false;
    std::erase_if(layout.axes, is_outer);
    results.loop = inner;
    return true;
  }

  void Statement(const Stmt* stmt) {
    switch (stmt->kind) {
      case NodeKind::kSeqStmt:
        for (const Stmt* item : cast<SeqStmt>(stmt)->seq) Statement(item);
        return;
      case NodeKind::kAllocate:
        inside_.insert(cast<Allocate>(stmt)->buffer_var);
        return Statement(cast<Allocate>(stmt)->body);
      case NodeKind::kFor: {
        const auto* loop = cast<For>(stmt);
        is_plain_ = is_plain_ && IsPlainLoop(*loop) && nest_.Enter(loop);
        if (!is_plain_) return;
        Statement(loop->body);
        nest_.Leave();
        return;
      }
      case NodeKind::kBufferStore:
        return Store(cast<BufferStore>(stmt));
      default:
        is_plain_ = false;
    }
  }

  void Store(const BufferStore* store) {
    is_plain_ &= store->value->dtype.is_scalar() && IsPlainValue(store->value);
    // Also the indices: a local array may be stored at a place that is loaded.
    Walk(store, [&](const Node* node) {
      const auto* load = dyn_cast<BufferLoad>(node);
      if (load != nullptr) AddAccess(*load->buffer, load->indices, load->predicate, loads_);
      return !isa<Buffer>(node);
    });
    if (inside_.contains(store->buffer->data)) return;
    is_plain_ &= stored_ == nullptr || stored_ == store->buffer;
    if (stored_ == nullptr && is_plain_) {
      stored_ = store->buffer;
      sets_first_ = std::none_of(loads_.begin(), loads_.end(), [&](const Access& load) {
        return load.buffer->data == stored_->data;
      });
    }
    AddAccess(*store->buffer, store->indices, store->predicate, stores_);
  }

  void AddAccess(const Buffer& buffer, Span<const Expr*> indices, const Expr* predicate,
                 std::vector<Access>& accesses) {
    if (inside_.contains(buffer.data)) return;
    const std::optional<LinearIndex> form = nest_.forms().AddressOf(&buffer, indices);
    is_plain_ &= form.has_value() && indices.size() == 1 && indices[0]->dtype.is_scalar() &&
                 predicate == nullptr && buffer.dtype.is_scalar() && buffer.strides.empty() &&
                 IsConstInt(buffer.elem_offset, 0);
    if (is_plain_) accesses.push_back({&buffer, *form});
  }

  /// True if all accesses to the stored buffer are to the element that the first store sets, and no
  /// other buffer shares its memory.
  bool IsApart() const {
    if (!pointers_.IsKnown(stored_->data)) return false;
    const auto is_same = [&](const Access& access) { return access.form == stores_.front().form; };
    return std::all_of(stores_.begin(), stores_.end(), is_same) &&
           std::all_of(loads_.begin(), loads_.end(), [&](const Access& load) {
             return load.buffer == stored_ ? is_same(load)
                                           : !pointers_.MayAlias(load.buffer->data, stored_->data);
           });
  }

  /// The steps of each result: the iterations around loads that are other steps of the same result.
  int64_t Steps() const {
    const LinearIndex& to = stores_.front().form;
    int64_t steps = 1;
    for (const Digits::Leaf& leaf : leaves_) {
      const bool is_read = std::any_of(loads_.begin(), loads_.end(), [&](const Access& load) {
        return load.buffer != stored_ && load.form.stride(leaf.digit) != 0;
      });
      if (to.stride(leaf.digit) == 0 && is_read) steps *= leaf.extent;
    }
    return steps;
  }

  /// The step of a digit in a load, in elements.
  static int64_t StepIn(const Access& load, int digit) {
    return load.form.stride(digit) / load.buffer->dtype.bytes();
  }

  /// The results in the order of the elements that they read; nullopt if the text's order is as
  /// good.
  std::optional<Results> InOrder() const {
    const LinearIndex& to = stores_.front().form;
    const int64_t size = stored_->dtype.bytes();
    std::vector<PackedAxis> axes;
    const int64_t least = Steps() >= kManyStepsOfResult ? kLeastLongSumsOfRow : kLeastResultsOfRow;
    std::optional<PackedAxis> row;
    bool is_far = false;
    bool is_short = false;
    for (const Digits::Leaf& leaf : leaves_) {
      const int64_t stride = to.stride(leaf.digit);
      if (stride == 0) continue;
      const PackedAxis axis{leaf, stride / size};
      if (axis.stride < 0 || stride % size != 0) return std::nullopt;
      axes.push_back(axis);
      if (axis.stride == 1) {
        is_far = IsFar(axis.digit);
        is_short = axis.extent < kLeastResultsOfRow;
      }
      if (axis.stride > 1 && axis.extent >= least && IsRow(axis.digit) &&
          (!row || IsBetterRow(axis, *row)))
        row = axis;
    }
    if (!row || to.offset < 0 || !(is_far || (is_short && RunsThroughNeighbours(row->digit))))
      return std::nullopt;
    // Other axes by the longest step in a buffer that is read.
    std::erase_if(axes, [&](const PackedAxis& axis) { return axis.digit == row->digit; });
    std::stable_sort(axes.begin(), axes.end(), [&](const PackedAxis& a, const PackedAxis& b) {
      return LongestStep(a.digit) > LongestStep(b.digit);
    });
    axes.push_back(*row);
    return Results{stored_, {to.offset / size, std::move(axes), {}}, nullptr, false};
  }

  /// True if row `a` is better than row `b`. If both fill vectors, the results of the better row
  /// are closer together. Otherwise the longer row is better.
  static bool IsBetterRow(const PackedAxis& a, const PackedAxis& b) {
    if (std::min(a.extent, b.extent) >= kLongRow) return a.stride < b.stride;
    return a.extent > b.extent;
  }

  int64_t LongestStep(int digit) const {
    int64_t longest = 0;
    for (const Access& load : loads_) {
      if (load.buffer != stored_) longest = std::max(longest, StepIn(load, digit));
    }
    return longest;
  }

  bool RunsThroughNeighbours(int digit) const {
    return std::any_of(loads_.begin(), loads_.end(), [&](const Access& load) {
      return load.buffer != stored_ && StepIn(load, digit) == 1;
    });
  }

  bool IsFar(int digit) const { return LongestStep(digit) > kMostLaneStep; }

  /// True if the digit runs through elements that vectors can load, in all buffers that are read.
  bool IsRow(int digit) const {
    const auto is_near = [&](const Access& load) {
      const int64_t step = StepIn(load, digit);
      return load.buffer == stored_ || (step >= 0 && step <= kMostLaneStep);
    };
    return std::all_of(loads_.begin(), loads_.end(), is_near) && LongestStep(digit) > 0;
  }

  NodeBuilder& builder_;
  const FunctionStorage& pointers_;
  NestLoops nest_;
  /// The digits of all loops.
  std::vector<Digits::Leaf> leaves_;
  const Buffer* stored_ = nullptr;
  std::vector<Access> stores_;
  std::vector<Access> loads_;
  absl::flat_hash_set<const Var*> inside_;
  bool sets_first_ = false;
  bool is_plain_ = true;
};

class ResultPacker : public Rewriter<ResultPacker> {
 public:
  ResultPacker(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func,
               std::atomic<int64_t>& copies)
      : Rewriter(context, std::move(storage)), pointers_(func), copies_(copies) {}

  const Stmt* RewriteFor(const For* loop) {
    if (results_ && loop == results_->loop) return Packed(loop);
    if (is_inside_) return RewriteChildren(loop);
    ResultFinder finder(builder(), pointers_);
    results_ = finder.Find(loop);
    if (results_) {
      index_ = finder.PackedIndex(*results_);
      first_ = finder.FirstIndex(*results_);
    }
    is_inside_ = true;
    const Stmt* now = results_ && loop == results_->loop ? Packed(loop) : RewriteChildren(loop);
    is_inside_ = false;
    results_.reset();
    return now;
  }

  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    if (packed_ == nullptr || load->buffer != results_->buffer) return RewriteChildren(load);
    return builder().Load(packed_, {index_}, load->range);
  }

  const Stmt* RewriteBufferStore(const BufferStore* store) {
    if (packed_ == nullptr || store->buffer != results_->buffer) return RewriteChildren(store);
    return builder().New<BufferStore>(store->range, packed_, RewriteExpr(store->value),
                                      builder().List<Expr>({index_}));
  }

 private:
  /// The loop with results in the order of the copy, and the copy.
  const Stmt* Packed(const For* loop) {
    ++copies_;
    packed_ = NewPacked(builder(), results_->layout, *results_->buffer);
    std::vector<const Stmt*> stmts;
    if (results_->reads_old) stmts.push_back(Copy(/*back=*/false));
    stmts.push_back(RewriteChildren(loop));
    stmts.push_back(Copy(/*back=*/true));
    const Stmt* now =
        AllocatePacked(builder(), *packed_, builder().Seq(Span<const Stmt*>(stmts), loop->range));
    packed_ = nullptr;
    return now;
  }

  const Stmt* Copy(bool back) {
    return PackedCopy(builder(), results_->layout, first_, results_->buffer, packed_, back);
  }

  const FunctionStorage pointers_;
  std::atomic<int64_t>& copies_;
  /// The results that are copied in the current outermost loop.
  std::optional<Results> results_;
  const Expr* index_ = nullptr;
  const Expr* first_ = nullptr;
  /// Null outside of the loop whose results are copied.
  const Buffer* packed_ = nullptr;
  bool is_inside_ = false;
};

}  // namespace

absl::StatusOr<IRModule> PackResults(const IRModule& module, const NoOptions&,
                                     PassContext& context) {
  std::atomic<int64_t> copies = 0;
  absl::StatusOr<IRModule> result =
      ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
        return RewriteFunction<ResultPacker>(module.context(), function, *function.func, copies);
      });
  context.Count("pack-results.copies", copies);
  return result;
}

}  // namespace tenon
