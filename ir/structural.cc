#include "ir/structural.h"

#include <fmt/format.h>

#include <bit>
#include <vector>

#include "ir/visitor.h"

namespace tenon {

namespace {

/// Whether both constants are copied or decompressed into the same pool. Loading decides what is
/// stored and what runs; other placement properties do not.
bool SameLoading(const Constant& a, const Constant& b) {
  return a.placement().load == b.placement().load && a.placement().codec == b.placement().codec;
}

/// Whether a field of a memory pool describes hardware that the text does not: the targets that
/// access the pool, and their burst sizes. TVM's equality also ignores these fields.
bool IsHardwareField(const MapItem* item) {
  const std::string_view* key = AsString(item->key);
  return key != nullptr && (*key == "targets" || *key == "target_burst_bytes");
}

bool IsPool(const Node* node) {
  const auto* object = dyn_cast<ObjectAttr>(node);
  if (object == nullptr || object->opaque()) return false;
  const std::string_view key = object->type_key.view();
  return key == "ir.WorkspacePoolInfo" || key == "ir.ConstantPoolInfo";
}

/// The fields of a pool that count for equality.
std::vector<const MapItem*> PoolItems(const Node* pool) {
  std::vector<const MapItem*> items;
  for (const MapItem* item : cast<ObjectAttr>(pool)->fields->items) {
    if (!IsHardwareField(item)) items.push_back(item);
  }
  return items;
}

/// Compares two trees in lockstep and pairs variables and buffers at their first occurrence.
class Comparer {
 public:
  explicit Comparer(Difference* difference) : difference_(difference) {}

  bool Nodes(const Node* a, const Node* b, FieldRole role) {
    return WithStack([&] {
      if (a == nullptr || b == nullptr) return a == b || Fail(a, b);
      if (a->kind != b->kind || a->flags != b->flags) return Fail(a, b);
      if (isa<Expr>(a) &&
          static_cast<const Expr*>(a)->dtype != static_cast<const Expr*>(b)->dtype) {
        return Fail(a, b);
      }
      if (const auto* var = dyn_cast<Var>(a)) return Vars(var, cast<Var>(b), role);
      if (const auto* buffer = dyn_cast<Buffer>(a)) return Buffers(buffer, cast<Buffer>(b));
      if (IsPool(a) && IsPool(b)) return Pools(cast<ObjectAttr>(a), cast<ObjectAttr>(b));
      return Dispatch(a, [&](const auto* node) {
        using T = std::remove_cvref_t<decltype(*node)>;
        return Fields(*node, *static_cast<const T*>(b));
      });
    });
  }

  const std::string& path() const { return path_; }

 private:
  bool Fail(const Node* a, const Node* b) {
    if (difference_ == nullptr) return false;
    if (difference_->path.empty()) difference_->path = path_;
    // Null and nodes made by a pass have no source range: use the nearest enclosing one.
    if (a != nullptr && !difference_->a.valid()) difference_->a = a->range;
    if (b != nullptr && !difference_->b.valid()) difference_->b = b->range;
    return false;
  }

  template <class T>
  bool Fields(const T& a, const T& b) {
    return ForEachFieldPair(a, b,
                            [&](const char* name, const auto& x, const auto& y, FieldRole role) {
                              if constexpr (std::is_same_v<T, Buffer>) {
                                if (std::string_view(name) == "name") return true;
                              }
                              const size_t mark = path_.size();
                              if (difference_ != nullptr) path_ += fmt::format(".{}", name);
                              const bool same = Values(x, y, role) || Fail(&a, &b);
                              path_.resize(mark);
                              return same;
                            });
  }

  template <class V>
  bool Values(const V& x, const V& y, FieldRole role) {
    if constexpr (kIsNodePointer<V>) {
      return Nodes(x, y, role);
    } else if constexpr (kIsNodeSpan<V>) {
      if (x.size() != y.size()) return false;
      for (size_t i = 0; i < x.size(); ++i) {
        const size_t mark = path_.size();
        if (difference_ != nullptr) path_ += fmt::format("[{}]", i);
        if (!Nodes(x[i], y[i], role)) return false;
        path_.resize(mark);
      }
      return true;
    } else if constexpr (std::is_same_v<V, double>) {
      return std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(y);
    } else if constexpr (std::is_same_v<V, const Constant*>) {
      return SameConstants(x, y);
    } else if constexpr (std::is_same_v<V, const Op*>) {
      return x->kind == y->kind && x->text == y->text;
    } else if constexpr (std::is_same_v<V, const Type*>) {
      return SameTypes(x, y);
    } else if constexpr (std::is_same_v<V, Symbol>) {
      return x.view() == y.view();
    } else {
      return x == y;
    }
  }

  static bool SameTypes(const Type* x, const Type* y) {
    return x == y ||
           (x->kind == y->kind && x->dtype == y->dtype && x->scope.view() == y->scope.view());
  }

  static bool SameConstants(const Constant* x, const Constant* y) {
    if (x == nullptr || y == nullptr) return x == y;
    return SameLoading(*x, *y) && SameContents(*x, *y);
  }

  bool Vars(const Var* a, const Var* b, FieldRole role) {
    if (!SameTypes(a->type, b->type)) return Fail(a, b);
    const auto found = vars_.find(a);
    if (found != vars_.end() && role == FieldRole::kUse) return found->second == b || Fail(a, b);
    const auto back = vars_back_.find(b);
    if (back != vars_back_.end() && role == FieldRole::kUse) return Fail(a, b);
    vars_[a] = b;
    vars_back_[b] = a;
    return true;
  }

  bool Buffers(const Buffer* a, const Buffer* b) {
    const auto found = buffers_.find(a);
    if (found != buffers_.end()) return found->second == b || Fail(a, b);
    if (!buffers_back_.emplace(b, a).second) return Fail(a, b);
    buffers_.emplace(a, b);
    return Fields(*a, *b);
  }

  bool Pools(const ObjectAttr* a, const ObjectAttr* b) {
    if (a->type_key.view() != b->type_key.view()) return Fail(a, b);
    const std::vector<const MapItem*> x = PoolItems(a);
    const std::vector<const MapItem*> y = PoolItems(b);
    if (x.size() != y.size()) return Fail(a, b);
    const size_t mark = path_.size();
    for (size_t i = 0; i < x.size(); ++i) {
      if (difference_ != nullptr && isa<StringAttr>(x[i]->key)) {
        path_ += fmt::format(".{}", *AsString(x[i]->key));
      }
      if (!Nodes(x[i], y[i], FieldRole::kUse)) return false;
      path_.resize(mark);
    }
    return true;
  }

  Difference* difference_;
  std::string path_;
  absl::flat_hash_map<const Var*, const Var*> vars_;
  absl::flat_hash_map<const Var*, const Var*> vars_back_;
  absl::flat_hash_map<const Buffer*, const Buffer*> buffers_;
  absl::flat_hash_map<const Buffer*, const Buffer*> buffers_back_;
};

/// Hashes a tree to 64 bits. Variables and buffers count by the order of their first occurrence. A
/// variable that is bound again counts as a new one, as in the Comparer.
class Hasher {
 public:
  void Nodes(const Node* node, FieldRole role = FieldRole::kUse) {
    WithStack([&] {
      if (node == nullptr) return Mix(1);
      Mix(static_cast<uint64_t>(node->kind) * 257 + node->flags);
      if (isa<Expr>(node)) Mix(std::bit_cast<uint32_t>(static_cast<const Expr*>(node)->dtype));
      if (isa<Var>(node) || isa<Buffer>(node)) {
        const bool binds = isa<Var>(node) && role == FieldRole::kDef;
        const auto [entry, added] = numbers_.emplace(node, next_number_);
        if (binds) entry->second = next_number_;
        if (binds || added) ++next_number_;
        Mix(entry->second);
        if (!binds && !added) return;
      }
      if (IsPool(node)) {
        Mix(cast<ObjectAttr>(node)->type_key.hash());
        for (const MapItem* item : PoolItems(node)) Nodes(item);
        return;
      }
      Dispatch(node, [&](const auto* typed) { Fields(*typed); });
    });
  }

  void Mix(uint64_t word) {
    state_ = (std::rotl(state_, 23) ^ word) * 0x9e3779b97f4a7c15ULL;
    state_ ^= state_ >> 32;
  }
  uint64_t state() const { return state_; }

 private:
  template <class T>
  void Fields(const T& node) {
    ForEachField(node, [&](const char* name, const auto& value, FieldRole role) {
      if constexpr (std::is_same_v<T, Buffer> || std::is_same_v<T, Var>) {
        if (std::string_view(name) == "name") return;
      }
      Values(value, role);
    });
  }

  template <class V>
  void Values(const V& value, FieldRole role) {
    if constexpr (kIsNodePointer<V>) {
      Nodes(value, role);
    } else if constexpr (kIsNodeSpan<V>) {
      Mix(value.size());
      for (const auto* child : value) Nodes(child, role);
    } else if constexpr (std::is_same_v<V, double>) {
      Mix(std::bit_cast<uint64_t>(value));
    } else if constexpr (std::is_same_v<V, const Constant*>) {
      if (value == nullptr) return Mix(2);
      const absl::StatusOr<ContentHash> hash = value->Hash();
      Mix(hash.ok() ? hash->low : 3);
    } else if constexpr (std::is_same_v<V, const Op*>) {
      Mix(HashText(value->text));
    } else if constexpr (std::is_same_v<V, const Type*>) {
      Mix(static_cast<uint64_t>(value->kind));
      Mix(std::bit_cast<uint32_t>(value->dtype));
      Mix(value->scope.hash());
    } else if constexpr (std::is_same_v<V, Symbol>) {
      Mix(value.hash());
    } else if constexpr (std::is_same_v<V, std::string_view>) {
      Mix(HashText(value));
    } else if constexpr (std::is_same_v<V, DataType>) {
      Mix(std::bit_cast<uint32_t>(value));
    } else {
      Mix(static_cast<uint64_t>(value));
    }
  }

  uint64_t state_ = 0x51ed270b;
  absl::flat_hash_map<const Node*, uint64_t> numbers_;
  uint64_t next_number_ = 0;
};

}  // namespace

bool StructuralEqual(const Node* a, const Node* b, Difference* difference) {
  return Comparer(difference).Nodes(a, b, FieldRole::kUse);
}

bool StructuralEqual(const IRModule& a, const IRModule& b, Difference* difference) {
  auto fail = [&](std::string path) {
    if (difference != nullptr) difference->path = std::move(path);
    return false;
  };
  if (a.functions().size() != b.functions().size()) return fail("number of functions");
  if (!StructuralEqual(a.attrs(), b.attrs(), difference)) return false;
  if (!StructuralEqual(a.global_infos(), b.global_infos(), difference)) return false;
  if (a.constants.size() != b.constants.size()) return fail("number of named constants");
  for (size_t i = 0; i < a.constants.size(); ++i) {
    const Constant& x = *a.constants[i];
    const Constant& y = *b.constants[i];
    if (x.name().view() != y.name().view() || !SameLoading(x, y) || !SameContents(x, y)) {
      return fail(fmt::format("constant {}", x.name().view()));
    }
  }
  for (const Function& function : a.functions()) {
    const Function* other = b.Find(b.context().Intern(function.name.view()));
    if (other == nullptr) return fail(fmt::format("function {}", function.name.view()));
    if (!StructuralEqual(function.func, other->func, difference)) {
      if (difference != nullptr) {
        difference->path = fmt::format("{}{}", function.name.view(), difference->path);
      }
      return false;
    }
  }
  return true;
}

uint64_t StructuralHash(const Node* node) {
  Hasher hasher;
  hasher.Nodes(node);
  return hasher.state();
}

uint64_t StructuralHash(const IRModule& module) {
  // The order of functions in the text does not count; the order of constants does.
  uint64_t sum = 0;
  for (const Function& function : module.functions()) {
    Hasher hasher;
    hasher.Mix(function.name.hash());
    hasher.Nodes(function.func);
    sum += hasher.state();
  }
  Hasher hasher;
  hasher.Mix(sum);
  hasher.Nodes(module.attrs());
  hasher.Nodes(module.global_infos());
  for (const Constant* constant : module.constants) hasher.Mix(constant->name().hash());
  return hasher.state();
}

}  // namespace tenon
