// Stores of vectors in GNU C's vector types, apart from scalar expressions, which these types do
// not mix with. No vector is passed to a function, because the calling convention depends on
// compiler flags.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ir/analysis/gnu_vectors.h"
#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "lowering/c/c_internal.h"
#include "lowering/short_products.h"

// Signed integers wrap, so their sums use unsigned vectors. A condition is a mask: a vector of
// signed integers that are 0 or -1. A choice combines bits by the mask, since C (unlike C++) has no
// `?:` for vectors.

namespace tenon::c_lowering {

namespace {

/// More deeply nested text is put into a variable.
constexpr int kMostVectorDepth = 12;

/// Bytes of the widest elements in the computation of a value.
int WidestElement(const Expr* value) {
  int64_t bytes = value->dtype.element_bytes();
  Walk(value, [&](const Node* node) {
    if (isa<Buffer>(node) || !isa<Expr>(node)) return !isa<Buffer>(node);
    const DataType dtype = static_cast<const Expr*>(node)->dtype;
    if (dtype.lanes() > 1) bytes = std::max(bytes, dtype.element_bytes());
    return dtype.lanes() > 1;
  });
  return static_cast<int>(bytes);
}

std::string_view OperatorText(NodeKind kind) {
  switch (kind) {
    case NodeKind::kAdd:
      return "+";
    case NodeKind::kSub:
      return "-";
    case NodeKind::kMul:
      return "*";
    case NodeKind::kDiv:
      return "/";
    case NodeKind::kEQ:
      return "==";
    case NodeKind::kNE:
      return "!=";
    case NodeKind::kLT:
      return "<";
    case NodeKind::kLE:
      return "<=";
    case NodeKind::kGT:
      return ">";
    case NodeKind::kGE:
      return ">=";
    case NodeKind::kAnd:
      return "&";
    default:
      return "|";
  }
}

}  // namespace

/// Emits one store, piece by piece. All reads come before all writes.
class VectorEmitter {
 public:
  explicit VectorEmitter(FunctionEmitter& function)
      : f_(function), builder_(function.state_.module.context(), function.arena_) {}

  void Store(const BufferStore* store, const Expr* value) {
    const int lanes = value->dtype.lanes();
    piece_ =
        std::min(lanes, static_cast<int>(f_.state_.options.vector_bytes) / WidestElement(value));
    const auto* place = cast<Ramp>(store->indices[0]);
    // An address that depends on memory is computed before memory changes.
    bool varies = false;
    Walk(place->base, [&](const Node* node) {
      varies |= isa<BufferLoad>(node) || isa<Call>(node);
      return !varies;
    });
    const Expr* base = place->base;
    if (varies) {
      const Var* at = builder_.NewVar("at", base->dtype, base->range);
      const Text text = f_.Expression(base);
      f_.Line(fmt::format("const {} {} = {};", CType(base->dtype), f_.Declare(at), text.text));
      base = at;
    }
    std::vector<std::string> values;
    for (first_ = 0; first_ < lanes; first_ += piece_) {
      vectors_.clear();
      masks_.clear();
      Text text = Vector(value);
      if (piece_ < lanes) text = Named(std::move(text), Type(value->dtype));
      values.push_back(std::move(text.text));
    }
    for (size_t i = 0; i < values.size(); ++i) {
      first_ = static_cast<int>(i) * piece_;
      f_.Line(fmt::format("{} = {};", Place(store->buffer, base, store->range, false), values[i]));
    }
  }

 private:
  /// A mask, and the number of bits of its elements.
  struct Mask {
    Text text;
    int bits = 0;
  };

  /// The name of the vector type of a piece. Adds its typedef.
  std::string Type(DataType dtype, bool in_memory = false) {
    const DataType element = dtype.element();
    const int64_t bytes = element.element_bytes();
    const std::string name =
        fmt::format("tenon_{}x{}{}", TypeSuffix(element), piece_, in_memory ? "_u" : "");
    std::string& definition = f_.state_.vector_types[name];
    if (definition.empty()) {
      definition =
          fmt::format("typedef {} {} __attribute__((vector_size({}){}));\n", CType(element), name,
                      bytes * piece_,
                      in_memory ? fmt::format(", aligned({}), may_alias", bytes) : std::string());
    }
    return name;
  }

  static Text Unary(std::string text, int depth) {
    return {std::move(text), Binding::kUnary, depth};
  }

  Text As(const std::string& type, Text text) {
    const int depth = text.depth + 1;
    return Unary(fmt::format("({}){}", type, f_.In(std::move(text), Binding::kUnary)), depth);
  }

  Text Settled(Text text, const std::string& type) {
    const std::string name = f_.names_.Unique(fmt::format("t{}", ++f_.temporaries_));
    f_.Line(fmt::format("const {} {} = {};", type, name, text.text));
    return {name, Binding::kPrimary, 1};
  }

  /// Puts a text that is used more than once into a variable.
  Text Named(Text text, const std::string& type) {
    return text.depth == 1 ? text : Settled(std::move(text), type);
  }

  /// The piece of a row in memory, as an lvalue.
  std::string Place(const Buffer* buffer, const Expr* base, SourceRange range, bool is_const) {
    std::string wrong;
    const Expr* first = builder_.Int(base->dtype, first_);
    const Expr* index =
        first_ == 0 ? base : Operator(builder_, NodeKind::kAdd, base, first, range, &wrong);
    const Expr* indices[] = {index};
    const std::string element = f_.Element(buffer, Span<const Expr*>(indices, 1), range);
    return fmt::format("*({}{}*)&{}", is_const ? "const " : "", Type(buffer->dtype, true), element);
  }

  /// A scalar in every lane.
  Text Splat(const Expr* scalar) {
    const auto [known, added] = splats_.emplace(scalar, "");
    if (!added) return {known->second, Binding::kPrimary, 1};
    std::string text;
    if (isa<IntImm>(scalar) || isa<FloatImm>(scalar)) {
      text = f_.Expression(scalar).text;
    } else {
      text = f_.names_.Unique("v");
      const std::string value = f_.Expression(scalar).text;
      f_.Line(fmt::format("const {} {} = {};", CType(scalar->dtype), text, value));
    }
    const std::string name = SplatOf(scalar->dtype, text);
    splats_[scalar] = name;
    return {name, Binding::kPrimary, 1};
  }

  std::string SplatOf(DataType dtype, std::string_view text) {
    return Settled({fmt::format("{{TENON_SPLAT_{}({})}}", piece_, text)}, Type(dtype)).text;
  }

  /// A zero in every lane.
  Text Zero(DataType dtype) {
    std::string& name = zeros_[Type(dtype)];
    if (name.empty()) {
      const DataType element = dtype.element();
      name =
          SplatOf(dtype, element.is_integer() ? IntLiteral(0, element) : FloatLiteral(0, element));
    }
    return {name, Binding::kPrimary, 1};
  }

  Text Vector(const Expr* expr) {
    if (const auto known = vectors_.find(expr); known != vectors_.end()) return known->second;
    return WithStack([&] {
      Text text = VectorOf(expr);
      if (text.depth > kMostVectorDepth) text = Settled(std::move(text), Type(expr->dtype));
      vectors_[expr] = text;
      return text;
    });
  }

  Text VectorOf(const Expr* expr) {
    if (std::optional<Text> products = ShortProducts(expr)) return *std::move(products);
    if (std::optional<Text> product = LongProduct(expr)) return *std::move(product);
    switch (expr->kind) {
      case NodeKind::kBroadcast:
        return Splat(cast<Broadcast>(expr)->value);
      case NodeKind::kRamp:
        return RampOf(cast<Ramp>(expr));
      case NodeKind::kBufferLoad: {
        const auto* load = cast<BufferLoad>(expr);
        const auto* row = cast<Ramp>(load->indices[0]);
        return Unary(Place(load->buffer, row->base, load->range, true), 2);
      }
      case NodeKind::kSelect: {
        const auto* select = cast<Select>(expr);
        Text mask = MaskOfBits(select->condition, expr->dtype.bits());
        Text yes = Vector(select->true_value);
        return Choice(expr->dtype, std::move(mask), std::move(yes), Vector(select->false_value));
      }
      case NodeKind::kMin:
      case NodeKind::kMax:
        return MinMax(static_cast<const BinaryExpr*>(expr));
      case NodeKind::kCast:
        return Conversion(cast<Cast>(expr));
      case NodeKind::kCall:
        return CallOnLanes(cast<Call>(expr));
      default: {
        const auto* node = static_cast<const BinaryExpr*>(expr);
        const Binding binding = isa<Mul>(expr) || isa<Div>(expr) ? Binding::kMul : Binding::kAdd;
        Text a = Vector(node->a);
        return Wrapping(expr->dtype, OperatorText(expr->kind), binding, std::move(a),
                        Vector(node->b));
      }
    }
  }

  /// The factors of a product in 16 bits.
  std::optional<ShortProduct> InShort(std::optional<ShortProduct> product) {
    if (!product) return std::nullopt;
    for (const Expr** factor : {&product->vector, &product->other}) {
      const DataType from = (*factor)->dtype;
      if (from.element() == DataType::Int(16)) continue;
      *factor =
          builder_.New<Cast>((*factor)->range, DataType::Int(16).with_lanes(from.lanes()), *factor);
    }
    return product;
  }

  /// One load of two 16-bit numbers that are adjacent in memory; empty if they are not.
  std::string PairInMemory(const Expr* low, const Expr* high) {
    const auto* first = dyn_cast<BufferLoad>(low);
    const auto* second = dyn_cast<BufferLoad>(high);
    if (first == nullptr || second == nullptr || first->buffer != second->buffer) return {};
    const Expr* index = first->indices[0];
    const Expr* next = builder_.New<Add>({}, index, builder_.Int(index->dtype, 1));
    if (!f_.analyzer_.CanProveEqual(next, second->indices[0])) return {};
    return fmt::format("tenon_pair_at(&{})",
                       f_.Element(first->buffer, first->indices, first->range));
  }

  /// The sum of two products of 16-bit numbers, or one product, for piece sizes with fast
  /// instructions.
  std::optional<Text> ShortProducts(const Expr* expr) {
    if (expr->dtype.element() != DataType::Int(32) || (piece_ != 4 && piece_ != 8 && piece_ != 16))
      return std::nullopt;
    std::optional<ShortProduct> first = InShort(AsShortProduct(expr));
    std::optional<ShortProduct> second;
    if (const auto* sum = dyn_cast<Add>(expr)) {
      first = InShort(AsShortProduct(sum->a));
      second = InShort(AsShortProduct(sum->b));
      if (!second) return std::nullopt;
    }
    if (!first) return std::nullopt;
    if (second && first->other->dtype.is_scalar() != second->other->dtype.is_scalar())
      return std::nullopt;
    f_.state_.has_lane_macros = true;
    const auto text = [&](const Expr* factor) {
      return factor->dtype.is_scalar() ? f_.Expression(factor).text : Vector(factor).text;
    };
    const std::string a = text(first->vector);
    const std::string c = second ? text(second->vector) : a;
    if (first->other->dtype.is_scalar()) {
      std::string pair;
      if (second) pair = PairInMemory(first->other, second->other);
      if (pair.empty()) {
        pair = fmt::format("tenon_pair({}, {})", text(first->other),
                           second ? text(second->other) : "0");
      }
      return Settled({fmt::format("(({})TENON_PRODUCTS_BY_PAIR_{}({}, {}, {}))", Type(expr->dtype),
                                  piece_, a, c, pair)},
                     Type(expr->dtype));
    }
    const std::string b = text(first->other);
    const std::string d = second ? text(second->other) : Zero(first->other->dtype).text;
    return Settled({fmt::format("(({})TENON_PRODUCTS_{}({}, {}, {}, {}))", Type(expr->dtype),
                                piece_, a, b, c, d)},
                   Type(expr->dtype));
  }

  /// `a op b`; computed on unsigned vectors if the elements are signed integers.
  Text Wrapping(DataType dtype, std::string_view op, Binding binding, Text a, Text b) {
    if (!dtype.is_int()) return f_.Infix(op, binding, std::move(a), std::move(b));
    const std::string type = Type(DataType::UInt(dtype.bits()));
    const Text sum =
        f_.Infix(op, binding, AsUnsigned(type, std::move(a)), AsUnsigned(type, std::move(b)));
    Text text = As(Type(dtype), sum);
    text.wraps = true;
    return text;
  }

  /// A result of an unsigned operation needs no cast to signed and back.
  Text AsUnsigned(const std::string& type, Text text) {
    if (!text.wraps) return As(type, std::move(text));
    return {text.text.substr(text.text.find(')') + 1), Binding::kPrimary, text.depth};
  }

  Text RampOf(const Ramp* ramp) {
    const DataType dtype = ramp->dtype;
    std::string lanes;
    for (int i = 0; i < piece_; ++i) {
      lanes += fmt::format("{}{}", i == 0 ? "" : ", ", IntLiteral(first_ + i, dtype.element()));
    }
    Text numbers = Settled({fmt::format("{{{}}}", lanes)}, Type(dtype));
    Text steps = Wrapping(dtype, "*", Binding::kMul, std::move(numbers), Splat(ramp->stride));
    return Wrapping(dtype, "+", Binding::kAdd, Splat(ramp->base), std::move(steps));
  }

  /// Bits of `yes` where the mask is one, and of `no` where it is zero.
  Text Choice(DataType dtype, Text mask, Text yes, Text no) {
    const std::string type = Type(DataType::Int(dtype.bits()));
    mask = Named(std::move(mask), type);
    if (!dtype.is_int()) {
      yes = As(type, std::move(yes));
      no = As(type, std::move(no));
    }
    const int depth = std::max(yes.depth, no.depth) + 2;
    Text bits = {
        fmt::format("({0} & {1}) | (~{0} & {2})", mask.text, f_.In(std::move(yes), Binding::kUnary),
                    f_.In(std::move(no), Binding::kUnary)),
        Binding::kBitOr, depth};
    return dtype.is_int() ? bits : As(Type(dtype), std::move(bits));
  }

  /// Vectors of this size have macros in tenon_products.h.
  bool HasMacro() const { return piece_ == 4 || piece_ == 8 || piece_ == 16; }

  /// A macro of tenon_products.h.
  Text LaneMacro(const std::string& type, std::string_view name, std::string_view args) {
    f_.state_.has_lane_macros = true;
    return Unary(fmt::format("({})TENON_{}_{}({})", type, name, piece_, args), 2);
  }

  /// The product of 32-bit numbers as 64-bit numbers.
  std::optional<Text> LongProduct(const Expr* expr) {
    const auto* product = dyn_cast<Mul>(expr);
    if (product == nullptr || piece_ != 8 || expr->dtype.element() != DataType::Int(64))
      return std::nullopt;
    const auto* a = dyn_cast<Cast>(product->a);
    const auto* b = dyn_cast<Cast>(product->b);
    const auto is_long = [](const Cast* cast) {
      return cast != nullptr && cast->value->dtype.element() == DataType::Int(32);
    };
    if (!is_long(a) || !is_long(b)) return std::nullopt;
    const std::string first = Vector(a->value).text;
    return LaneMacro(Type(expr->dtype), "LONG_PRODUCTS",
                     fmt::format("{}, {}", first, Vector(b->value).text));
  }

  Text MinMax(const BinaryExpr* node) {
    const std::string type = Type(node->dtype);
    const Text a = Named(Vector(node->a), type);
    const Text b = Named(Vector(node->b), type);
    if (a.text == b.text) return a;
    const DataType element = node->dtype.element();
    if ((element == DataType::Int(32) || element == DataType::Float(32)) && HasMacro()) {
      return LaneMacro(
          type,
          fmt::format("{}_{}32", isa<Min>(node) ? "MIN" : "MAX", element.is_float() ? "F" : "I"),
          fmt::format("{}, {}", a.text, b.text));
    }
    Text mask = Unary(fmt::format("({})({} {} {})", Type(DataType::Int(node->dtype.bits())), a.text,
                                  isa<Min>(node) ? "<" : ">", b.text),
                      2);
    return Choice(node->dtype, std::move(mask), a, b);
  }

  /// Converts integers to another width by repeated halving or doubling: some compilers convert
  /// other ratios lane by lane.
  Text Resized(Text text, DataType from, DataType to) {
    DataType now = from.element();
    const bool is_int = now.is_int() && to.is_int() && piece_ == 8;
    if (is_int && now.bits() == 32 && to.bits() == 64)
      return LaneMacro(Type(to), "LONG", text.text);
    if (is_int && now.bits() == 64 && to.bits() == 32) return LaneMacro(Type(to), "LOW", text.text);
    while (now.bits() != to.bits()) {
      now = now.with_bits(now.bits() < to.bits() ? now.bits() * 2 : now.bits() / 2);
      const int depth = text.depth + 1;
      text = {fmt::format("__builtin_convertvector({}, {})", text.text, Type(now)),
              Binding::kPrimary, depth};
    }
    return now == to.element() ? text : As(Type(to), std::move(text));
  }

  Text Conversion(const Cast* cast) {
    const DataType from = cast->value->dtype;
    const DataType to = cast->dtype;
    if (from.is_bool()) {
      // -1 becomes 1.
      const DataType number = DataType::Int(to.bits());
      Text mask = MaskOfBits(cast->value, to.bits());
      Text ones = Unary(fmt::format("-{}", f_.In(std::move(mask), Binding::kPrimary)), 3);
      if (to == number.with_lanes(to.lanes())) return ones;
      return to.is_uint() ? As(Type(to), std::move(ones)) : Converted(std::move(ones), to);
    }
    Text value = Vector(cast->value);
    if (from == to) return value;
    if (to.is_integer()) return Resized(std::move(value), from, to);
    // int32 represents all small integers.
    if (from.is_integer() && from.bits() < 32) {
      value = Resized(std::move(value), from, DataType::Int(32));
    }
    return Converted(std::move(value), to);
  }

  Text Converted(Text value, DataType to) {
    const int depth = value.depth + 1;
    return {fmt::format("__builtin_convertvector({}, {})", value.text, Type(to)), Binding::kPrimary,
            depth};
  }

  Text CallOnLanes(const Call* call) {
    const DataType dtype = call->dtype;
    Text a = Vector(call->args[0]);
    const std::string type = Type(dtype);
    switch (call->op->kind) {
      case OpKind::kReinterpret:
        return As(type, std::move(a));
      case OpKind::kBitwiseNot: {
        const int depth = a.depth + 1;
        return Unary(fmt::format("~{}", f_.In(std::move(a), Binding::kPrimary)), depth);
      }
      case OpKind::kShiftLeft:
        return Wrapping(dtype, "<<", Binding::kShift, std::move(a), Vector(call->args[1]));
      case OpKind::kShiftRight:
        // GNU C's >> of signed numbers is arithmetic.
        return Bitwise(">>", std::move(a), Vector(call->args[1]));
      default:
        return Bitwise(BitOperator(call->op->kind), std::move(a), Vector(call->args[1]));
    }
  }

  static std::string_view BitOperator(OpKind kind) {
    return kind == OpKind::kBitwiseAnd ? "&" : kind == OpKind::kBitwiseOr ? "|" : "^";
  }

  /// With parentheses, since compilers warn about mixed bitwise operators.
  Text Bitwise(std::string_view op, Text a, Text b) {
    const int depth = std::max(a.depth, b.depth) + 1;
    return {fmt::format("({} {} {})", f_.In(std::move(a), Binding::kUnary), op,
                        f_.In(std::move(b), Binding::kUnary)),
            Binding::kPrimary, depth};
  }

  Mask MaskOf(const Expr* expr) {
    if (const auto known = masks_.find(expr); known != masks_.end()) return known->second;
    return WithStack([&] {
      Mask mask = NewMask(expr);
      if (mask.text.depth > kMostVectorDepth) {
        mask.text = Settled(std::move(mask.text), Type(DataType::Int(mask.bits)));
      }
      masks_[expr] = mask;
      return mask;
    });
  }

  Text MaskOfBits(const Expr* expr, int bits) {
    Mask mask = MaskOf(expr);
    return Resized(std::move(mask.text), DataType::Int(mask.bits), DataType::Int(bits));
  }

  Mask NewMask(const Expr* expr) {
    if (const auto* cast = dyn_cast<Cast>(expr)) {
      if (cast->value->dtype.is_bool()) return MaskOf(cast->value);
      Text value = Vector(cast->value);
      return Compared("!=", cast->value->dtype, std::move(value), Zero(cast->value->dtype));
    }
    if (const auto* negation = dyn_cast<Not>(expr)) return Negated(negation->a);
    if (const auto* call = dyn_cast<Call>(expr)) {
      if (call->op->kind == OpKind::kBitwiseNot) return Negated(call->args[0]);
      return Combined(BitOperator(call->op->kind), call->args[0], call->args[1]);
    }
    const auto* node = static_cast<const BinaryExpr*>(expr);
    const std::string_view op = OperatorText(expr->kind);
    if (isa<And>(expr) || isa<Or>(expr)) return Combined(op, node->a, node->b);
    Text a = Vector(node->a);
    return Compared(op, node->a->dtype, std::move(a), Vector(node->b));
  }

  Mask Negated(const Expr* a) {
    Mask mask = MaskOf(a);
    const int depth = mask.text.depth + 1;
    return {Unary(fmt::format("~{}", f_.In(std::move(mask.text), Binding::kPrimary)), depth),
            mask.bits};
  }

  Mask Combined(std::string_view op, const Expr* a, const Expr* b) {
    Mask left = MaskOf(a);
    return {Bitwise(op, std::move(left.text), MaskOfBits(b, left.bits)), left.bits};
  }

  Mask Compared(std::string_view op, DataType dtype, Text a, Text b) {
    // Compilers warn about a comparison of a value with itself.
    if (a.text == b.text) a = Settled(std::move(a), Type(dtype));
    const int depth = std::max(a.depth, b.depth) + 2;
    return {Unary(fmt::format("({})({} {} {})", Type(DataType::Int(dtype.bits())),
                              f_.In(std::move(a), Binding::kUnary), op,
                              f_.In(std::move(b), Binding::kUnary)),
                  depth),
            dtype.bits()};
  }

  FunctionEmitter& f_;
  NodeBuilder builder_;
  int piece_ = 0;  ///< lanes of a piece
  int first_ = 0;  ///< first lane of the current piece
  /// Texts of the current piece.
  absl::flat_hash_map<const Expr*, Text> vectors_;
  absl::flat_hash_map<const Expr*, Mask> masks_;
  /// Variables that all pieces share.
  absl::flat_hash_map<const Expr*, std::string> splats_;
  absl::flat_hash_map<std::string, std::string> zeros_;
};

void FunctionEmitter::VectorStatement(const BufferStore* store, const Expr* value) {
  const auto body = [&](const Expr* of) {
    const size_t names = names_.Mark();
    const int temporaries = temporaries_;
    ++indent_;
    if (AsScalarChoice(of).condition != nullptr) {
      WithStack([&] { VectorStatement(store, of); });
    } else {
      VectorEmitter(*this).Store(store, of);
    }
    --indent_;
    names_.Rewind(names);
    temporaries_ = temporaries;
  };
  const ScalarChoice choice = AsScalarChoice(value);
  if (choice.condition == nullptr) {
    Line("{");
    body(value);
    return Line("}");
  }
  Line(fmt::format("if ({}) {{", Argument(choice.condition)));
  {
    const Analyzer::Scope scope(analyzer_);
    analyzer_.Assume(choice.condition);
    body(choice.yes);
  }
  Line("} else {");
  body(choice.no);
  Line("}");
}

}  // namespace tenon::c_lowering
