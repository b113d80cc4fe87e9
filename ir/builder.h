#ifndef TENON_IR_BUILDER_H_
#define TENON_IR_BUILDER_H_

#include <initializer_list>
#include <string_view>

#include "ir/context.h"
#include "ir/function.h"
#include "support/arena.h"

namespace tenon {

/// Makes nodes in an arena without folding, promotion or checks. (For TIR's folding operators see
/// ir/const_fold.h, for simplification arith/.)
class NodeBuilder {
 public:
  NodeBuilder(Context& context, Arena& arena) : context_(context), arena_(arena) {}

  Context& context() { return context_; }
  Arena& arena() { return arena_; }

  /// Makes a node of type T.
  template <class T, class... Args>
  const T* New(SourceRange range, Args&&... args) {
    T* node = arena_.New<T>(std::forward<Args>(args)...);
    node->range = range;
    return node;
  }
  template <class T>
  Span<const T*> List(std::initializer_list<const T*> items) {
    return arena_.Copy(Span<const T*>(items.begin(), items.size()));
  }

  const IntImm* Int(int64_t value, SourceRange range = {}) {
    return New<IntImm>(range, DataType::Int(32), value);
  }
  const IntImm* Int(DataType dtype, int64_t value, SourceRange range = {}) {
    return New<IntImm>(range, dtype, value);
  }
  const IntImm* Bool(bool value, SourceRange range = {}) {
    return New<IntImm>(range, DataType::Bool(), value ? 1 : 0);
  }
  const StringImm* String(std::string_view text, SourceRange range = {}) {
    return New<StringImm>(range, arena_.Copy(text));
  }
  /// The constant `value` of any integer, bool or floating dtype; a Broadcast if the dtype has
  /// lanes.
  const Expr* Number(DataType dtype, double value, SourceRange range = {});

  const Var* NewVar(std::string_view name, const Type* type, SourceRange range = {}) {
    return New<Var>(range, context_.Intern(name), type);
  }
  const Var* NewVar(std::string_view name, DataType dtype, SourceRange range = {}) {
    return NewVar(name, context_.PrimType(dtype), range);
  }
  const Call* NewCall(DataType dtype, OpKind op, std::initializer_list<const Expr*> args,
                      SourceRange range = {}) {
    return New<Call>(range, dtype, Op::Get(op), List<Expr>(args));
  }
  const BufferLoad* Load(const Buffer* buffer, std::initializer_list<const Expr*> indices,
                         SourceRange range = {});

  const Stmt* NoOp(SourceRange range = {}) { return New<Evaluate>(range, Int(0, range)); }
  /// The statements in order. Nested sequences are spliced in; no statement gives NoOp, and one
  /// gives itself.
  const Stmt* Seq(Span<const Stmt*> statements, SourceRange range = {});
  const Stmt* Seq(std::initializer_list<const Stmt*> statements, SourceRange range = {}) {
    return Seq(Span<const Stmt*>(statements.begin(), statements.size()), range);
  }

  const StringAttr* StringValue(std::string_view text) {
    return New<StringAttr>({}, arena_.Copy(text));
  }
  const ExprAttr* ExprValue(const Expr* expr) { return New<ExprAttr>(expr->range, expr); }
  const ArrayAttr* Array(Span<const Attr*> items) { return New<ArrayAttr>({}, arena_.Copy(items)); }
  /// A map with string keys. Sorts the items; the last item of a key wins.
  const MapAttr* Map(std::initializer_list<std::pair<std::string_view, const Attr*>> items);
  /// `map` (null counts as empty) with `key` set to `value`, or without `key` if `value` is null.
  const MapAttr* With(const MapAttr* map, std::string_view key, const Attr* value);

 private:
  Context& context_;
  Arena& arena_;
};

}  // namespace tenon

#endif  // TENON_IR_BUILDER_H_
