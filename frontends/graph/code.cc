#include "frontends/graph/code.h"

#include <algorithm>
#include <utility>

#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "support/check.h"

namespace tenon::graph {

namespace {

/// True if constant folding would use a rule that does not hold for NaN, infinities or -0: `x * 0`
/// and `0 / x` are not always 0, and `x + 0` is not always x.
bool IsWrongForSpecialFloats(NodeKind kind, const Expr* a, const Expr* b) {
  const auto is_zero = [](const Expr* expr) {
    const auto* number = dyn_cast<FloatImm>(expr);
    return number != nullptr && number->value == 0;
  };
  const bool has_rule = kind == NodeKind::kMul || kind == NodeKind::kDiv || kind == NodeKind::kAdd;
  return has_rule && is_zero(a) != is_zero(b) && !(isa<FloatImm>(a) && isa<FloatImm>(b));
}

Value Binary(NodeKind kind, Value a, Value b) {
  TENON_CHECK(a.dtype() == b.dtype());
  std::string error;
  NodeBuilder& builder = a.code->builder();
  if (IsWrongForSpecialFloats(kind, a.expr, b.expr))
    return {a.code, MakeBinary(builder, kind, a.expr, b.expr, {})};
  const Expr* node = tenon::Operator(builder, kind, a.expr, b.expr, {}, &error);
  TENON_CHECK(node != nullptr);
  return {a.code, node};
}

/// The constant `value` of the dtype of `like`.
Value Like(Value like, int64_t value) {
  return like.dtype().is_floating() ? like.code->Number(like.dtype(), static_cast<double>(value))
                                    : like.code->Integer(like.dtype(), value);
}

Value Shift(OpKind op, Value a, Value b) {
  TENON_CHECK(a.dtype() == b.dtype());
  if (IsConstInt(b.expr, 0)) return a;
  return {a.code, a.code->builder().NewCall(a.dtype(), op, {a.expr, b.expr})};
}

}  // namespace

Value operator+(Value a, Value b) { return Binary(NodeKind::kAdd, a, b); }
Value operator-(Value a, Value b) { return Binary(NodeKind::kSub, a, b); }
Value operator*(Value a, Value b) { return Binary(NodeKind::kMul, a, b); }
Value operator<(Value a, Value b) { return Binary(NodeKind::kLT, a, b); }
Value operator<=(Value a, Value b) { return Binary(NodeKind::kLE, a, b); }
Value operator==(Value a, Value b) { return Binary(NodeKind::kEQ, a, b); }
Value operator!=(Value a, Value b) { return Binary(NodeKind::kNE, a, b); }
Value operator!(Value a) { return {a.code, a.code->builder().New<Not>({}, a.expr)}; }
Value operator&&(Value a, Value b) { return Binary(NodeKind::kAnd, a, b); }
Value operator||(Value a, Value b) { return Binary(NodeKind::kOr, a, b); }
Value operator+(Value a, int64_t b) {
  if (b < 0 && a.dtype().is_int()) return a - -b;
  return b == 0 ? a : a + Like(a, b);
}
Value operator-(Value a, int64_t b) {
  if (b < 0 && a.dtype().is_int()) return a + -b;
  return b == 0 ? a : a - Like(a, b);
}
Value operator*(Value a, int64_t b) { return b == 1 ? a : a * Like(a, b); }
Value operator<(Value a, int64_t b) { return a < Like(a, b); }
Value operator<=(int64_t a, Value b) { return Like(b, a) <= b; }
Value operator<<(Value a, Value b) { return Shift(OpKind::kShiftLeft, a, b); }
Value operator<<(Value a, int64_t b) { return a << Like(a, b); }
Value operator>>(Value a, Value b) { return Shift(OpKind::kShiftRight, a, b); }
Value operator>>(Value a, int64_t b) { return a >> Like(a, b); }
Value Div(Value a, Value b) { return Binary(NodeKind::kDiv, a, b); }
Value Div(Value a, int64_t b) { return b == 1 ? a : Div(a, Like(a, b)); }
Value FloorDiv(Value a, Value b) { return Binary(NodeKind::kFloorDiv, a, b); }
Value FloorDiv(Value a, int64_t b) { return b == 1 ? a : FloorDiv(a, Like(a, b)); }
Value FloorMod(Value a, Value b) { return Binary(NodeKind::kFloorMod, a, b); }
Value FloorMod(Value a, int64_t b) { return FloorMod(a, Like(a, b)); }
Value Min(Value a, Value b) { return Binary(NodeKind::kMin, a, b); }
Value Min(Value a, int64_t b) { return Min(a, Like(a, b)); }
Value Max(Value a, Value b) { return Binary(NodeKind::kMax, a, b); }
Value Max(Value a, int64_t b) { return Max(a, Like(a, b)); }
Value AtLeast(int64_t low, Value x) { return Max(Like(x, low), x); }
Value AtMost(int64_t high, Value x) { return Min(Like(x, high), x); }

Value Cast(DataType dtype, Value a) {
  return {a.code, SmartCast(a.code->builder(), dtype, a.expr)};
}

Value IfThenElse(Value condition, Value then_value, Value else_value) {
  TENON_CHECK(then_value.dtype() == else_value.dtype());
  if (IsConstInt(condition.expr, 1)) return then_value;
  return {condition.code,
          condition.code->builder().NewCall(then_value.dtype(), OpKind::kIfThenElse,
                                            {condition.expr, then_value.expr, else_value.expr})};
}

Value Select(Value condition, Value then_value, Value else_value) {
  TENON_CHECK(then_value.dtype() == else_value.dtype());
  return {condition.code, condition.code->builder().New<tenon::Select>(
                              {}, condition.expr, then_value.expr, else_value.expr)};
}

Value CallOf(OpKind op, Value a) {
  return {a.code, a.code->builder().NewCall(a.dtype(), op, {a.expr})};
}

Value CallOf(OpKind op, Value a, Value b) {
  TENON_CHECK(a.dtype() == b.dtype());
  return {a.code, a.code->builder().NewCall(a.dtype(), op, {a.expr, b.expr})};
}

Value IsNan(Value x) {
  return {x.code, x.code->builder().NewCall(DataType::Bool(), OpKind::kIsnan, {x.expr})};
}

Value Array::Load(std::span<const Value> indices) const {
  std::vector<const Expr*> exprs;
  for (const Value index : indices) exprs.push_back(index.expr);
  NodeBuilder& builder = code_->builder();
  return code_->Of(
      builder.New<BufferLoad>({}, buffer_->dtype, buffer_,
                              builder.arena().Copy(Span<const Expr*>(exprs.data(), exprs.size()))));
}

Code::Code(Context& context, std::shared_ptr<Storage> storage)
    : storage_(std::move(storage)), builder_(context, storage_->arena()), scopes_(1) {}

void Code::For(std::string_view name, int64_t extent, const Body& body) {
  if (extent == 1) return body(Int(0));
  const Var* var = builder_.NewVar(name, DataType::Int(32));
  scopes_.emplace_back();
  body(Of(var));
  const Stmt* inner = Close();
  Add(builder_.New<tenon::For>({}, var, builder_.Int(0), builder_.Int(extent), ForKind::kSerial,
                               inner));
}

void Code::Grid(std::string_view name, std::span<const int64_t> extents, const GridBody& body) {
  std::vector<Value> indices;
  std::function<void()> next = [&] {
    const size_t axis = indices.size();
    if (axis == extents.size()) return body(indices);
    For(std::string(name) + std::to_string(axis), extents[axis], [&](Value index) {
      indices.push_back(index);
      next();
      indices.pop_back();
    });
  };
  next();
}

void Code::If(Value condition, const std::function<void()>& body) {
  if (IsConstInt(condition.expr, 1)) return body();
  scopes_.emplace_back();
  body();
  const Stmt* inner = Close();
  Add(builder_.New<tenon::IfThenElse>({}, condition.expr, inner, nullptr));
}

void Code::Store(const Array& array, std::span<const Value> indices, Value value) {
  TENON_CHECK(array.dtype() == value.dtype());
  std::vector<const Expr*> exprs;
  for (const Value index : indices) exprs.push_back(index.expr);
  Add(builder_.New<BufferStore>(
      {}, array.buffer(), value.expr,
      builder_.arena().Copy(Span<const Expr*>(exprs.data(), exprs.size()))));
}

Span<const Expr*> Code::Extents(std::span<const int64_t> shape) {
  std::vector<const Expr*> extents;
  for (const int64_t extent : shape) extents.push_back(builder_.Int(extent));
  if (extents.empty()) extents.push_back(builder_.Int(1));
  return builder_.arena().Copy(Span<const Expr*>(extents.data(), extents.size()));
}

const Buffer* Code::NewBuffer(const Var* data, DataType dtype, Span<const Expr*> shape) {
  const Symbol name = builder_.context().Intern(std::string(data->name.view()) + "_1");
  return builder_.New<Buffer>({}, name, data, dtype, shape, builder_.Int(0));
}

Array Code::Allocate(std::string_view name, DataType dtype, std::span<const int64_t> shape,
                     std::string_view scope) {
  const Var* data = builder_.NewVar(name, builder_.context().PointerType(dtype, scope));
  const Span<const Expr*> extents = Extents(shape);
  Open([this, data, dtype, extents](const Stmt* body) {
    return builder_.New<tenon::Allocate>({}, data, dtype, extents, builder_.Bool(true), nullptr,
                                         body);
  });
  return {this, NewBuffer(data, dtype, extents)};
}

Array Code::Scalar(std::string_view name, DataType dtype) {
  const int64_t one[] = {1};
  return Allocate(name, dtype, one);
}

Value Code::Once(Value x) {
  const Array array = Scalar("v", x.dtype());
  Set(array, x);
  return Get(array);
}

Array Code::Flat(const Array& array, std::vector<int64_t> shape) {
  const Buffer* old = array.buffer();
  const Span<const Expr*> extents = Extents(shape);
  const bool same =
      std::equal(old->shape.begin(), old->shape.end(), extents.begin(), extents.end(),
                 [](const Expr* a, const Expr* b) { return *AsIntImm(a) == *AsIntImm(b); });
  if (same) return array;
  return {this, NewBuffer(old->data, old->dtype, extents)};
}

Array Code::Constant(std::string_view name, const tenon::Constant* data) {
  const Var* var = builder_.NewVar(name, builder_.context().PointerType(data->dtype(), ""));
  const Span<const Expr*> extents = Extents(data->shape());
  constants_.push_back([this, var, extents, data](const Stmt* body) {
    return builder_.New<AllocateConst>({}, var, data->dtype(), extents, data, nullptr, body);
  });
  return {this, NewBuffer(var, data->dtype(), extents)};
}

Array Code::Constant(std::string_view name, DataType dtype, std::vector<int64_t> shape,
                     std::vector<uint8_t> bytes) {
  return Constant(name,
                  builder_.context().AddConstant({}, dtype, std::move(shape), std::move(bytes)));
}

const Stmt* Code::Close() {
  std::vector<Item> items = std::move(scopes_.back().items);
  scopes_.pop_back();
  std::vector<const Stmt*> after;  // last first
  for (size_t i = items.size(); i-- > 0;) {
    if (items[i].stmt != nullptr) {
      after.push_back(items[i].stmt);
      continue;
    }
    const std::vector<const Stmt*> body(after.rbegin(), after.rend());
    after = {items[i].open(builder_.Seq(Span<const Stmt*>(body.data(), body.size())))};
  }
  const std::vector<const Stmt*> all(after.rbegin(), after.rend());
  return builder_.Seq(Span<const Stmt*>(all.data(), all.size()));
}

const Stmt* Code::Finish() {
  TENON_CHECK(scopes_.size() == 1);
  const Stmt* body = Close();
  for (size_t i = constants_.size(); i-- > 0;) body = constants_[i](body);
  return body;
}

}  // namespace tenon::graph
