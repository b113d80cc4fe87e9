#ifndef TENON_ARITH_EXPR_TABLE_H_
#define TENON_ARITH_EXPR_TABLE_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "ir/builder.h"
#include "ir/visitor.h"

// Internal to arith/: a single node for equal expressions, so that equality is a comparison of
// pointers.

namespace tenon {

/// Interned expressions. Variables and buffers are equal only to themselves, and so are impure
/// calls and expressions that contain one.
class ExprTable {
 public:
  struct Info {
    /// Equal for equal expressions in every run; variables count by their names.
    uint64_t order_hash = 0;
    /// The name of the first variable in the expression.
    Symbol first_name;
    /// Numbers the nodes in the order of interning.
    uint32_t id = 0;
    /// True if evaluating it only gives a value, so that it may be removed.
    bool pure = true;
  };

  ExprTable(Context& context, Arena& arena) : builder_(context, arena) {}

  /// The unique node for `expr`, with interned children.
  const Expr* Intern(const Expr* expr);

  /// The unique node with these fields; the children must already be interned.
  template <class T, class... Args>
  const Expr* Make(Args&&... args) {
    return InternNode(T(std::forward<Args>(args)...));
  }
  const Expr* MakeBinary(NodeKind kind, const Expr* a, const Expr* b);
  /// An integer or bool constant, wrapped to its dtype; a Broadcast if the dtype has lanes.
  const Expr* Int(DataType dtype, int64_t value);
  const Expr* Bool(bool value, int lanes = 1) { return Int(DataType::Bool(lanes), value ? 1 : 0); }
  /// `node` with each child expression replaced by the result of `f`.
  template <class F>
  const Expr* MapChildren(const Expr* node, F&& f) {
    return DispatchExpr(node, [&](const auto* typed) {
      auto copy = *typed;
      bool changed = false;
      ForEachField(copy, [&](const char*, auto& value, FieldRole) {
        using V = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<V, const Expr*>) {
          const Expr* now = value == nullptr ? nullptr : f(value);
          changed |= now != value;
          value = now;
        } else if constexpr (std::is_same_v<V, Span<const Expr*>>) {
          absl::InlinedVector<const Expr*, 8> list(value.begin(), value.end());
          bool list_changed = false;
          for (const Expr*& child : list) {
            const Expr* now = f(child);
            list_changed |= now != child;
            child = now;
          }
          if (list_changed) {
            value = builder_.arena().Copy(Span<const Expr*>(list.data(), list.size()));
          }
          changed |= list_changed;
        }
      });
      return changed ? InternNode(copy) : InternNode(*typed, typed);
    });
  }

  const Info& InfoOf(const Expr* interned) const { return infos_.at(interned); }
  bool IsPure(const Expr* interned) const { return InfoOf(interned).pure; }
  /// A total order that does not depend on addresses: variables first, by name.
  bool Before(const Expr* a, const Expr* b) const;

  /// The source range of new nodes.
  void set_range(SourceRange range) { range_ = range; }
  NodeBuilder& builder() { return builder_; }

 private:
  /// If there is no node yet and `original` is given, `original` becomes the unique node.
  template <class T>
  const Expr* InternNode(const T& node, const T* original = nullptr);
  template <class T>
  Info Describe(const T& node) const;

  NodeBuilder builder_;
  SourceRange range_;
  absl::flat_hash_map<const Expr*, const Expr*> seen_;
  absl::flat_hash_map<uint64_t, const Expr*> nodes_;
  absl::flat_hash_map<const Expr*, Info> infos_;
};

}  // namespace tenon

#endif  // TENON_ARITH_EXPR_TABLE_H_
