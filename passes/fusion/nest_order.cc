// The dependence test of fusion: two nests may take turns if accesses to one element always belong
// to the same iteration of both. Indices of both are written in digits of one common counter.

#include "passes/fusion/nest_order.h"

#include <algorithm>

#include "ir/visitor.h"

namespace tenon {

bool ElementForms::DefineCounted(Span<const For*> loops, const LinearIndex& count) {
  // Each variable is its minimum plus (count / weight) % extent. The innermost loop has weight 1.
  int64_t weight = 1;
  for (size_t i = loops.size(); i-- > 0;) {
    const int64_t extent = ExtentOf(loops[i]);
    const auto high = digits_.Divide(count, weight, {});
    const auto value = high ? digits_.Divide(high->quotient, extent, {}) : std::nullopt;
    if (!value) return false;
    LinearIndex counter = value->rest;
    counter.offset += MinOf(loops[i]);
    forms_.Define(loops[i]->loop_var, std::move(counter));
    weight *= extent;
  }
  return true;
}

void ElementForms::DefineAround(Span<const For*> loops) {
  for (const For* loop : loops) {
    const int64_t* min = AsIntImm(loop->min);
    const int64_t* extent = AsIntImm(loop->extent);
    if (min == nullptr || extent == nullptr) continue;
    LinearIndex counter = digits_.Count(*extent);
    around_.push_back(counter);
    counter.offset += *min;
    forms_.Define(loop->loop_var, std::move(counter));
  }
}

std::optional<std::vector<ElementAccess>> ElementForms::Collect(const Stmt* stmt, const Var* data) {
  std::vector<ElementAccess> found;
  if (!CollectIn(stmt, data, found)) return std::nullopt;
  return found;
}

bool ElementForms::CollectIn(const Node* node, const Var* data, std::vector<ElementAccess>& found) {
  const auto add = [&](const Buffer* buffer, Span<const Expr*> indices, bool is_store) {
    if (buffer->data != data) return true;
    auto form = forms_.Evaluate(indices[0], LinearIndex(), {});
    if (form) found.push_back({*std::move(form), is_store});
    return form.has_value();
  };
  return WithStack([&] {
    const auto* loop = dyn_cast<For>(node);
    if (loop != nullptr) {
      const int64_t* min = AsIntImm(loop->min);
      const int64_t* extent = AsIntImm(loop->extent);
      if (min != nullptr && extent != nullptr) {
        LinearIndex counter = digits_.Count(*extent);
        counter.offset += *min;
        forms_.Define(loop->loop_var, std::move(counter));
      }
    }
    if (const auto* load = dyn_cast<BufferLoad>(node))
      if (!add(load->buffer, load->indices, false)) return false;
    if (const auto* store = dyn_cast<BufferStore>(node))
      if (!add(store->buffer, store->indices, true)) return false;
    bool known = true;
    ForEachChild(node, [&](const Node* child, FieldRole) {
      known = known && (isa<Buffer>(child) || CollectIn(child, data, found));
    });
    return known;
  });
}

std::vector<int> ElementForms::LeavesOf(const LinearIndex& count) const {
  std::vector<int> leaves;
  for (const auto& [digit, stride] : count.terms) {
    const std::vector<int> of = digits_.Leaves(digit);
    leaves.insert(leaves.end(), of.begin(), of.end());
  }
  return leaves;
}

bool ElementForms::MeetOnlyAtSame(const std::vector<ElementAccess>& a,
                                  const std::vector<ElementAccess>& b,
                                  const LinearIndex& count) const {
  const std::vector<int> leaves = LeavesOf(count);
  std::vector<int> around;
  for (const LinearIndex& counter : around_) {
    const std::vector<int> of = LeavesOf(counter);
    around.insert(around.end(), of.begin(), of.end());
  }
  for (const ElementAccess& x : a) {
    for (const ElementAccess& y : b) {
      if (!x.is_store && !y.is_store) continue;
      LinearIndex first = digits_.Normalised(x.element);
      LinearIndex second = digits_.Normalised(y.element);
      // Loops around are in the same iteration for both, so digits of equal stride cancel.
      for (const int digit : around) {
        if (first.stride(digit) != second.stride(digit)) return false;
      }
      const auto is_around = [&](int digit) {
        return std::find(around.begin(), around.end(), digit) != around.end();
      };
      first.Drop(is_around);
      second.Drop(is_around);
      if (!digits_.EqualOnlyAtSame(first, second, leaves)) return false;
    }
  }
  return true;
}

namespace {

bool MeetInOrder(const NestPair& pair, Span<const For*> around, const Var* data) {
  ElementForms forms;
  const LinearIndex count = forms.digits().Count(pair.first.Count(pair.depth));
  forms.DefineAround(around);
  const auto loops = [](const Nest& nest, size_t depth) {
    return Span<const For*>(nest.loops.data(), depth);
  };
  const auto body = [](const Nest& nest, size_t depth) { return nest.loops[depth - 1]->body; };
  if (!forms.DefineCounted(loops(pair.first, pair.depth), count) ||
      !forms.DefineCounted(loops(pair.second, pair.other_depth), count))
    return false;
  const auto first = forms.Collect(body(pair.first, pair.depth), data);
  const auto second = forms.Collect(body(pair.second, pair.other_depth), data);
  return first && second && forms.MeetOnlyAtSame(*first, *second, count);
}

bool IsKnown(const PointerUse& a, const PointerUse& b) {
  return !a.escapes && !b.escapes && a.is_plain && b.is_plain && a.dtype == b.dtype;
}

}  // namespace

bool MayTakeTurns(const NestPair& pair, Span<const For*> around, const FunctionStorage& storage) {
  // Turns exchange accesses of the nests only if these belong to different iterations. So two
  // accesses of one element are harmless if they always belong to the same iteration.
  if (pair.first_accesses.is_opaque || pair.second_accesses.is_opaque) return false;
  for (const auto& [data, use] : pair.first_accesses.pointers) {
    for (const auto& [other, other_use] : pair.second_accesses.pointers) {
      const bool writes =
          use.stores > 0 || use.escapes || other_use.stores > 0 || other_use.escapes;
      if (!writes || !storage.MayAlias(data, other)) continue;
      if (data != other || !IsKnown(use, other_use) || !MeetInOrder(pair, around, data))
        return false;
    }
  }
  return true;
}

}  // namespace tenon
