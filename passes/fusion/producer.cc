// An index is divided by its strides, largest first, to find the counters of its element. That is
// exact, since a stride in mixed radix exceeds the reach of all smaller ones together.

#include "passes/fusion/producer.h"

#include <algorithm>
#include <cstdlib>

#include "analysis/loop_independence.h"
#include "arith/index_math.h"
#include "ir/extents.h"
#include "ir/rewriter.h"

namespace tenon {

namespace {

/// Writes the indices of loads that differ from the stored element by a constant as this element
/// plus the constant. A reader's index then need not be divided into counters for these loads.
class LoadsByElement : public Rewriter<LoadsByElement> {
 public:
  LoadsByElement(const FusionTools& tools, const Expr* stored, const Var* element)
      : Rewriter(tools.builder.context(), tools.storage),
        tools_(tools),
        stored_(stored),
        element_(element) {}

  const Expr* RewriteBufferLoad(const BufferLoad* load) {
    if (load->indices.size() != 1 || load->indices[0]->dtype != element_->dtype) return load;
    const std::optional<int64_t> shift = tools_.analyzer.Distance(load->indices[0], stored_);
    if (!shift) return load;
    BufferLoad copy = *load;
    const Expr* distance = builder().Int(element_->dtype, *shift);
    copy.indices = builder().List<Expr>({builder().New<Add>({}, element_, distance)});
    return arena().New<BufferLoad>(copy);
  }

 private:
  FusionTools tools_;
  const Expr* stored_;
  const Var* element_;
};

}  // namespace

std::optional<Producer> Producer::Of(const Stmt* stmt) {
  const Nest nest = NestOf(stmt);
  const auto* store = dyn_cast<BufferStore>(nest.body);
  if (store == nullptr || store->predicate != nullptr || store->indices.size() != 1 ||
      !store->indices[0]->dtype.is_scalar() || !store->buffer->dtype.is_scalar() ||
      store->value->dtype != store->buffer->dtype || !IsPlainValue(store->value))
    return std::nullopt;
  bool reads_itself = false;
  Walk(store->value, [&](const Node* node) {
    reads_itself |= node == store->buffer->data;
    return true;
  });
  if (reads_itself) return std::nullopt;
  auto index = ElementIndex::Of(nest.loops, store->buffer, store->indices);
  if (!index) return std::nullopt;
  return Producer(store, *std::move(index));
}

std::optional<ElementIndex> ElementIndex::Of(std::vector<const For*> loops, const Buffer* buffer,
                                             Span<const Expr*> indices) {
  ElementIndex index;
  index.loops_ = std::move(loops);
  index.elements_ = Nest{index.loops_, nullptr}.Count(index.loops_.size());
  if (!index.FindParts({}, buffer, indices)) return std::nullopt;
  return index;
}

bool ElementIndex::Differs(const std::vector<const For*>& loops, Span<const For*> around,
                           const Buffer* buffer, Span<const Expr*> indices) {
  ElementIndex index;
  index.loops_ = loops;
  return index.FindParts(around, buffer, indices);
}

bool ElementIndex::FindParts(Span<const For*> around, const Buffer* buffer,
                             Span<const Expr*> indices) {
  constexpr int kAround = -1;
  Digits digits;
  FormBuilder forms(digits);
  for (const For* loop : around) forms.Enter(loop, kAround);
  for (size_t i = 0; i < loops_.size(); ++i) {
    if (!forms.Enter(loops_[i], static_cast<int>(i))) return false;
  }
  if (std::any_of(indices.begin(), indices.end(),
                  [](const Expr* index) { return !index->dtype.is_scalar(); }))
    return false;
  std::optional<LinearIndex> form = forms.ElementOf(buffer, indices, {}, {});
  if (!form) return false;
  form->Drop([&](int digit) { return digits.group(digit) == kAround; });
  // Different counters must give different indices.
  const std::optional<Bounds> bounds = digits.BoundsOf(*form);
  if (!bounds || !digits.IsInjective(*form)) return false;
  for (const Digits::Leaf& leaf : digits.Leaves()) {
    if (leaf.group == kAround) continue;
    parts_.push_back({leaf, form->stride(leaf.digit)});
    if (parts_.back().stride == 0) return false;
  }
  std::stable_sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
    return std::abs(a.stride) > std::abs(b.stride);
  });
  first_ = bounds->min;
  counts_from_0_ = first_ == 0 && bounds->max + 1 == elements_;
  return true;
}

bool ElementIndex::HasAll(const Buffer& buffer) const {
  return counts_from_0_ && StaticCount(buffer.shape) == elements_;
}

std::optional<VarExprs> ElementIndex::CountersAt(const FusionTools& tools, const Buffer& buffer,
                                                 const Expr* index) const {
  if (HasLet(index)) return std::nullopt;
  const IndexMath math(tools.builder, {});
  const DataType dtype = index->dtype;
  // An index outside of the buffer is an error of the program, so the first digit then needs no
  // proof.
  const bool has_all = HasAll(buffer);
  const Expr* rest = math.Sub(index, tools.builder.Int(dtype, first_));
  VarExprs values;
  for (const For* loop : loops_) values.emplace(loop->loop_var, loop->min);
  for (const Part& part : parts_) {
    const Expr* stride = tools.builder.Int(dtype, std::abs(part.stride));
    rest = tools.analyzer.Simplify(rest);
    const Expr* value = tools.analyzer.Simplify(math.Binary(NodeKind::kFloorDiv, rest, stride));
    const Interval bounds = tools.analyzer.Bounds(value);
    const bool is_known = has_all && &part == &parts_.front();
    if (!is_known && (bounds.min < 0 || bounds.max >= part.extent)) return std::nullopt;
    rest = math.Binary(NodeKind::kFloorMod, rest, stride);
    if (part.stride < 0) value = math.Sub(tools.builder.Int(dtype, part.extent - 1), value);
    const For* loop = loops_[static_cast<size_t>(part.group)];
    value = math.Convert(loop->loop_var->dtype, value);
    value = math.Mul(value, tools.builder.Int(value->dtype, part.weight));
    const Expr*& sum = values[loop->loop_var];
    sum = tools.analyzer.Simplify(math.Add(sum, value));
  }
  if (tools.analyzer.ConstValue(rest) != 0) return std::nullopt;
  return values;
}

const Expr* Producer::ValueAt(const FusionTools& tools, const BufferLoad& load) const {
  const Expr* index = load.indices[0];
  std::optional<VarExprs> values = index_.CountersAt(tools, *load.buffer, index);
  if (!values) return nullptr;
  const Expr* stored = store_->indices[0];
  const Var* element = tools.builder.NewVar("element", stored->dtype);
  const Expr* value = store_->value;
  {
    const Analyzer::Scope scope(tools.analyzer);
    for (const For* loop : loops()) tools.analyzer.BindLoop(loop);
    value = LoadsByElement(tools, stored, element).RewriteExpr(value);
  }
  const IndexMath math(tools.builder, {});
  values->emplace(element, math.Convert(stored->dtype, index));
  return ReplaceVars(tools, value, *values);
}

}  // namespace tenon
