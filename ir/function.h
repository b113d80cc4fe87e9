#ifndef TENON_IR_FUNCTION_H_
#define TENON_IR_FUNCTION_H_

#include <memory>
#include <vector>

#include "ir/attrs.h"
#include "ir/buffer.h"
#include "ir/stmt.h"
#include "support/arena.h"

namespace tenon {

/// A function. `buffers[i]` is the buffer whose handle is parameter i, or null (TIR's buffer_map).
struct PrimFunc : Tagged<NodeKind::kPrimFunc, Node> {
  Span<const Var*> params;
  Span<const Buffer*> buffers;
  const Type* ret_type;
  const MapAttr* attrs;  ///< never null
  const Stmt* body;

  PrimFunc(Span<const Var*> params, Span<const Buffer*> buffers, const Type* ret_type,
           const MapAttr* attrs, const Stmt* body)
      : params(params), buffers(buffers), ret_type(ret_type), attrs(attrs), body(body) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Def("params", &PrimFunc::params), Def("buffers", &PrimFunc::buffers),
                           Use("ret_type", &PrimFunc::ret_type), Use("attrs", &PrimFunc::attrs),
                           Use("body", &PrimFunc::body));
  }

  /// The buffer of a parameter, or null.
  const Buffer* BufferOf(const Var* param) const;
  const Attr* FindAttr(std::string_view key) const { return attrs->Find(key); }
};

/// An arena and the storage it builds on. `base` keeps alive the nodes that a rewrite shares with
/// its predecessor.
class Storage {
 public:
  explicit Storage(std::shared_ptr<const Storage> base = nullptr);
  ~Storage();
  Arena& arena() { return arena_; }
  /// Also keeps `other` alive, for nodes taken from another function or module.
  void Retain(std::shared_ptr<const Storage> other) { others_.push_back(std::move(other)); }

 private:
  Arena arena_;
  std::shared_ptr<const Storage> base_;
  std::vector<std::shared_ptr<const Storage>> others_;
};

/// One version of a function of a module: its name in the module (that of the GlobalVar) and its
/// nodes. Copies share the nodes.
struct Function {
  Symbol name;
  const PrimFunc* func = nullptr;
  std::shared_ptr<const Storage> storage;

  const Attr* FindAttr(std::string_view key) const { return func->FindAttr(key); }
  /// The `global_symbol` attribute, or empty for a private function.
  std::string_view global_symbol() const;
};

}  // namespace tenon

#endif  // TENON_IR_FUNCTION_H_
