#include "arith/expr_table.h"

#include <bit>
#include <type_traits>

#include "ir/builtins.h"
#include "ir/const_fold.h"

namespace tenon {

namespace {

void Mix(uint64_t& state, uint64_t word) {
  state = (std::rotl(state, 23) ^ word) * 0x9e3779b97f4a7c15ULL;
  state ^= state >> 29;
}

uint64_t HashOf(std::string_view text) {
  uint64_t state = text.size();
  for (const char c : text) Mix(state, static_cast<unsigned char>(c));
  return state;
}

/// True for nodes whose structural equality does not imply equal values.
template <class T>
bool IsUnique(const T& node) {
  if constexpr (std::is_same_v<T, Call>) {
    const OpEffect effect = node.op->effect;
    return (effect != OpEffect::kPure && effect != OpEffect::kRead) ||
           node.op->kind == OpKind::kUndef;
  } else {
    return std::is_same_v<T, Any> || std::is_same_v<T, Reduce> || std::is_same_v<T, ProducerLoad>;
  }
}

/// The identity of a node with interned children: their addresses and the node's fields.
template <class V>
void MixIdentity(uint64_t& state, const V& value) {
  if constexpr (kIsNodeSpan<V>) {
    Mix(state, value.size());
    for (const auto* child : value) Mix(state, reinterpret_cast<uintptr_t>(child));
  } else if constexpr (std::is_pointer_v<V>) {
    Mix(state, reinterpret_cast<uintptr_t>(value));
  } else if constexpr (std::is_same_v<V, double>) {
    Mix(state, std::bit_cast<uint64_t>(value));
  } else if constexpr (std::is_same_v<V, Symbol>) {
    Mix(state, value.hash());
  } else if constexpr (std::is_same_v<V, std::string_view>) {
    Mix(state, HashOf(value));
  } else {
    Mix(state, static_cast<uint64_t>(value));
  }
}

template <class V>
bool SameIdentity(const V& a, const V& b) {
  if constexpr (kIsNodeSpan<V>) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  } else if constexpr (std::is_same_v<V, double>) {
    return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
  } else {
    return a == b;
  }
}

template <class T>
bool SameNode(const T& a, const Expr* other) {
  if (other->kind != a.kind || other->dtype != a.dtype || other->flags != a.flags) return false;
  return ForEachFieldPair(
      a, *static_cast<const T*>(other),
      [](const char*, const auto& x, const auto& y, FieldRole) { return SameIdentity(x, y); });
}

template <class T>
uint64_t IdentityHash(const T& node) {
  uint64_t state = static_cast<uint64_t>(node.kind);
  Mix(state, std::bit_cast<uint32_t>(node.dtype));
  ForEachField(node, [&](const char*, const auto& value, FieldRole) { MixIdentity(state, value); });
  return state;
}

}  // namespace

template <class T>
ExprTable::Info ExprTable::Describe(const T& node) const {
  Info info;
  info.id = static_cast<uint32_t>(infos_.size());
  info.pure = !IsUnique(node);
  uint64_t& state = info.order_hash;
  Mix(state, static_cast<uint64_t>(node.kind));
  Mix(state, std::bit_cast<uint32_t>(node.dtype));
  const auto child = [&](const auto* expr) {
    using C = std::remove_cvref_t<decltype(*expr)>;
    if (expr == nullptr) return;
    if constexpr (std::is_base_of_v<Expr, C>) {
      const auto found = infos_.find(expr);
      if (found == infos_.end()) return;
      Mix(state, found->second.order_hash);
      info.pure &= found->second.pure;
      if (info.first_name.empty()) info.first_name = found->second.first_name;
    } else if constexpr (std::is_same_v<C, Buffer>) {
      Mix(state, expr->name.hash());
      if (info.first_name.empty()) info.first_name = expr->name;
    }
  };
  ForEachField(node, [&](const char*, const auto& value, FieldRole) {
    using V = std::remove_cvref_t<decltype(value)>;
    if constexpr (kIsNodePointer<V>) {
      child(value);
    } else if constexpr (kIsNodeSpan<V>) {
      for (const auto* element : value) child(element);
    } else if constexpr (std::is_same_v<V, const Op*>) {
      Mix(state, HashOf(value->text));
    } else if constexpr (!std::is_pointer_v<V>) {
      MixIdentity(state, value);
    }
  });
  return info;
}

template <class T>
const Expr* ExprTable::InternNode(const T& node, const T* original) {
  if constexpr (std::is_same_v<T, Var>) {
    Info info = Describe(node);
    info.first_name = node.name;
    infos_.emplace(original, info);
    return original;
  } else {
    Info info;
    uint64_t key = IdentityHash(node);
    // Different nodes with the same hash take consecutive slots.
    auto slot = nodes_.find(key);
    while (slot != nodes_.end() && !SameNode(node, slot->second)) slot = nodes_.find(++key);
    const bool unique = IsUnique(node);
    if (slot != nodes_.end() && !unique) return slot->second;
    const Expr* made = original;
    if (made == nullptr) {
      T* fresh = builder_.arena().template New<T>(node);
      if (range_.valid()) fresh->range = range_;
      made = fresh;
    }
    info = Describe(node);
    infos_.emplace(made, info);
    if (!unique) nodes_.emplace(key, made);
    return made;
  }
}

// Other files also call it, and an optimised build of this file may inline it.
#define TENON_EXPR(Name) template const Expr* ExprTable::InternNode<Name>(const Name&, const Name*);
#include "ir/nodes.def"

const Expr* ExprTable::Intern(const Expr* expr) {
  if (expr == nullptr) return nullptr;
  const auto found = seen_.find(expr);
  if (found != seen_.end()) return found->second;
  const Expr* interned = WithStack(
      [&] { return MapChildren(expr, [this](const Expr* child) { return Intern(child); }); });
  seen_.emplace(expr, interned);
  seen_.emplace(interned, interned);
  return interned;
}

const Expr* ExprTable::MakeBinary(NodeKind kind, const Expr* a, const Expr* b) {
  switch (kind) {
#define TENON_BINARY_EXPR(Name) \
  case NodeKind::k##Name:       \
    return Make<Name>(a, b);
#include "ir/nodes.def"
    default:
      TENON_UNREACHABLE();
  }
}

const Expr* ExprTable::Int(DataType dtype, int64_t value) {
  const DataType element = dtype.element();
  const Expr* scalar = Make<IntImm>(element, WrapToDType(value, element));
  return dtype.is_scalar() ? scalar : Make<Broadcast>(scalar, dtype.lanes());
}

bool ExprTable::Before(const Expr* a, const Expr* b) const {
  if (a == b) return false;
  const Info& x = InfoOf(a);
  const Info& y = InfoOf(b);
  if (isa<Var>(a) != isa<Var>(b)) return isa<Var>(a);
  if (x.first_name != y.first_name) return x.first_name.view() < y.first_name.view();
  if (a->kind != b->kind) return a->kind < b->kind;
  if (x.order_hash != y.order_hash) return x.order_hash < y.order_hash;
  return x.id < y.id;
}

}  // namespace tenon
