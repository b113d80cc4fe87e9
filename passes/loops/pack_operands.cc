#include "passes/loops/pack_operands.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/loop_independence.h"
#include "arith/index_math.h"
#include "fmt/format.h"
#include "ir/analysis/index_form.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/rewriter.h"
#include "ir/structural.h"

namespace tenon {

namespace {

/// With fewer uses of each element, the copy costs more than it saves.
constexpr int64_t kLeastUses = 8;
/// Rows of fewer results do not fill a vector.
constexpr int64_t kLeastRow = 4;
/// Results of a vector of 64 bytes.
constexpr int64_t kLongRow = 16;
constexpr int64_t kMostElements = int64_t{1} << 24;

/// A counter of a loop, or a part of one, and its step in the operand.
struct Axis {
  size_t digit = 0;
  int64_t extent = 1;
  int64_t stride = 0;
};

/// An operand to copy.
struct Operand {
  const BufferLoad* load = nullptr;
  /// The first element that is read, and the axes of the copy, the outermost first.
  int64_t first = 0;
  std::vector<Axis> axes;
  const Buffer* packed = nullptr;
};

bool Has(const std::vector<int>& groups, int group) {
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

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
    std::vector<Operand> operands;
    for (const Factor& factor : factors_) {
      std::optional<Operand> operand = Packed(factor);
      if (operand) operands.push_back(*std::move(operand));
    }
    return operands;
  }

  /// The index of the copy at a place of the loops.
  const Expr* PackedIndex(const Operand& operand) const {
    std::vector<const Expr*> places;
    for (const Axis& axis : operand.axes) places.push_back(Place(axis.digit));
    return Linear(operand, places);
  }

  /// The index of the copy for a place on each axis.
  const Expr* Linear(const Operand& operand, const std::vector<const Expr*>& places) const {
    const IndexMath math(builder_, {});
    const Expr* index = places.front();
    for (size_t i = 1; i < places.size(); ++i)
      index = math.Add(math.Mul(index, builder_.Int(operand.axes[i].extent)), places[i]);
    return index;
  }

 private:
  /// A factor that may be copied.
  struct Factor {
    const BufferLoad* load = nullptr;
    /// The kept forms of the addresses of the result and of the factor.
    size_t to = 0;
    size_t from = 0;
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
        const int group = static_cast<int>(loops_.size());
        if (loop->loop_var->dtype != DataType::Int(32) ||
            !forms_.Enter(loop, /*outer=*/false, group))
          return;
        loops_.push_back(loop);
        open_.push_back(group);
        Statement(loop->body);
        open_.pop_back();
        forms_.Leave(loop);
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
    if (add == nullptr || !add->dtype.is_float() || !add->dtype.is_scalar() ||
        store->indices.size() != 1 || store->predicate != nullptr)
      return;
    for (const auto& [sum, product] : {std::pair{add->a, add->b}, std::pair{add->b, add->a}}) {
      const auto* old = dyn_cast<BufferLoad>(sum);
      const auto* mul = dyn_cast<Mul>(product);
      if (old == nullptr || mul == nullptr || old->buffer != store->buffer ||
          !StructuralEqual(old->indices[0], store->indices[0]))
        continue;
      for (const Expr* factor : {mul->a, mul->b}) {
        if (const auto* load = dyn_cast<BufferLoad>(factor)) AddFactor(*store, load);
      }
      return;
    }
  }

  void AddFactor(const BufferStore& store, const BufferLoad* load) {
    if (load->indices.size() != 1 || load->predicate != nullptr || !MayCopy(*load->buffer)) return;
    const BufferStore* result = ResultOf(&store);
    const std::optional<IndexForm> to = forms_.AddressOf(result->buffer, result->indices);
    if (!to) return;
    const size_t kept = forms_.Keep(*to);
    const std::optional<IndexForm> from = forms_.AddressOf(load->buffer, load->indices);
    if (from) factors_.push_back({load, kept, forms_.Keep(*from), open_});
  }

  bool MayCopy(const Buffer& buffer) const {
    return !inside_.contains(buffer.data) && !constants_.contains(buffer.data) &&
           pointers_.IsKnown(buffer.data) && buffer.strides.empty() &&
           IsConstInt(buffer.elem_offset, 0) &&
           std::none_of(stored_.begin(), stored_.end(),
                        [&](const Var* data) { return pointers_.MayAlias(buffer.data, data); });
  }

  /// The factor in an order where neighbouring results are neighbours; nullopt if the text's order
  /// is as good.
  std::optional<Operand> Packed(const Factor& factor) const {
    const IndexForm& to = forms_.Kept(factor.to);
    const IndexForm& from = forms_.Kept(factor.from);
    const Buffer& buffer = *factor.load->buffer;
    const int64_t size = buffer.dtype.bytes();
    std::vector<Axis> axes;
    std::optional<Axis> row;
    bool has_sum = false;
    int64_t uses = 1;
    for (size_t d = 0; d < forms_.digits().size(); ++d) {
      const int64_t extent = forms_.digits()[d].extent;
      if (extent == 1 || !Has(factor.open, forms_.digits()[d].group)) continue;
      const Axis axis{d, extent, from.stride(d) / size};
      if (from.stride(d) % size != 0 || axis.stride < 0) return std::nullopt;
      if (axis.stride == 0) {
        uses *= extent;
        continue;
      }
      has_sum |= axis.stride == 1 && to.stride(d) == 0;
      if (to.stride(d) == size && extent >= kLeastRow && axis.stride > 1) {
        row = axis;
      } else {
        axes.push_back(axis);
      }
    }
    if (!row || !has_sum || uses < kLeastUses || from.constant < 0) return std::nullopt;
    Operand operand{factor.load, from.constant / size, InOrder(std::move(axes), *row), nullptr};
    return Fits(operand, buffer) ? std::optional(std::move(operand)) : std::nullopt;
  }

  /// The row is innermost. Axes that continue a short row are next to it.
  static std::vector<Axis> InOrder(std::vector<Axis> axes, Axis row) {
    std::sort(axes.begin(), axes.end(),
              [](const Axis& a, const Axis& b) { return a.stride > b.stride; });
    std::vector<Axis> rows = {row};
    for (int64_t length = row.extent; length < kLongRow; length *= rows.front().extent) {
      const int64_t next = rows.front().stride * rows.front().extent;
      const auto axis =
          std::find_if(axes.begin(), axes.end(), [&](const Axis& a) { return a.stride == next; });
      if (axis == axes.end()) break;
      rows.insert(rows.begin(), *axis);
      axes.erase(axis);
    }
    axes.insert(axes.end(), rows.begin(), rows.end());
    return axes;
  }

  /// True if each place on the axes is another element of the buffer.
  static bool Fits(const Operand& operand, const Buffer& buffer) {
    std::vector<Axis> axes = operand.axes;
    std::sort(axes.begin(), axes.end(),
              [](const Axis& a, const Axis& b) { return a.stride < b.stride; });
    int64_t reached = 1;
    int64_t elements = 1;
    for (const Axis& axis : axes) {
      if (axis.stride < reached) return false;
      reached += axis.stride * (axis.extent - 1);
      elements *= axis.extent;
      if (elements > kMostElements) return false;
    }
    const std::optional<int64_t> count = StaticCount(buffer.shape);
    return count && operand.first + reached <= *count;
  }

  /// The value of a digit, from the variable of its loop.
  const Expr* Place(size_t digit) const {
    const IndexForms::Digit& part = forms_.digits()[digit];
    const For* loop = loops_[static_cast<size_t>(part.group)];
    const Expr* place = loop->loop_var;
    if (!IsConstInt(loop->min, 0)) place = builder_.New<Sub>({}, place, loop->min);
    const int64_t all = *AsIntImm(loop->extent);
    if (part.weight > 1) place = builder_.New<FloorDiv>({}, place, builder_.Int(part.weight));
    if (part.weight * part.extent < all)
      place = builder_.New<FloorMod>({}, place, builder_.Int(part.extent));
    return place;
  }

  NodeBuilder& builder_;
  const FunctionStorage& pointers_;
  const absl::flat_hash_set<const Var*>& constants_;
  IndexForms forms_;
  /// All loops so far, by group, and the groups around the current statement.
  std::vector<const For*> loops_;
  std::vector<int> open_;
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
      operand.packed = NewBuffer(operand);
      indices_[operand.load] = {operand.packed, finder.PackedIndex(operand)};
      statements.push_back(Copy(finder, operand));
    }
    is_inside_ = true;
    const Stmt* now = RewriteChildren(loop);
    is_inside_ = false;
    if (operands.empty()) return now;
    copies_ += static_cast<int64_t>(operands.size());
    statements.push_back(now);
    const Stmt* body = builder().Seq(Span<const Stmt*>(statements), loop->range);
    for (const Operand& operand : operands) {
      body = builder().New<Allocate>({}, operand.packed->data, operand.packed->dtype,
                                     operand.packed->shape, builder().Bool(true), nullptr, body);
    }
    return body;
  }

  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    const auto found = indices_.find(load);
    if (found == indices_.end()) return RewriteChildren(load);
    return builder().Load(found->second.first, {found->second.second}, load->range);
  }

 private:
  const Buffer* NewBuffer(const Operand& operand) {
    const Buffer& old = *operand.load->buffer;
    int64_t elements = 1;
    for (const Axis& axis : operand.axes) elements *= axis.extent;
    return NewFlatBuffer(builder(), fmt::format("{}_packed", old.name.view()), old.dtype, elements);
  }

  /// The loops that copy an operand.
  const Stmt* Copy(const OperandFinder& finder, const Operand& operand) {
    std::vector<const Var*> vars;
    std::vector<const Expr*> places;
    const IndexMath math(builder(), {});
    const Expr* from = nullptr;
    for (const Axis& axis : operand.axes) {
      vars.push_back(builder().NewVar("p", DataType::Int(32)));
      places.push_back(vars.back());
      const Expr* step = math.Mul(vars.back(), builder().Int(axis.stride));
      from = from == nullptr ? step : math.Add(from, step);
    }
    from = math.Add(from, builder().Int(operand.first));
    const Expr* value = builder().Load(operand.load->buffer, {from});
    const Stmt* body = builder().New<BufferStore>(
        {}, operand.packed, value, builder().List<Expr>({finder.Linear(operand, places)}));
    for (size_t i = vars.size(); i-- > 0;) {
      body = builder().New<For>(SourceRange(), vars[i], builder().Int(0),
                                builder().Int(operand.axes[i].extent), ForKind::kSerial, body);
    }
    return body;
  }

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
