// Expressions as text, with the precedence of the outermost operator and the depth of brackets.
// Deep text goes to a variable, except under a condition, where nothing may be computed early.

#include <fmt/format.h>

#include "ir/builtins.h"
#include "lowering/c/c_internal.h"

namespace tenon::c_lowering {

namespace {

/// More deeply nested text is put into a variable. clang's limit is 256 brackets.
constexpr int kMostDepth = 40;

/// An expression that is evaluated under a condition cannot be put into a variable before it. This
/// limits the length of its text.
constexpr size_t kMostText = size_t{1} << 20;

bool IsSmallFloat(DataType dtype) { return dtype == DataType::Float(16) || dtype.is_bfloat16(); }

const char* SmallFloatName(DataType dtype) { return dtype.is_bfloat16() ? "bf16" : "f16"; }

}  // namespace

std::string FunctionEmitter::In(Text text, Binding at_least) {
  return text.binding < at_least ? fmt::format("({})", text.text) : std::move(text.text);
}

std::string FunctionEmitter::In(const Expr* expr, Binding at_least) {
  return In(Expression(expr), at_least);
}

Text FunctionEmitter::Unsupported(const Expr* expr, std::string_view what) {
  state_.Error(expr->range, fmt::format("cannot generate C for {}", what));
  return {"0", Binding::kPrimary, 1};
}

Text FunctionEmitter::Settle(Text text, const Expr* expr) {
  if (text.depth <= kMostDepth || guards_ > 0 || expr->dtype.is_handle() || expr->dtype.is_void())
    return text;
  const std::string name = names_.Unique(fmt::format("t{}", ++temporaries_));
  Line(fmt::format("const {} {} = {}{};", CType(expr->dtype), name,
                   expr->dtype.is_bool() ? "(uint8_t)" : "", In(std::move(text), Binding::kUnary)));
  return {name, Binding::kPrimary, 1};
}

Text FunctionEmitter::Expression(const Expr* expr) {
  return WithStack([&] {
    Text text = Settle(ExpressionOf(expr), expr);
    if (text.text.size() <= kMostText) return text;
    return Unsupported(expr, "an expression of more than a mebibyte that only runs on a condition");
  });
}

Text FunctionEmitter::Variable(const Var* var) {
  const auto found = inline_lets_.find(var);
  if (found != inline_lets_.end()) return {found->second, Binding::kPrimary, 2};
  const auto declared = name_of_.find(var);
  if (declared != name_of_.end()) {
    read_.insert(declared->second);
    return {declared->second, Binding::kPrimary, 1};
  }
  // The interface does not pass unknown extents and offsets of parameters.
  return Unsupported(var,
                     fmt::format("the variable `{}`, which has no value here", var->name.view()));
}

Text FunctionEmitter::ExpressionOf(const Expr* expr) {
  if (!expr->dtype.is_scalar() && !expr->dtype.is_void()) {
    return Unsupported(
        expr, fmt::format("a vector of dtype `{}` (run lower-vectors)", expr->dtype.ToString()));
  }
  if (IsSmallFloat(expr->dtype) &&
      (isa<BinaryExpr>(expr) || isa<Call>(expr) || isa<FloatImm>(expr))) {
    return SmallFloat(expr);
  }
  switch (expr->kind) {
    case NodeKind::kIntImm:
      return {IntLiteral(cast<IntImm>(expr)->value, expr->dtype), Binding::kPrimary, 1};
    case NodeKind::kFloatImm:
      return {FloatLiteral(cast<FloatImm>(expr)->value, expr->dtype), Binding::kPrimary, 1};
    case NodeKind::kVar:
      return Variable(cast<Var>(expr));
    case NodeKind::kCast:
      return CastTo(cast<Cast>(expr));
    case NodeKind::kNot: {
      Text inner = Expression(cast<Not>(expr)->a);
      const int depth = inner.depth + 1;
      return {fmt::format("!{}", In(std::move(inner), Binding::kPrimary)), Binding::kUnary, depth};
    }
    case NodeKind::kSelect: {
      const auto* select = cast<Select>(expr);
      return Ternary(select->condition, select->true_value, select->false_value);
    }
    case NodeKind::kBufferLoad:
      return Load(cast<BufferLoad>(expr));
    case NodeKind::kCall:
      return CallText(cast<Call>(expr));
    case NodeKind::kLet: {
      const auto* let = cast<Let>(expr);
      // The text of an unused address would count as a use of its pointer.
      if (let->var->dtype.is_handle() && !IsUsed(let->var, 1)) return Expression(let->body);
      Text value = Expression(let->value);
      if (let->var->dtype.is_handle()) {
        inline_lets_[let->var] = fmt::format("({})", value.text);
        return Expression(let->body);
      }
      if (guards_ > 0) return GuardedLet(let, std::move(value));
      Line(fmt::format("const {} {} = {};", CType(let->var->dtype), Declare(let->var), value.text));
      const size_t after = out_.size();
      Text body = Expression(let->body);
      NoteIfUnread(name_of_.at(let->var), after);
      return body;
    }
    default:
      if (isa<BinaryExpr>(expr)) return Arithmetic(static_cast<const BinaryExpr*>(expr));
      return Unsupported(expr, fmt::format("a {}", NodeKindName(expr->kind)));
  }
}

/// The value may only be computed under its condition: the variable is declared before the
/// statement and assigned in the expression. Repeating the value at each use would double the text
/// for every let inside a let.
Text FunctionEmitter::GuardedLet(const Let* let, Text value) {
  const std::string name = Declare(let->var);
  Line(fmt::format("{} {};", CType(let->var->dtype), name));
  const size_t after = out_.size();
  const Text body = Expression(let->body);
  NoteIfUnread(name_of_.at(let->var), after);
  return {fmt::format("({} = {}, {})", name, value.text, body.text), Binding::kPrimary,
          std::max(value.depth, body.depth) + 1};
}

Text FunctionEmitter::Ternary(const Expr* condition, const Expr* a, const Expr* b) {
  Text test = Expression(condition);
  ++guards_;
  Text yes = Expression(a);
  Text no = Expression(b);
  --guards_;
  if (a->dtype.is_handle()) {
    // C has no common type for pointers to different types.
    yes = {fmt::format("(void*){}", In(std::move(yes), Binding::kUnary)), Binding::kUnary};
    no = {fmt::format("(void*){}", In(std::move(no), Binding::kUnary)), Binding::kUnary};
  }
  const int depth = std::max({test.depth, yes.depth, no.depth}) + 1;
  const bool small = a->dtype.is_integer() && a->dtype.bits() < 32;
  std::string text = fmt::format("{} ? {} : {}", In(std::move(test), Binding::kOr),
                                 In(std::move(yes), Binding::kOr), In(std::move(no), Binding::kOr));
  if (small && !a->dtype.is_bool())
    return {fmt::format("({})({})", CType(a->dtype), text), Binding::kUnary, depth + 1};
  return {std::move(text), Binding::kTernary, depth};
}

/// Values of float16 and bfloat16 are held as their bits. Arithmetic is done in float and rounded
/// after each operation.
Text FunctionEmitter::SmallFloat(const Expr* expr) {
  const char* name = SmallFloatName(expr->dtype);
  const DataType wide = DataType::Float(32);
  NodeBuilder builder(state_.module.context(), arena_);
  if (const auto* imm = dyn_cast<FloatImm>(expr)) {
    return {fmt::format("tenon_f32_to_{}({})", name, FloatLiteral(imm->value, wide)),
            Binding::kPrimary, 2};
  }
  const Expr* widened = nullptr;
  if (isa<BinaryExpr>(expr)) {
    const auto* node = static_cast<const BinaryExpr*>(expr);
    BinaryExpr copy = *node;
    copy.a = builder.New<Cast>(node->a->range, wide, node->a);
    copy.b = builder.New<Cast>(node->b->range, wide, node->b);
    copy.dtype = wide;
    widened = arena_.New<BinaryExpr>(copy);
  } else {
    const auto* call = cast<Call>(expr);
    if (call->op->kind == OpKind::kIfThenElse)
      return Ternary(call->args[0], call->args[1], call->args[2]);
    if (call->op->kind == OpKind::kReinterpret) return CallText(call);
    std::vector<const Expr*> args;
    for (const Expr* arg : call->args) {
      args.push_back(arg->dtype == expr->dtype ? builder.New<Cast>(arg->range, wide, arg) : arg);
    }
    widened = builder.New<Call>(call->range, wide, call->op, arena_.Copy(args), call->callee);
  }
  Text text = ExpressionOf(widened);
  return {fmt::format("tenon_f32_to_{}({})", name, text.text), Binding::kPrimary, text.depth + 1};
}

Text FunctionEmitter::Widened(const Expr* expr) {
  Text text = Expression(expr);
  if (!IsSmallFloat(expr->dtype)) return text;
  return {fmt::format("tenon_{}_to_f32({})", SmallFloatName(expr->dtype), text.text),
          Binding::kPrimary, text.depth + 1};
}

std::string FunctionEmitter::SingleOf(DataType from, Text value) {
  if (from == DataType::Float(32)) return std::move(value.text);
  // If float cannot represent the value exactly, the rounding to float must not affect the next
  // rounding.
  if (from.bits() > 32 || (from.is_integer() && from.bits() == 32)) {
    const std::string_view kind = from.is_int() ? "i64" : from.is_uint() ? "u64" : "f64";
    return fmt::format("tenon_{}_to_odd_f32({})", kind, value.text);
  }
  return fmt::format("(float){}", In(std::move(value), Binding::kUnary));
}

Text FunctionEmitter::CastTo(const Cast* node) {
  const DataType to = node->dtype;
  const DataType from = node->value->dtype;
  Text value = Expression(node->value);
  const int depth = value.depth + 1;
  if (IsSmallFloat(from) && from != to) {
    value = {fmt::format("tenon_{}_to_f32({})", SmallFloatName(from), value.text),
             Binding::kPrimary, depth};
    if (to == DataType::Float(32)) return value;
  }
  const DataType middle = IsSmallFloat(from) ? DataType::Float(32) : from;
  if (IsSmallFloat(to)) {
    if (from == to) return value;
    return {
        fmt::format("tenon_f32_to_{}({})", SmallFloatName(to), SingleOf(middle, std::move(value))),
        Binding::kPrimary, depth + 1};
  }
  if (to.is_float8() || from.is_float8())
    return Unsupported(node, "a float8 conversion (run legalize-small-floats)");
  if (to.is_bool()) {
    if (middle.is_bool()) return value;
    return {fmt::format("{} != 0", In(std::move(value), Binding::kShift)), Binding::kEqual, depth};
  }
  if (middle.is_floating() && to.is_integer()) {
    return {fmt::format("tenon_{}_to_{}({})", TypeSuffix(middle), TypeSuffix(to), value.text),
            Binding::kPrimary, depth};
  }
  if (to.is_handle()) return {fmt::format("(void*)({})", value.text), Binding::kUnary, depth};
  if (CType(to).empty()) return Unsupported(node, fmt::format("dtype `{}`", to.ToString()));
  if (value.wraps && to == DataType::UInt(from.bits()))
    return {Unsigned(node->value, std::move(value), CType(to)), Binding::kPrimary, depth};
  return {fmt::format("({}){}", CType(to), In(std::move(value), Binding::kUnary)), Binding::kUnary,
          depth};
}

std::string FunctionEmitter::Element(const Buffer* buffer, Span<const Expr*> indices,
                                     SourceRange range, bool is_stored) {
  if (indices.size() > 1) {
    state_.Error(
        range,
        fmt::format("buffer `{}` has {} dimensions; C needs flat buffers (run flatten-buffers)",
                    buffer->name.view(), indices.size()));
    return "*(int*)0";
  }
  if (!buffer->dtype.is_scalar()) {
    state_.Error(range, fmt::format("buffer `{}` has vector elements (run lower-vectors)",
                                    buffer->name.view()));
  }
  const std::string index = indices.empty() ? "0" : Argument(indices[0]);
  const Type& type = *buffer->data->type;
  const std::string& name = NameOf(buffer->data);
  const bool has_type = type.is_pointer() && ElementType(type.dtype) == ElementType(buffer->dtype);
  if (!is_stored || !has_type || !arrays_.contains(buffer->data)) read_.insert(name);
  if (has_type) return fmt::format("{}[{}]", name, index);
  const char* qualifier = IsConst(buffer->data) ? "const " : "";
  return fmt::format("(({}{}*){})[{}]", qualifier, ElementType(buffer->dtype), name, index);
}

Text FunctionEmitter::Load(const BufferLoad* load) {
  if (load->predicate != nullptr && !IsConstInt(load->predicate, 1)) {
    return Unsupported(load, "a load with a predicate (run lower-vectors)");
  }
  const int depth = load->indices.empty() ? 1 : 2;
  std::string element = Element(load->buffer, load->indices, load->range);
  if (!load->dtype.is_bool()) return {std::move(element), Binding::kPrimary, depth};
  return {fmt::format("{} != 0", element), Binding::kEqual, depth};
}

}  // namespace tenon::c_lowering
