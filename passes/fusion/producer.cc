// An index is divided by its strides, largest first, to find the counters of its element. That is
// exact, since a stride in mixed radix exceeds the reach of all smaller ones together.

#include "passes/fusion/producer.h"

#include <algorithm>
#include <cstdlib>

#include "analysis/loop_independence.h"
#include "arith/index_math.h"
#include "ir/analysis/index_form.h"
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
    const Expr* shift = builder().New<Sub>({}, load->indices[0], stored_);
    shift = tools_.analyzer.Simplify(shift);
    if (AsIntImm(shift) == nullptr) return load;
    BufferLoad copy = *load;
    copy.indices = builder().List<Expr>({builder().New<Add>({}, element_, shift)});
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
  if (!index.FindDigits({}, buffer, indices)) return std::nullopt;
  return index;
}

bool ElementIndex::Differs(const std::vector<const For*>& loops, Span<const For*> around,
                           const Buffer* buffer, Span<const Expr*> indices) {
  ElementIndex index;
  index.loops_ = loops;
  return index.FindDigits(around, buffer, indices);
}

bool ElementIndex::FindDigits(Span<const For*> around, const Buffer* buffer,
                              Span<const Expr*> indices) {
  IndexForms forms;
  for (const For* loop : around) forms.Enter(loop, /*outer=*/true);
  for (size_t i = 0; i < loops_.size(); ++i) {
    if (!forms.Enter(loops_[i], /*outer=*/false, static_cast<int>(i))) return false;
  }
  const auto form = forms.AddressOf(buffer, indices);
  const int64_t bytes = buffer->dtype.bytes();
  if (!form || form->constant % bytes != 0) return false;
  first_ = form->constant / bytes;
  for (size_t d = 0; d < forms.digits().size(); ++d) {
    const IndexForms::Digit& digit = forms.digits()[d];
    if (digit.extent <= 1 || digit.outer) continue;
    const int64_t stride = form->stride(d) / bytes;
    if (stride == 0 || form->stride(d) % bytes != 0) return false;
    if (stride < 0) first_ += stride * (digit.extent - 1);
    digits_.push_back({std::abs(stride), digit.extent, stride < 0, static_cast<size_t>(digit.group),
                       digit.weight});
  }
  std::stable_sort(digits_.begin(), digits_.end(),
                   [](const Digit& a, const Digit& b) { return a.stride > b.stride; });
  // Mixed radix: a stride exceeds the reach of all smaller digits together, so different counters
  // give different indices.
  int64_t reach = 0;
  for (auto digit = digits_.rbegin(); digit != digits_.rend(); ++digit) {
    if (digit->stride <= reach) return false;
    reach += digit->stride * (digit->extent - 1);
  }
  counts_from_0_ = first_ == 0 && reach + 1 == elements_;
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
  for (const Digit& digit : digits_) {
    const Expr* stride = tools.builder.Int(dtype, digit.stride);
    rest = tools.analyzer.Simplify(rest);
    const Expr* value = tools.analyzer.Simplify(math.Binary(NodeKind::kFloorDiv, rest, stride));
    const Interval bounds = tools.analyzer.Bounds(value);
    const bool is_known = has_all && &digit == &digits_.front();
    if (!is_known && (bounds.min < 0 || bounds.max >= digit.extent)) return std::nullopt;
    rest = math.Binary(NodeKind::kFloorMod, rest, stride);
    if (digit.is_reversed) value = math.Sub(tools.builder.Int(dtype, digit.extent - 1), value);
    const For* loop = loops_[digit.loop];
    value = math.Convert(loop->loop_var->dtype, value);
    value = math.Mul(value, tools.builder.Int(value->dtype, digit.weight));
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
