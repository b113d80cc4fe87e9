#ifndef TENON_IR_STMT_H_
#define TENON_IR_STMT_H_

#include <cstdint>
#include <string_view>

#include "ir/expr.h"

// Statements. A statement that opens a scope (LetStmt, AttrStmt, AssertStmt, Allocate,
// AllocateConst, DeclBuffer, ...) owns the body in which its definition holds.

namespace tenon {

/// Binds `var` to `value` in `body`.
struct LetStmt : Tagged<NodeKind::kLetStmt, Stmt> {
  const Expr* value;
  const Var* var;
  const Stmt* body;

  LetStmt(const Var* var, const Expr* value, const Stmt* body)
      : value(value), var(var), body(body) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("value", &LetStmt::value), Def("var", &LetStmt::var),
                           Use("body", &LetStmt::body));
  }
};

/// Attaches `key: value` about `node` to `body`. For the keys `thread_extent` and `virtual_thread`
/// with an IterVarAttr as node, it defines the variable of that node.
struct AttrStmt : Tagged<NodeKind::kAttrStmt, Stmt> {
  const Attr* node;
  std::string_view key;
  const Expr* value;
  const Stmt* body;

  AttrStmt(const Attr* node, std::string_view key, const Expr* value, const Stmt* body)
      : node(node), key(key), value(value), body(body) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("key", &AttrStmt::key), Use("value", &AttrStmt::value),
                           Use("node", &AttrStmt::node), Use("body", &AttrStmt::body));
  }
};

/// Leaves the function with an error unless `condition` holds; `message` is a StringImm.
struct AssertStmt : Tagged<NodeKind::kAssertStmt, Stmt> {
  const Expr* condition;
  const Expr* message;
  const Stmt* body;

  AssertStmt(const Expr* condition, const Expr* message, const Stmt* body)
      : condition(condition), message(message), body(body) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("condition", &AssertStmt::condition),
                           Use("message", &AssertStmt::message), Use("body", &AssertStmt::body));
  }
};

/// `buffer[indices] = value`; lanes as for BufferLoad.
struct BufferStore : Tagged<NodeKind::kBufferStore, Stmt> {
  const Buffer* buffer;
  const Expr* value;
  Span<const Expr*> indices;
  const Expr* predicate;

  BufferStore(const Buffer* buffer, const Expr* value, Span<const Expr*> indices,
              const Expr* predicate = nullptr)
      : buffer(buffer), value(value), indices(indices), predicate(predicate) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("buffer", &BufferStore::buffer),
                           Use("indices", &BufferStore::indices), Use("value", &BufferStore::value),
                           Use("predicate", &BufferStore::predicate));
  }
};

/// Makes the region `bounds` of a buffer exist in `body` (before storage is flattened); `scope` may
/// be empty.
struct BufferRealize : Tagged<NodeKind::kBufferRealize, Stmt> {
  const Buffer* buffer;
  Span<const Range*> bounds;
  std::string_view scope;
  const Expr* condition;
  const Stmt* body;

  BufferRealize(const Buffer* buffer, Span<const Range*> bounds, std::string_view scope,
                const Expr* condition, const Stmt* body)
      : buffer(buffer), bounds(bounds), scope(scope), condition(condition), body(body) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(
        Use("buffer", &BufferRealize::buffer), Use("bounds", &BufferRealize::bounds),
        Use("scope", &BufferRealize::scope), Use("condition", &BufferRealize::condition),
        Use("body", &BufferRealize::body));
  }
};

/// A store to a tensor that is not yet a buffer. Tenon only reads and prints this node.
struct ProducerStore : Tagged<NodeKind::kProducerStore, Stmt> {
  const Buffer* producer;
  const Expr* value;
  Span<const Expr*> indices;

  ProducerStore(const Buffer* producer, const Expr* value, Span<const Expr*> indices)
      : producer(producer), value(value), indices(indices) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("producer", &ProducerStore::producer),
                           Use("indices", &ProducerStore::indices),
                           Use("value", &ProducerStore::value));
  }
};

/// Makes the region `bounds` of a tensor that is not yet a buffer exist. Tenon only reads and
/// prints this node.
struct ProducerRealize : Tagged<NodeKind::kProducerRealize, Stmt> {
  const Buffer* producer;
  Span<const Range*> bounds;
  const Expr* condition;
  const Stmt* body;

  ProducerRealize(const Buffer* producer, Span<const Range*> bounds, const Expr* condition,
                  const Stmt* body)
      : producer(producer), bounds(bounds), condition(condition), body(body) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(
        Use("producer", &ProducerRealize::producer), Use("bounds", &ProducerRealize::bounds),
        Use("condition", &ProducerRealize::condition), Use("body", &ProducerRealize::body));
  }
};

/// `buffer_var` points to product(extents) elements of `dtype` in the storage scope of its type
/// while `body` runs; the contents are initially undefined. `condition` is true unless the text
/// writes one.
struct Allocate : Tagged<NodeKind::kAllocate, Stmt> {
  const Var* buffer_var;
  DataType dtype;
  Span<const Expr*> extents;
  const Expr* condition;
  const MapAttr* annotations;  ///< null if there are none
  const Stmt* body;

  Allocate(const Var* buffer_var, DataType dtype, Span<const Expr*> extents, const Expr* condition,
           const MapAttr* annotations, const Stmt* body)
      : buffer_var(buffer_var),
        dtype(dtype),
        extents(extents),
        condition(condition),
        annotations(annotations),
        body(body) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("dtype", &Allocate::dtype), Use("extents", &Allocate::extents),
                           Use("condition", &Allocate::condition),
                           Use("annotations", &Allocate::annotations),
                           Def("buffer_var", &Allocate::buffer_var), Use("body", &Allocate::body));
  }
};

/// `buffer_var` points to the read-only bytes of `data` while `body` runs. Extents and dtype are
/// the constant's.
struct AllocateConst : Tagged<NodeKind::kAllocateConst, Stmt> {
  const Var* buffer_var;
  DataType dtype;
  Span<const Expr*> extents;
  const Constant* data;
  const MapAttr* annotations;  ///< null if there are none
  const Stmt* body;

  AllocateConst(const Var* buffer_var, DataType dtype, Span<const Expr*> extents,
                const Constant* data, const MapAttr* annotations, const Stmt* body)
      : buffer_var(buffer_var),
        dtype(dtype),
        extents(extents),
        data(data),
        annotations(annotations),
        body(body) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(
        Use("dtype", &AllocateConst::dtype), Use("extents", &AllocateConst::extents),
        Use("data", &AllocateConst::data), Use("annotations", &AllocateConst::annotations),
        Def("buffer_var", &AllocateConst::buffer_var), Use("body", &AllocateConst::body));
  }
};

/// Declares `buffer` over existing storage for `body`.
struct DeclBuffer : Tagged<NodeKind::kDeclBuffer, Stmt> {
  const Buffer* buffer;
  const Stmt* body;

  DeclBuffer(const Buffer* buffer, const Stmt* body) : buffer(buffer), body(body) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Def("buffer", &DeclBuffer::buffer), Use("body", &DeclBuffer::body));
  }
};

/// Two or more statements in order; none of them is a SeqStmt.
struct SeqStmt : Tagged<NodeKind::kSeqStmt, Stmt> {
  Span<const Stmt*> seq;

  explicit SeqStmt(Span<const Stmt*> seq) : seq(seq) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("seq", &SeqStmt::seq));
  }
};

/// `else_case` may be null.
struct IfThenElse : Tagged<NodeKind::kIfThenElse, Stmt> {
  const Expr* condition;
  const Stmt* then_case;
  const Stmt* else_case;

  IfThenElse(const Expr* condition, const Stmt* then_case, const Stmt* else_case)
      : condition(condition), then_case(then_case), else_case(else_case) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("condition", &IfThenElse::condition),
                           Use("then_case", &IfThenElse::then_case),
                           Use("else_case", &IfThenElse::else_case));
  }
};

/// Evaluates an expression for its effect. `Evaluate(0)` is the no-op.
struct Evaluate : Tagged<NodeKind::kEvaluate, Stmt> {
  const Expr* value;

  explicit Evaluate(const Expr* value) : value(value) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("value", &Evaluate::value));
  }
};

enum class ForKind : uint8_t { kSerial, kParallel, kVectorized, kUnrolled, kThreadBinding };

/// Runs `body` for loop_var = min, ..., min + extent - 1. Parallel iterations may run in any order
/// or concurrently.
struct For : Tagged<NodeKind::kFor, Stmt> {
  const Var* loop_var;
  const Expr* min;
  const Expr* extent;
  ForKind for_kind;
  const IterVar* thread_binding;  ///< for kThreadBinding, else null
  const MapAttr* annotations;     ///< null if there are none
  const Stmt* body;

  For(const Var* loop_var, const Expr* min, const Expr* extent, ForKind for_kind, const Stmt* body,
      const IterVar* thread_binding = nullptr, const MapAttr* annotations = nullptr)
      : loop_var(loop_var),
        min(min),
        extent(extent),
        for_kind(for_kind),
        thread_binding(thread_binding),
        annotations(annotations),
        body(body) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("min", &For::min), Use("extent", &For::extent),
                           Use("for_kind", &For::for_kind), Use("annotations", &For::annotations),
                           Use("thread_binding", &For::thread_binding),
                           Def("loop_var", &For::loop_var), Use("body", &For::body));
  }
};

struct While : Tagged<NodeKind::kWhile, Stmt> {
  const Expr* condition;
  const Stmt* body;

  While(const Expr* condition, const Stmt* body) : condition(condition), body(body) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("condition", &While::condition), Use("body", &While::body));
  }
};

/// A hint that the region will be read soon.
struct Prefetch : Tagged<NodeKind::kPrefetch, Stmt> {
  const Buffer* buffer;
  Span<const Range*> bounds;

  Prefetch(const Buffer* buffer, Span<const Range*> bounds) : buffer(buffer), bounds(bounds) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("buffer", &Prefetch::buffer), Use("bounds", &Prefetch::bounds));
  }
};

/// A schedulable unit of TIR: iteration variables, the regions that it reads and writes, `init`
/// (may be null), which runs before the first iteration of its reductions, and a body.
struct Block : Tagged<NodeKind::kBlock, Stmt> {
  Span<const IterVar*> iter_vars;
  std::string_view name_hint;
  Span<const BufferRegion*> reads;
  Span<const BufferRegion*> writes;
  const MapAttr* annotations = nullptr;  ///< null if there are none
  Span<const Buffer*> alloc_buffers;
  Span<const MatchBufferRegion*> match_buffers;
  const Stmt* init = nullptr;
  const Stmt* body = nullptr;

  Block() {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Def("iter_vars", &Block::iter_vars), Use("name_hint", &Block::name_hint),
                           Use("reads", &Block::reads), Use("writes", &Block::writes),
                           Use("annotations", &Block::annotations),
                           Def("alloc_buffers", &Block::alloc_buffers),
                           Def("match_buffers", &Block::match_buffers), Use("init", &Block::init),
                           Use("body", &Block::body));
  }
};

/// Runs `block` with its iteration variables bound to `iter_values`, if `predicate` holds.
struct BlockRealize : Tagged<NodeKind::kBlockRealize, Stmt> {
  Span<const Expr*> iter_values;
  const Expr* predicate;
  const Block* block;

  BlockRealize(Span<const Expr*> iter_values, const Expr* predicate, const Block* block)
      : iter_values(iter_values), predicate(predicate), block(block) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("iter_values", &BlockRealize::iter_values),
                           Use("predicate", &BlockRealize::predicate),
                           Use("block", &BlockRealize::block));
  }
};

}  // namespace tenon

#endif  // TENON_IR_STMT_H_
