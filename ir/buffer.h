#ifndef TENON_IR_BUFFER_H_
#define TENON_IR_BUFFER_H_

#include "ir/expr.h"

namespace tenon {

enum class BufferKind : uint8_t {
  kDefault,
  kAutoBroadcast,
  kScalar,  ///< of one element, written `x` in the dialect `tirx`: `x: T.int32 = 0`, `x = x + 1`
};

/// A typed, shaped view of the storage that `data` points to. The element at indices i has the
/// offset `elem_offset + sum(i[k] * strides[k])`. Empty strides mean compact row-major. Shape,
/// strides and offset count elements of `dtype` with its lanes. Several buffers may share one data
/// variable.
struct Buffer : Tagged<NodeKind::kBuffer, Node> {
  Symbol name;
  const Var* data;  ///< of pointer type
  DataType dtype;
  Span<const Expr*> shape;
  Span<const Expr*> strides;
  Span<const Expr*> axis_separators;  ///< IntImms
  const Expr* elem_offset;            ///< never null; 0 if not written
  int32_t data_alignment = 64;        ///< bytes
  int32_t offset_factor = 1;
  BufferKind buffer_kind = BufferKind::kDefault;
  /// The buffer whose `.data` or `.view` the text names, or null. It only chooses among equal
  /// spellings, and may no longer exist: compare it, but do not use it.
  const Buffer* alias_of = nullptr;

  Buffer(Symbol name, const Var* data, DataType dtype, Span<const Expr*> shape,
         const Expr* elem_offset)
      : name(name), data(data), dtype(dtype), shape(shape), elem_offset(elem_offset) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(
        Use("name", &Buffer::name), Use("data", &Buffer::data), Use("dtype", &Buffer::dtype),
        Use("shape", &Buffer::shape), Use("strides", &Buffer::strides),
        Use("axis_separators", &Buffer::axis_separators), Use("elem_offset", &Buffer::elem_offset),
        Use("data_alignment", &Buffer::data_alignment),
        Use("offset_factor", &Buffer::offset_factor), Use("buffer_kind", &Buffer::buffer_kind));
  }
  /// The storage scope of the data pointer; "global" if that is empty.
  std::string_view scope() const {
    return data->type->scope.empty() ? std::string_view("global") : data->type->scope.view();
  }
};

/// The integers min, ..., min + extent - 1.
struct Range : Tagged<NodeKind::kRange, Node> {
  const Expr* min;
  const Expr* extent;

  Range(const Expr* min, const Expr* extent) : min(min), extent(extent) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("min", &Range::min), Use("extent", &Range::extent));
  }
};

enum class IterVarKind : uint8_t {
  kDataPar,
  kThreadIndex,
  kCommReduce,
  kOrdered,
  kOpaque,
  kUnrolled,
  kVectorized,
  kParallelized,
  kTensorized,
};

/// An iteration variable of a block, a reduction or a thread.
struct IterVar : Tagged<NodeKind::kIterVar, Node> {
  const Range* dom;  ///< may be null for threads
  const Var* var;
  IterVarKind iter_kind;
  std::string_view thread_tag;

  IterVar(const Range* dom, const Var* var, IterVarKind iter_kind, std::string_view thread_tag = {})
      : dom(dom), var(var), iter_kind(iter_kind), thread_tag(thread_tag) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("dom", &IterVar::dom), Use("iter_kind", &IterVar::iter_kind),
                           Use("thread_tag", &IterVar::thread_tag), Def("var", &IterVar::var));
  }
};

/// A rectangular region of a buffer.
struct BufferRegion : Tagged<NodeKind::kBufferRegion, Node> {
  const Buffer* buffer;
  Span<const Range*> region;

  BufferRegion(const Buffer* buffer, Span<const Range*> region) : buffer(buffer), region(region) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("buffer", &BufferRegion::buffer),
                           Use("region", &BufferRegion::region));
  }
};

/// Declares `buffer` as a view of a region, in a block.
struct MatchBufferRegion : Tagged<NodeKind::kMatchBufferRegion, Node> {
  const BufferRegion* source;
  const Buffer* buffer;

  MatchBufferRegion(const Buffer* buffer, const BufferRegion* source)
      : source(source), buffer(buffer) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("source", &MatchBufferRegion::source),
                           Def("buffer", &MatchBufferRegion::buffer));
  }
};

/// A commutative reduction: `result` over `lhs` and `rhs`, with its identity elements.
struct CommReducer : Tagged<NodeKind::kCommReducer, Node> {
  Span<const Var*> lhs;
  Span<const Var*> rhs;
  Span<const Expr*> result;
  Span<const Expr*> identity;

  CommReducer(Span<const Var*> lhs, Span<const Var*> rhs, Span<const Expr*> result,
              Span<const Expr*> identity)
      : lhs(lhs), rhs(rhs), result(result), identity(identity) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Def("lhs", &CommReducer::lhs), Def("rhs", &CommReducer::rhs),
                           Use("result", &CommReducer::result),
                           Use("identity", &CommReducer::identity));
  }
};

}  // namespace tenon

#endif  // TENON_IR_BUFFER_H_
