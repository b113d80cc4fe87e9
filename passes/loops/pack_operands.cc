// Packing as for products of matrices (Goto and van de Geijn, 2008), but found from indices alone.
// Their digits show along which loop an operand is contiguous, and how often it is used again.

#include "passes/loops/pack_operands.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/loop_independence.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/rewriter.h"
#include "ir/structural.h"
#include "passes/loops/innermost_loops.h"
#include "passes/loops/loop_vectorizer.h"
#include "passes/loops/packed_layout.h"
#include "passes/loops/store_nest.h"
#include "support/saturated.h"

namespace tenon {

namespace {

/// With fewer uses of each element, the copy costs more than it saves. On a Zen 4, this limit and
/// kFewSteps took four nests from 1.4 to 11.1 times gcc's time to 0.05 to 0.7: docs/performance.md.
constexpr int64_t kLeastUses = 3;
/// The same for long rows of floats, without which each number is computed alone. With kManyUses
/// and a rule of choose-blocks, four nests on a Zen 4 went from 1.3 to 2.6 times gcc's time to 0.35
/// to 0.93.
constexpr int64_t kLeastUsesOfLongRow = 2;
/// Rows of fewer results do not fill a vector.
constexpr int64_t kLeastRow = 4;
/// A horizontal add costs about 24 scalar steps (found on a Zen 4, see kLeastUses).
constexpr int64_t kFewSteps = 24;
/// With so many uses of each element, a copy costs less than rows from which lanes are picked.
constexpr int64_t kManyUses = 16;

/// An operand to copy.
struct Operand {
  const BufferLoad* load = nullptr;
  PackedLayout layout;
  const Buffer* packed = nullptr;
};

/// Finds the operands in one outermost loop, and the new index of each.
class OperandFinder {
 public:
  OperandFinder(NodeBuilder& builder, const FunctionStorage& pointers,
                const absl::flat_hash_set<const Var*>& constants)
      : builder_(builder), pointers_(pointers), constants_(constants) {}

  std::vector<Operand> Find(const For* loop) {
    Walk(loop, [&](const Node* node) {
      if (const auto* store = dyn_cast<BufferStore>(node)) stored_.insert(store->buffer->data);
      if (const auto* allocate = dyn_cast<Allocate>(node)) inside_.insert(allocate->buffer_var);
      is_plain_ &= !isa<Call>(node) || IsPlainValue(cast<Call>(node));
      return true;
    });
    FindResults(loop);
    if (!is_plain_) return {};
    Statement(loop);
    // An index that divides a counter splits its digit, so all indices come before the first axis.
    for (Factor& factor : factors_) {
      for (Access* access : {&factor.result, &factor.own}) nest_.digits().Normalise(access->form);
      if (factor.other) nest_.digits().Normalise(factor.other->form);
    }
    leaves_ = nest_.digits().Leaves();
    std::vector<Operand> operands;
    absl::flat_hash_set<const BufferLoad*> kept;
    for (const Factor& factor : factors_) {
      std::optional<Operand> operand = Packed(factor);
      if (!operand) continue;
      // A copy in the order of the other factor's steps needs that order.
      const bool runs_along_sum = factor.result.form.stride(operand->layout.axes.back().digit) == 0;
      if (runs_along_sum && kept.contains(factor.load)) continue;
      if (runs_along_sum) kept.insert(factor.other_load);
      operands.push_back(*std::move(operand));
    }
    return operands;
  }

  /// The index of the copy at a place of the loops.
  const Expr* PackedIndex(const Operand& operand) const {
    return nest_.IndexOf(builder_, operand.layout);
  }

 private:
  /// The address of an access, and the bytes of its elements.
  struct Access {
    LinearIndex form;
    int64_t size = 1;
  };

  /// A factor that may be copied.
  struct Factor {
    const BufferLoad* load = nullptr;
    const BufferLoad* other_load = nullptr;
    Access result;
    Access own;
    std::optional<Access> other;
    /// True for a sum of floats, whose steps stay in order.
    bool is_float = false;
    /// The groups of the loops around it.
    std::vector<int> open;
  };

  /// Finds the store that reads each local sum, if there is one: neighbouring results are
  /// neighbours there.
  void FindResults(const For* loop) {
    Walk(loop, [&](const Node* node) {
      const auto* store = dyn_cast<BufferStore>(node);
      if (store == nullptr) return true;
      Walk(store->value, [&](const Node* value) {
        const auto* load = dyn_cast<BufferLoad>(value);
        if (load == nullptr || !inside_.contains(load->buffer->data) ||
            load->buffer->data == store->buffer->data)
          return true;
        const auto [result, is_new] = results_.emplace(load->buffer->data, store);
        if (!is_new) result->second = nullptr;
        return true;
      });
      return true;
    });
  }

  /// The store of the result of a sum: of the sum itself, or of the local sum's value.
  const BufferStore* ResultOf(const BufferStore* sum) const {
    const std::optional<int64_t> count = StaticCount(sum->buffer->shape);
    const auto result = results_.find(sum->buffer->data);
    const bool is_local = result != results_.end() && result->second != nullptr && count == 1 &&
                          result->second->indices.size() == 1 &&
                          result->second->buffer->dtype == sum->buffer->dtype;
    return is_local ? result->second : sum;
  }

  void Statement(const Stmt* stmt) {
    switch (stmt->kind) {
      case NodeKind::kSeqStmt:
        for (const Stmt* item : cast<SeqStmt>(stmt)->seq) Statement(item);
        return;
      case NodeKind::kAllocate:
        return Statement(cast<Allocate>(stmt)->body);
      case NodeKind::kFor: {
        const auto* loop = cast<For>(stmt);
        if (!nest_.Enter(loop)) return;
        Statement(loop->body);
        nest_.Leave();
        return;
      }
      case NodeKind::kBufferStore:
        return Sum(cast<BufferStore>(stmt));
      default:
        return;
    }
  }

  /// Looks at the factors of `y[i] = y[i] + a[j] * b[k]`.
  void Sum(const BufferStore* store) {
    const auto* add = dyn_cast<Add>(store->value);
    if (add == nullptr || !add->dtype.is_scalar() || store->indices.size() != 1 ||
        store->predicate != nullptr)
      return;
    for (const auto& [sum, product] : {std::pair{add->a, add->b}, std::pair{add->b, add->a}}) {
      const auto* old = dyn_cast<BufferLoad>(sum);
      const auto* mul = dyn_cast<Mul>(product);
      if (old == nullptr || mul == nullptr || old->buffer != store->buffer ||
          !StructuralEqual(old->indices[0], store->indices[0]))
        continue;
      const BufferLoad* a = OnlyLoadIn(mul->a);
      const BufferLoad* b = OnlyLoadIn(mul->b);
      if (a != nullptr) AddFactor(*store, a, b);
      if (b != nullptr) AddFactor(*store, b, a);
      return;
    }
  }

  void AddFactor(const BufferStore& store, const BufferLoad* load, const BufferLoad* other) {
    if (load->indices.size() != 1 || load->predicate != nullptr || !MayCopy(*load->buffer)) return;
    const BufferStore* result = ResultOf(&store);
    const std::optional<Access> to = AccessOf(*result->buffer, result->indices);
    const std::optional<Access> from = AccessOf(*load->buffer, load->indices);
    if (!to || !from) return;
    std::optional<Access> with;
    if (other != nullptr) with = AccessOf(*other->buffer, other->indices);
    factors_.push_back(
        {load, other, *to, *from, with, store.value->dtype.is_float(), nest_.open()});
  }

  std::optional<Access> AccessOf(const Buffer& buffer, Span<const Expr*> indices) {
    const std::optional<LinearIndex> form = nest_.forms().AddressOf(&buffer, indices);
    if (!form) return std::nullopt;
    return Access{*form, buffer.dtype.bytes()};
  }

  bool MayCopy(const Buffer& buffer) const {
    return !inside_.contains(buffer.data) && pointers_.IsKnown(buffer.data) &&
           buffer.strides.empty() && IsConstInt(buffer.elem_offset, 0) &&
           std::none_of(stored_.begin(), stored_.end(),
                        [&](const Var* data) { return pointers_.MayAlias(buffer.data, data); });
  }

  /// True if the digit's loop is around a factor.
  static bool IsOpen(const Factor& factor, const Digits::Leaf& leaf) {
    return std::find(factor.open.begin(), factor.open.end(), leaf.group) != factor.open.end();
  }

  /// The factor in an order where neighbouring results, or steps, are neighbours; nullopt if the
  /// text's order is as good.
  std::optional<Operand> Packed(const Factor& factor) const {
    const LinearIndex& from = factor.own.form;
    std::vector<PackedAxis> axes;
    for (const Digits::Leaf& leaf : leaves_) {
      if (!IsOpen(factor, leaf)) continue;
      const int64_t stride = from.stride(leaf.digit);
      const PackedAxis axis{leaf, stride / factor.own.size};
      if (stride % factor.own.size != 0 || axis.stride < 0) return std::nullopt;
      if (axis.stride != 0) axes.push_back(axis);
    }
    const std::optional<PackedAxis> row = RowOf(factor, axes);
    const bool is_long = row && row->extent >= kLongRow && factor.is_float;
    const int64_t least = is_long ? kLeastUsesOfLongRow : kLeastUses;
    if (!row || Repeats(factor, factor.own) < least || from.offset < 0) return std::nullopt;
    const std::optional<int64_t> count = StaticCount(factor.load->buffer->shape);
    Operand operand{factor.load,
                    {from.offset / factor.own.size, InOrder(factor, std::move(axes), *row), {}},
                    nullptr};
    if (!count || !operand.layout.IsOneToOne(*count)) return std::nullopt;
    return operand;
  }

  /// The axis whose elements should be neighbours.
  std::optional<PackedAxis> RowOf(const Factor& factor, const std::vector<PackedAxis>& axes) const {
    const LinearIndex& to = factor.result.form;
    const bool is_float = factor.is_float;
    std::optional<PackedAxis> row;
    bool runs_along_sum = false;
    bool runs_along_result = false;
    bool fills_vectors = false;
    const bool is_constant = constants_.contains(factor.load->buffer->data);
    for (const PackedAxis& axis : axes) {
      if (axis.stride != 1) continue;
      runs_along_sum |= to.stride(axis.digit) == 0;
      runs_along_result |= to.stride(axis.digit) != 0;
      // Steps of a sum of integers fill vectors if both factors have them side by side.
      const bool is_apart =
          !is_float && to.stride(axis.digit) == 0 && OtherStride(factor, axis.digit) > 1;
      fills_vectors |= axis.extent >= 2 * kLeastRow && !is_apart;
      if (fills_vectors && to.stride(axis.digit) == factor.result.size) return std::nullopt;
    }
    for (const PackedAxis& axis : axes) {
      const bool is_sum = to.stride(axis.digit) == 0;
      if (axis.stride == 1) continue;
      // Copies of constants take no time.
      if (to.stride(axis.digit) == factor.result.size &&
          (is_constant || RowLength(factor, axes, axis) >= kLeastRow)) {
        row = axis;
      } else if (is_sum && !is_float && axis.extent >= kLongRow && !fills_vectors &&
                 OtherStride(factor, axis.digit) == 1) {
        // Sums of integers take steps at once (vectorize-sums).
        return axis;
      }
    }
    const bool is_short = row && row->extent < 2 * kLeastRow;
    if ((!row || is_short) && !is_float && !fills_vectors) {
      if (const std::optional<PackedAxis> steps = StepsInBlocks(factor, axes)) return steps;
    }
    if (is_short && HasLongRow(factor, axes)) return std::nullopt;
    // choose-blocks lays out constants that run along sums, where all results share the other
    // factor.
    const bool has_blocks = runs_along_sum && is_constant;
    if (!row || (has_blocks && OtherStride(factor, row->digit) == 0)) return std::nullopt;
    if (runs_along_sum && (is_float || SumsAreShort(factor, axes, *row))) return row;
    // After longer sums, it does not matter that their results are stored apart.
    const int64_t other = OtherStride(factor, row->digit);
    const bool pays = runs_along_result && Repeats(factor, factor.result) <= kManySteps &&
                      (other == 0 || other == 1 || OtherIsPacked(factor));
    return pays ? row : std::nullopt;
  }

  /// True if steps of `axis` continue the row of `last` in the result.
  static bool HasNextResults(const LinearIndex& to, const PackedAxis& axis,
                             const PackedAxis& last) {
    const int64_t stored = to.stride(last.digit) * last.extent;
    return stored != 0 && to.stride(axis.digit) == stored;
  }

  /// The same in the operand.
  static bool Continues(const PackedAxis& axis, const PackedAxis& last) {
    return axis.stride == last.stride * last.extent;
  }

  /// True if `axis` has the blocks of `inner`, as `k // 4` has those of `k % 4`.
  static bool HasBlocks(const PackedAxis& axis, const PackedAxis& inner) {
    return axis.group == inner.group && axis.weight == inner.weight * inner.extent;
  }

  /// The last axis of the steps of a sum, if this factor has short blocks of steps that are side by
  /// side in the other factor; otherwise nullopt. Sums of integers take steps at once
  /// (vectorize-sums).
  std::optional<PackedAxis> StepsInBlocks(const Factor& factor,
                                          const std::vector<PackedAxis>& axes) const {
    const LinearIndex& to = factor.result.form;
    for (const PackedAxis& last : axes) {
      if (last.stride != 1 || to.stride(last.digit) != 0 || OtherStride(factor, last.digit) != 1)
        continue;
      for (const PackedAxis& axis : axes) {
        if (HasBlocks(axis, last) && axis.stride != last.extent &&
            OtherStride(factor, axis.digit) == last.extent && last.extent * axis.extent >= kLongRow)
          return last;
      }
    }
    return std::nullopt;
  }

  /// The elements of a row whose last axis is `last`: results that are neighbours, and the blocks
  /// of an axis, as `m // 3` and `m % 3`.
  int64_t RowLength(const Factor& factor, const std::vector<PackedAxis>& axes,
                    PackedAxis last) const {
    const LinearIndex& to = factor.result.form;
    int64_t length = last.extent;
    while (length < kLeastRow) {
      const auto is_next = [&](const PackedAxis& axis) {
        return HasNextResults(to, axis, last) || (Continues(axis, last) && HasBlocks(axis, last));
      };
      const auto next = std::find_if(axes.begin(), axes.end(), is_next);
      if (next == axes.end()) break;
      last = *next;
      length = SaturatedMul(length, last.extent);
    }
    return length;
  }

  /// True if neighbours belong to many results of sums that are worth another order
  /// (pack-results).
  bool HasLongRow(const Factor& factor, const std::vector<PackedAxis>& axes) const {
    const LinearIndex& to = factor.result.form;
    const int64_t results = Iterations(factor, [&](int digit) { return to.stride(digit) != 0; });
    return Repeats(factor, factor.result) >= kLeastUses &&
           SaturatedMul(results, factor.result.size) <= kMostPackedResultBytes &&
           std::any_of(axes.begin(), axes.end(), [&](const PackedAxis& axis) {
             return axis.stride == 1 && axis.extent >= kLongRow && to.stride(axis.digit) != 0 &&
                    OtherStride(factor, axis.digit) == 0;
           });
  }

  /// True if integers that the sum runs through fill no vector, or few, and if vectors cannot load
  /// a row.
  bool SumsAreShort(const Factor& factor, const std::vector<PackedAxis>& axes,
                    const PackedAxis& row) const {
    const bool is_long = row.extent >= kLongRow;
    const bool has_few_steps = is_long && Repeats(factor, factor.result) <= kFewSteps;
    const int64_t near = is_long && Repeats(factor, factor.own) >= kManyUses ? 1 : kMostLaneStep;
    return row.stride > near && (has_few_steps || LengthOfSum(factor, axes) < 2 * kLeastRow);
  }

  /// The number of neighbours that the sum runs through in both factors. Axes that continue each
  /// other count as one. The other factor may be copied for a long axis.
  int64_t LengthOfSum(const Factor& factor, const std::vector<PackedAxis>& axes) const {
    int64_t length = 1;
    const auto continues = [&](const PackedAxis& axis) {
      const int64_t other = OtherStride(factor, axis.digit);
      const bool is_long = length == 1 && axis.extent >= kLongRow;
      return axis.stride == length && (is_long || other == 0 || other == length) &&
             factor.result.form.stride(axis.digit) == 0;
    };
    for (auto next = axes.begin(); next != axes.end();) {
      next = std::find_if(axes.begin(), axes.end(), continues);
      if (next != axes.end()) length = SaturatedMul(length, next->extent);
    }
    return length;
  }

  /// The step of a digit in the other factor, in elements; 0 if there is no load.
  static int64_t OtherStride(const Factor& factor, int digit) {
    return factor.other ? factor.other->form.stride(digit) / factor.other->size : 0;
  }

  /// True if each element of the other factor is also used often enough to be copied.
  bool OtherIsPacked(const Factor& factor) const {
    return factor.other && MayCopy(*factor.other_load->buffer) &&
           !constants_.contains(factor.other_load->buffer->data) &&
           Repeats(factor, *factor.other) >= kLeastUses;
  }

  /// The iterations of the loops around a factor for each element of an access: the uses of an
  /// operand, or the products in a result.
  int64_t Repeats(const Factor& factor, const Access& access) const {
    return Iterations(factor, [&](int digit) { return access.form.stride(digit) == 0; });
  }

  /// The iterations of those digits of the loops around a factor that `counts`.
  template <typename F>
  int64_t Iterations(const Factor& factor, F&& counts) const {
    int64_t iterations = 1;
    for (const Digits::Leaf& leaf : leaves_) {
      if (IsOpen(factor, leaf) && counts(leaf.digit))
        iterations = SaturatedMul(iterations, leaf.extent);
    }
    return iterations;
  }

  /// The row is innermost. Axes that continue a short row are next to it.
  std::vector<PackedAxis> InOrder(const Factor& factor, std::vector<PackedAxis> axes,
                                  PackedAxis row) const {
    const LinearIndex& to = factor.result.form;
    std::erase_if(axes, [&](const PackedAxis& axis) { return axis.digit == row.digit; });
    std::sort(axes.begin(), axes.end(),
              [](const PackedAxis& a, const PackedAxis& b) { return a.stride > b.stride; });
    std::vector<PackedAxis> rows = {row};
    for (int64_t length = row.extent; length < kLongRow; length *= rows.front().extent) {
      const PackedAxis& last = rows.front();
      const auto is_next = [&](const PackedAxis& axis) {
        if (to.stride(last.digit) != 0) return HasNextResults(to, axis, last);
        return to.stride(axis.digit) == 0 && HasBlocks(axis, last) &&
               OtherStride(factor, axis.digit) == OtherStride(factor, last.digit) * last.extent;
      };
      const auto continues = [&](const PackedAxis& axis) { return Continues(axis, last); };
      auto axis = std::find_if(axes.begin(), axes.end(), is_next);
      if (axis == axes.end()) axis = std::find_if(axes.begin(), axes.end(), continues);
      if (axis == axes.end()) break;
      rows.insert(rows.begin(), *axis);
      axes.erase(axis);
    }
    axes.insert(axes.end(), rows.begin(), rows.end());
    return axes;
  }

  NodeBuilder& builder_;
  const FunctionStorage& pointers_;
  const absl::flat_hash_set<const Var*>& constants_;
  NestLoops nest_;
  /// The digits of all loops.
  std::vector<Digits::Leaf> leaves_;
  absl::flat_hash_set<const Var*> stored_;
  absl::flat_hash_set<const Var*> inside_;
  /// The store that reads an allocation; null if several do.
  absl::flat_hash_map<const Var*, const BufferStore*> results_;
  std::vector<Factor> factors_;
  bool is_plain_ = true;
};

class OperandPacker : public Rewriter<OperandPacker> {
 public:
  OperandPacker(Context& context, std::shared_ptr<Storage> storage, const PrimFunc& func,
                std::atomic<int64_t>& copies)
      : Rewriter(context, std::move(storage)), pointers_(func), copies_(copies) {}

  const Stmt* RewriteAllocateConst(const AllocateConst* allocate) {
    constants_.insert(allocate->buffer_var);
    return RewriteChildren(allocate);
  }

  const Stmt* RewriteFor(const For* loop) {
    if (is_inside_ || loop->for_kind != ForKind::kSerial) return RewriteChildren(loop);
    OperandFinder finder(builder(), pointers_, constants_);
    std::vector<Operand> operands = finder.Find(loop);
    std::vector<const Stmt*> statements;
    for (Operand& operand : operands) {
      operand.packed = NewPacked(builder(), operand.layout, *operand.load->buffer);
      indices_[operand.load] = {operand.packed, finder.PackedIndex(operand)};
      statements.push_back(PackedCopy(builder(), operand.layout,
                                      builder().Int(operand.layout.first), operand.load->buffer,
                                      operand.packed, /*back=*/false));
    }
    is_inside_ = true;
    const Stmt* now = RewriteChildren(loop);
    is_inside_ = false;
    if (operands.empty()) return now;
    copies_ += static_cast<int64_t>(operands.size());
    statements.push_back(now);
    const Stmt* body = builder().Seq(Span<const Stmt*>(statements), loop->range);
    for (const Operand& operand : operands) body = AllocatePacked(builder(), *operand.packed, body);
    return body;
  }

  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    const auto found = indices_.find(load);
    if (found == indices_.end()) return RewriteChildren(load);
    return builder().Load(found->second.first, {found->second.second}, load->range);
  }

 private:
  const FunctionStorage pointers_;
  std::atomic<int64_t>& copies_;
  absl::flat_hash_set<const Var*> constants_;
  absl::flat_hash_map<const BufferLoad*, std::pair<const Buffer*, const Expr*>> indices_;
  bool is_inside_ = false;
};

}  // namespace

absl::StatusOr<IRModule> PackOperands(const IRModule& module, const NoOptions&,
                                      PassContext& context) {
  std::atomic<int64_t> copies = 0;
  absl::StatusOr<IRModule> result =
      ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
        return RewriteFunction<OperandPacker>(module.context(), function, *function.func, copies);
      });
  context.Count("pack-operands.copies", copies);
  return result;
}

}  // namespace tenon
