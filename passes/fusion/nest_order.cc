// The dependence test of fusion: two nests may take turns if accesses to one element always belong
// to the same iteration of both. Indices of both are written in digits of one common counter.

#include "passes/fusion/nest_order.h"

#include <algorithm>

#include "ir/visitor.h"

namespace tenon {

NestAccesses::NestAccesses(int64_t iterations, Span<const For*> around)
    : count_(digits_.Count(iterations, kCounted)) {
  // A loop of unknown extent leaves its variable undefined, so indices may not mention it.
  for (const For* loop : around) forms_.Enter(loop, kAround);
}

std::optional<std::vector<ElementAccess>> NestAccesses::Collect(const Stmt* stmt, const Var* data) {
  std::vector<ElementAccess> found;
  if (!CollectIn(stmt, data, found)) return std::nullopt;
  return found;
}

bool NestAccesses::CollectIn(const Node* node, const Var* data, std::vector<ElementAccess>& found) {
  const auto add = [&](const Buffer* buffer, Span<const Expr*> indices, bool is_store) {
    if (buffer->data != data) return true;
    auto form = forms_.Evaluate(indices[0], LinearIndex(), {});
    if (form) found.push_back({*std::move(form), is_store});
    return form.has_value();
  };
  return WithStack([&] {
    if (const auto* loop = dyn_cast<For>(node)) forms_.Enter(loop, kInside);
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

LinearIndex NestAccesses::First(const ElementAccess& access) const {
  LinearIndex first = digits_.Normalised(access.element);
  first.Drop([&](int digit) { return digits_.group(digit) == kCounted; });
  return first;
}

bool NestAccesses::MeetOnlyAtSame(const std::vector<ElementAccess>& a,
                                  const std::vector<ElementAccess>& b) const {
  std::vector<int> counted;
  for (const Digits::Leaf& leaf : digits_.Leaves()) {
    if (leaf.group == kCounted) counted.push_back(leaf.digit);
  }
  const auto is_around = [&](int digit) { return digits_.group(digit) == kAround; };
  for (const ElementAccess& x : a) {
    for (const ElementAccess& y : b) {
      if (!x.is_store && !y.is_store) continue;
      LinearIndex first = digits_.Normalised(x.element);
      LinearIndex second = digits_.Normalised(y.element);
      // Loops around are in the same iteration for both, so digits of equal stride cancel.
      for (const LinearIndex* one : {&first, &second}) {
        for (const auto& [digit, stride] : one->terms) {
          if (is_around(digit) && first.stride(digit) != second.stride(digit)) return false;
        }
      }
      first.Drop(is_around);
      second.Drop(is_around);
      if (!digits_.EqualOnlyAtSame(first, second, counted)) return false;
    }
  }
  return true;
}

namespace {

bool MeetInOrder(const NestPair& pair, Span<const For*> around, const Var* data) {
  NestAccesses accesses(pair.first.Count(pair.depth), around);
  const auto collect = [&](const Nest& nest, size_t depth) {
    using Accesses = std::optional<std::vector<ElementAccess>>;
    if (!accesses.Enter({nest.loops.data(), depth})) return Accesses();
    return accesses.Collect(nest.loops[depth - 1]->body, data);
  };
  const auto first = collect(pair.first, pair.depth);
  const auto second = collect(pair.second, pair.other_depth);
  return first && second && accesses.MeetOnlyAtSame(*first, *second);
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
