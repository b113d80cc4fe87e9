#ifndef TENON_IR_EXPR_H_
#define TENON_IR_EXPR_H_

#include <cstdint>
#include <string_view>

#include "ir/node.h"
#include "ir/types.h"

// Expressions. Arithmetic is total and the same in the interpreter, in C and in LLVM. Integers wrap
// at their dtype. A division by zero, a shift by the width or more and an access out of bounds are
// errors. Code generators may assume that they do not happen. The operands of a binary node have
// one dtype. Making a node does not fold or promote it: ir/const_fold.h and the parser do that
// where TIR does.

namespace tenon {

/// An integer or bool constant. Unsigned 64-bit values are stored as the int64 of the same bits.
struct IntImm : Tagged<NodeKind::kIntImm, Expr> {
  int64_t value;

  IntImm(DataType dtype, int64_t value) : Tagged(dtype), value(value) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("value", &IntImm::value));
  }
};

/// A floating-point constant, kept as the double in the text. Its value is that double rounded to
/// the dtype.
struct FloatImm : Tagged<NodeKind::kFloatImm, Expr> {
  double value;

  FloatImm(DataType dtype, double value) : Tagged(dtype), value(value) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("value", &FloatImm::value));
  }
};

/// A string. Occurs only as an argument of a call. The dtype is handle.
struct StringImm : Tagged<NodeKind::kStringImm, Expr> {
  std::string_view value;

  explicit StringImm(std::string_view value) : Tagged(DataType::Handle()), value(value) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("value", &StringImm::value));
  }
};

/// A variable: a loop counter, a let, a parameter or a pointer to storage. Two variables are the
/// same exactly when their addresses are. `flags & kSizeVar` marks TIR's SizeVar (never negative).
struct Var : Tagged<NodeKind::kVar, Expr> {
  static constexpr uint8_t kSizeVar = 1;
  Symbol name;
  const Type* type;

  Var(Symbol name, const Type* type) : Tagged(type->value_dtype()), name(name), type(type) {}
  bool is_size_var() const { return (flags & kSizeVar) != 0; }
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("name", &Var::name), Use("type", &Var::type));
  }
};

/// Conversion to `dtype`: integers truncate or extend by the source's signedness; to bool is `!=
/// 0`; float to integer goes toward zero, saturates, and NaN gives 0; float to float rounds to
/// nearest even.
struct Cast : Tagged<NodeKind::kCast, Expr> {
  const Expr* value;

  Cast(DataType dtype, const Expr* value) : Tagged(dtype), value(value) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("value", &Cast::value));
  }
};

/// The layout of all two-operand nodes.
struct BinaryExpr : Expr {
  const Expr* a;
  const Expr* b;

  BinaryExpr(NodeKind kind, DataType dtype, const Expr* a, const Expr* b)
      : Expr(kind, dtype), a(a), b(b) {}
  static bool ClassOf(const Node* node) {
    return node->kind >= NodeKind::kAdd && node->kind <= NodeKind::kOr;
  }
};

#define TENON_BINARY(Name, result_dtype)                                          \
  struct Name : Tagged<NodeKind::k##Name, BinaryExpr> {                           \
    Name(const Expr* a, const Expr* b) : Tagged(result_dtype, a, b) {}            \
    template <class = void>                                                       \
    static constexpr auto Fields() {                                              \
      return std::make_tuple(Use("a", &BinaryExpr::a), Use("b", &BinaryExpr::b)); \
    }                                                                             \
  };
#define TENON_ARITHMETIC(Name) TENON_BINARY(Name, a->dtype)
#define TENON_COMPARISON(Name) TENON_BINARY(Name, DataType::Bool(a->dtype.lanes()))
TENON_ARITHMETIC(Add)
TENON_ARITHMETIC(Sub)
TENON_ARITHMETIC(Mul)
/// Division as in C: toward zero for integers.
TENON_ARITHMETIC(Div)
/// Remainder as in C: with the sign of `a`; fmod for floats.
TENON_ARITHMETIC(Mod)
/// Division toward minus infinity.
TENON_ARITHMETIC(FloorDiv)
/// The remainder of FloorDiv, with the sign of `b`.
TENON_ARITHMETIC(FloorMod)
/// `a < b ? a : b`, so `b` if an operand is NaN.
TENON_ARITHMETIC(Min)
/// `a > b ? a : b`.
TENON_ARITHMETIC(Max)
TENON_COMPARISON(EQ)
TENON_COMPARISON(NE)
TENON_COMPARISON(LT)
TENON_COMPARISON(LE)
TENON_COMPARISON(GT)
TENON_COMPARISON(GE)
/// Logical and, or on bools. Both operands may be evaluated.
TENON_ARITHMETIC(And)
TENON_ARITHMETIC(Or)
#undef TENON_COMPARISON
#undef TENON_ARITHMETIC
#undef TENON_BINARY

/// Logical not of a bool.
struct Not : Tagged<NodeKind::kNot, Expr> {
  const Expr* a;

  explicit Not(const Expr* a) : Tagged(DataType::Bool(a->dtype.lanes())), a(a) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("a", &Not::a));
  }
};

/// `condition ? true_value : false_value`, lane by lane; both arms may be evaluated.
struct Select : Tagged<NodeKind::kSelect, Expr> {
  const Expr* condition;
  const Expr* true_value;
  const Expr* false_value;

  Select(const Expr* condition, const Expr* true_value, const Expr* false_value)
      : Tagged(true_value->dtype),
        condition(condition),
        true_value(true_value),
        false_value(false_value) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("condition", &Select::condition),
                           Use("true_value", &Select::true_value),
                           Use("false_value", &Select::false_value));
  }
};

/// `buffer[indices]`, one index per dimension. The last index may be a vector; the number of lanes
/// is the buffer's times the index's. `predicate` (null: all true) masks lanes.
struct BufferLoad : Tagged<NodeKind::kBufferLoad, Expr> {
  const Buffer* buffer;
  Span<const Expr*> indices;
  const Expr* predicate;

  BufferLoad(DataType dtype, const Buffer* buffer, Span<const Expr*> indices,
             const Expr* predicate = nullptr)
      : Tagged(dtype), buffer(buffer), indices(indices), predicate(predicate) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("buffer", &BufferLoad::buffer), Use("indices", &BufferLoad::indices),
                           Use("predicate", &BufferLoad::predicate));
  }
};

/// A load from a tensor that is not yet a buffer (before lowering from tensor expressions). Tenon
/// only reads and prints this node.
struct ProducerLoad : Tagged<NodeKind::kProducerLoad, Expr> {
  const Buffer* producer;
  Span<const Expr*> indices;

  ProducerLoad(DataType dtype, const Buffer* producer, Span<const Expr*> indices)
      : Tagged(dtype), producer(producer), indices(indices) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("producer", &ProducerLoad::producer),
                           Use("indices", &ProducerLoad::indices));
  }
};

/// The vector base, base + stride, ..., of `dtype.lanes()` elements.
struct Ramp : Tagged<NodeKind::kRamp, Expr> {
  const Expr* base;
  const Expr* stride;

  Ramp(const Expr* base, const Expr* stride, int lanes)
      : Tagged(base->dtype.with_lanes(lanes)), base(base), stride(stride) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("base", &Ramp::base), Use("stride", &Ramp::stride));
  }
};

/// A scalar repeated in `dtype.lanes()` lanes.
struct Broadcast : Tagged<NodeKind::kBroadcast, Expr> {
  const Expr* value;

  Broadcast(const Expr* value, int lanes) : Tagged(value->dtype.with_lanes(lanes)), value(value) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("value", &Broadcast::value));
  }
};

/// Lanes `indices` (constants) of the concatenation of `vectors`.
struct Shuffle : Tagged<NodeKind::kShuffle, Expr> {
  Span<const Expr*> vectors;
  Span<const Expr*> indices;

  Shuffle(DataType dtype, Span<const Expr*> vectors, Span<const Expr*> indices)
      : Tagged(dtype), vectors(vectors), indices(indices) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("vectors", &Shuffle::vectors), Use("indices", &Shuffle::indices));
  }
};

/// The value of `body` with `var` bound to `value`.
struct Let : Tagged<NodeKind::kLet, Expr> {
  const Expr* value;
  const Var* var;
  const Expr* body;

  Let(const Var* var, const Expr* value, const Expr* body)
      : Tagged(body->dtype), value(value), var(var), body(body) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("value", &Let::value), Def("var", &Let::var),
                           Use("body", &Let::body));
  }
};

/// A builtin (ir/builtins.h) applied to arguments, or, with the op `Module.f`, a call of the
/// function `callee` of the module. A call_extern or call_cpacked names its function in a StringImm
/// as first argument.
struct Call : Tagged<NodeKind::kCall, Expr> {
  const Op* op;
  Symbol callee;
  Span<const Expr*> args;

  Call(DataType dtype, const Op* op, Span<const Expr*> args, Symbol callee = {})
      : Tagged(dtype), op(op), callee(callee), args(args) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("op", &Call::op), Use("callee", &Call::callee),
                           Use("args", &Call::args));
  }
};

/// A reduction over `axis` in a tensor expression before lowering. Tenon only reads and prints this
/// node.
struct Reduce : Tagged<NodeKind::kReduce, Expr> {
  const CommReducer* combiner;
  Span<const IterVar*> axis;
  Span<const Expr*> source;
  Span<const Expr*> init;
  const Expr* condition;
  int64_t value_index;

  Reduce(DataType dtype, const CommReducer* combiner, Span<const Expr*> source,
         Span<const IterVar*> axis, const Expr* condition, int64_t value_index,
         Span<const Expr*> init)
      : Tagged(dtype),
        combiner(combiner),
        axis(axis),
        source(source),
        init(init),
        condition(condition),
        value_index(value_index) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple(Use("combiner", &Reduce::combiner), Def("axis", &Reduce::axis),
                           Use("source", &Reduce::source), Use("init", &Reduce::init),
                           Use("condition", &Reduce::condition),
                           Use("value_index", &Reduce::value_index));
  }
};

/// An unknown size in a shape.
struct Any : Tagged<NodeKind::kAny, Expr> {
  Any() : Tagged(DataType::Int(32)) {}
  template <class = void>
  static constexpr auto Fields() {
    return std::make_tuple();
  }
};

/// The value of an IntImm; null for other expressions.
inline const int64_t* AsIntImm(const Expr* expr) {
  const auto* imm = dyn_cast_or_null<IntImm>(expr);
  return imm == nullptr ? nullptr : &imm->value;
}
inline bool IsConstInt(const Expr* expr, int64_t value) {
  const int64_t* imm = AsIntImm(expr);
  return imm != nullptr && *imm == value;
}

}  // namespace tenon

#endif  // TENON_IR_EXPR_H_
