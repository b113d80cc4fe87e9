#ifndef TENON_IR_ATTRS_H_
#define TENON_IR_ATTRS_H_

#include <cstdint>
#include <string_view>

#include "ir/expr.h"

// Values of function, module and loop attributes and of annotations. Boxed Python values (BoolAttr,
// IntAttr, FloatAttr) print bare (`True`, `3`, `1.5`); immediates of the IR (ExprAttr) print as
// expressions do (`T.bool(True)`, `3`).

namespace tenon {

struct NoneAttr : Tagged<NodeKind::kNoneAttr, Attr> {
  NoneAttr() {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple();
  }
};

struct BoolAttr : Tagged<NodeKind::kBoolAttr, Attr> {
  bool value;
  explicit BoolAttr(bool value) : value(value) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("value", &BoolAttr::value));
  }
};

struct IntAttr : Tagged<NodeKind::kIntAttr, Attr> {
  int64_t value;
  explicit IntAttr(int64_t value) : value(value) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("value", &IntAttr::value));
  }
};

struct FloatAttr : Tagged<NodeKind::kFloatAttr, Attr> {
  double value;
  explicit FloatAttr(double value) : value(value) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("value", &FloatAttr::value));
  }
};

struct StringAttr : Tagged<NodeKind::kStringAttr, Attr> {
  std::string_view value;
  explicit StringAttr(std::string_view value) : value(value) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("value", &StringAttr::value));
  }
};

/// Any expression: an immediate, a variable, a call.
struct ExprAttr : Tagged<NodeKind::kExprAttr, Attr> {
  const Expr* value;
  explicit ExprAttr(const Expr* value) : value(value) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("value", &ExprAttr::value));
  }
};

struct BufferAttr : Tagged<NodeKind::kBufferAttr, Attr> {
  const Buffer* value;
  explicit BufferAttr(const Buffer* value) : value(value) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("value", &BufferAttr::value));
  }
};

struct IterVarAttr : Tagged<NodeKind::kIterVarAttr, Attr> {
  const IterVar* value;
  explicit IterVarAttr(const IterVar* value) : value(value) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("value", &IterVarAttr::value));
  }
};

struct ArrayAttr : Tagged<NodeKind::kArrayAttr, Attr> {
  Span<const Attr*> items;
  explicit ArrayAttr(Span<const Attr*> items) : items(items) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("items", &ArrayAttr::items));
  }
};

/// One `key: value` of a map.
struct MapItem : Tagged<NodeKind::kMapItem, Node> {
  const Attr* key;
  const Attr* value;
  MapItem(const Attr* key, const Attr* value) : key(key), value(value) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("key", &MapItem::key), Use("value", &MapItem::value));
  }
};

/// A map. With string keys the items are sorted bytewise by key and keys are unique; otherwise the
/// order is the writer's.
struct MapAttr : Tagged<NodeKind::kMapAttr, Attr> {
  Span<const MapItem*> items;
  explicit MapAttr(Span<const MapItem*> items) : items(items) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("items", &MapAttr::items));
  }

  /// The value under a string key, or null.
  const Attr* Find(std::string_view key) const {
    for (const MapItem* item : items) {
      const auto* text = dyn_cast<StringAttr>(item->key);
      if (text != nullptr && text->value == key) return item->value;
    }
    return nullptr;
  }
};

/// `T.target({...})`: `value` is a MapAttr, or a StringAttr if the text has only a string.
struct TargetAttr : Tagged<NodeKind::kTargetAttr, Attr> {
  const Attr* value;
  explicit TargetAttr(const Attr* value) : value(value) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("value", &TargetAttr::value));
  }
};

/// A function of the module, `Module.f`.
struct GlobalVarAttr : Tagged<NodeKind::kGlobalVarAttr, Attr> {
  Symbol name;
  explicit GlobalVarAttr(Symbol name) : name(name) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("name", &GlobalVarAttr::name));
  }
};

/// Constant data: TVM's NDArray, or Tenon's `I.constant`.
struct ConstantAttr : Tagged<NodeKind::kConstantAttr, Attr> {
  const Constant* value;
  explicit ConstantAttr(const Constant* value) : value(value) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("value", &ConstantAttr::value));
  }
};

/// A typed record: a TVM object with a type key (`ir.WorkspacePoolInfo`, `ir.ConstantPoolInfo`,
/// `ir.ConstantInfo`, `tir.usmp.AllocatedPoolInfo`, `Executor`, ...). `fields` has string keys. An
/// object of unknown contents (`metadata["Executor"][0]` in a text without its metadata) is
/// `opaque`: its only field is `index`.
struct ObjectAttr : Tagged<NodeKind::kObjectAttr, Attr> {
  static constexpr uint8_t kOpaque = 1;
  Symbol type_key;
  const MapAttr* fields;
  ObjectAttr(Symbol type_key, const MapAttr* fields) : type_key(type_key), fields(fields) {}
  bool opaque() const { return (flags & kOpaque) != 0; }
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("type_key", &ObjectAttr::type_key),
                           Use("fields", &ObjectAttr::fields));
  }
};

/// The string of a StringAttr; null for other attributes and for null.
const std::string_view* AsString(const Attr* attr);
/// The integer of an IntAttr, or of an ExprAttr that holds an IntImm; null for other attributes.
const int64_t* AsInt(const Attr* attr);
/// True for a true BoolAttr or a non-zero integer.
bool IsTrue(const Attr* attr);

}  // namespace tenon

#endif  // TENON_IR_ATTRS_H_
