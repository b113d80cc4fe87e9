#ifndef TENON_IR_NODE_H_
#define TENON_IR_NODE_H_

#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>

#include "ir/dtype.h"
#include "support/casting.h"
#include "support/interner.h"
#include "support/source.h"

namespace tenon {

enum class NodeKind : uint8_t {
#define TENON_EXPR(Name) k##Name,
#define TENON_STMT(Name) k##Name,
#define TENON_ATTR(Name) k##Name,
#define TENON_PART(Name) k##Name,
#include "ir/nodes.def"
};

#define TENON_EXPR(Name) struct Name;
#define TENON_STMT(Name) struct Name;
#define TENON_ATTR(Name) struct Name;
#define TENON_PART(Name) struct Name;
#include "ir/nodes.def"

struct Op;
struct Type;
class Constant;

/// "Add", "AllocateConst", ...
std::string_view NodeKindName(NodeKind kind);

template <class T>
using Span = std::span<const T>;

/// The base of every node. Nodes are immutable and trivially destructible, live in an arena, and
/// are passed as `const T*`. Identity matters only for Var, Buffer and Block.
struct Node {
  NodeKind kind;
  uint8_t flags = 0;
  SourceRange range;

  explicit Node(NodeKind kind) : kind(kind) {}
};

/// A node with a value. The dtype of a statement-like call is void.
struct Expr : Node {
  DataType dtype;

  static bool ClassOf(const Node* node) { return node->kind <= NodeKind::kAny; }
  Expr(NodeKind kind, DataType dtype) : Node(kind), dtype(dtype) {}
};
static_assert(sizeof(Expr) == 16);

struct Stmt : Node {
  static bool ClassOf(const Node* node) {
    return node->kind >= NodeKind::kLetStmt && node->kind <= NodeKind::kBlockRealize;
  }
  explicit Stmt(NodeKind kind) : Node(kind) {}
};

/// The value of an attribute or annotation.
struct Attr : Node {
  static bool ClassOf(const Node* node) {
    return node->kind >= NodeKind::kNoneAttr && node->kind <= NodeKind::kObjectAttr;
  }
  explicit Attr(NodeKind kind) : Node(kind) {}
};

/// Gives a node struct its tag.
template <NodeKind K, class Base>
struct Tagged : Base {
  static constexpr NodeKind kKind = K;
  static bool ClassOf(const Node* node) { return node->kind == K; }

 protected:
  template <class... Args>
  explicit Tagged(Args... args) : Base(K, args...) {}
};

/// The role of a field in scoping. A definition binds a Var or Buffer for the fields after it (a
/// body); a use refers to one.
enum class FieldRole : uint8_t { kUse, kDef };

/// One entry of a node's field list: a name, a pointer to member and a role.
template <class Owner, class Type>
struct Field {
  const char* name;
  Type Owner::*member;
  FieldRole role;
};
template <class Owner, class Type>
constexpr Field<Owner, Type> Use(const char* name, Type Owner::*member) {
  return {name, member, FieldRole::kUse};
}
template <class Owner, class Type>
constexpr Field<Owner, Type> Def(const char* name, Type Owner::*member) {
  return {name, member, FieldRole::kDef};
}

/// Calls `f(name, value, role)` for each field of `node` in order. Field types: `const T*` of a
/// node (maybe null), Span of those, Symbol, DataType, bool, int32_t, int64_t, double,
/// std::string_view, enums, const Type*, const Op*, const Constant*. With a mutable `node` the
/// values are mutable.
template <class T, class F>
void ForEachField(T& node, F&& f) {
  std::apply([&](const auto&... field) { (f(field.name, node.*field.member, field.role), ...); },
             std::remove_const_t<T>::Fields());
}

/// Calls `f(name, a_value, b_value, role)` for two nodes of one kind. Stops and returns false if
/// `f` returns false.
template <class T, class F>
bool ForEachFieldPair(const T& a, const T& b, F&& f) {
  return std::apply(
      [&](const auto&... field) {
        return (f(field.name, a.*field.member, b.*field.member, field.role) && ...);
      },
      T::Fields());
}

/// Whether T is a pointer to a node, or a span of such pointers.
template <class T>
inline constexpr bool kIsNodePointer = false;
template <class T>
inline constexpr bool kIsNodePointer<const T*> = std::is_base_of_v<Node, T>;
// These three types may be incomplete where field lists are visited.
template <>
inline constexpr bool kIsNodePointer<const Constant*> = false;
template <>
inline constexpr bool kIsNodePointer<const Type*> = false;
template <>
inline constexpr bool kIsNodePointer<const Op*> = false;
template <class T>
inline constexpr bool kIsNodeSpan = false;
template <class T>
inline constexpr bool kIsNodeSpan<std::span<const T* const>> = std::is_base_of_v<Node, T>;

}  // namespace tenon

#endif  // TENON_IR_NODE_H_
