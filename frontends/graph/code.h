#ifndef TENON_FRONTENDS_GRAPH_CODE_H_
#define TENON_FRONTENDS_GRAPH_CODE_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/builder.h"

// Builds the statements of operators' bodies by code that looks like loops.

namespace tenon::graph {

inline constexpr DataType kUInt8 = DataType::UInt(8);
inline constexpr DataType kInt8 = DataType::Int(8);
inline constexpr DataType kInt16 = DataType::Int(16);
inline constexpr DataType kInt32 = DataType::Int(32);
inline constexpr DataType kInt64 = DataType::Int(64);
inline constexpr DataType kFloat16 = DataType::Float(16);
inline constexpr DataType kFloat32 = DataType::Float(32);
inline constexpr DataType kFloat64 = DataType::Float(64);

class Code;

/// An expression, with C++ operators. Both sides have one dtype; an integer is a constant of the
/// other side's dtype. Constants are folded, so that no number changes.
struct Value {
  Code* code = nullptr;
  const Expr* expr = nullptr;

  DataType dtype() const { return expr->dtype; }
};

Value operator+(Value a, Value b);
Value operator-(Value a, Value b);
Value operator*(Value a, Value b);
Value operator<(Value a, Value b);
Value operator<=(Value a, Value b);
Value operator==(Value a, Value b);
Value operator!=(Value a, Value b);
Value operator!(Value a);
Value operator&&(Value a, Value b);
Value operator||(Value a, Value b);
Value operator+(Value a, int64_t b);
Value operator-(Value a, int64_t b);
Value operator*(Value a, int64_t b);
Value operator<(Value a, int64_t b);
Value operator<=(int64_t a, Value b);
Value operator<<(Value a, Value b);
Value operator<<(Value a, int64_t b);
/// Keeps the sign of signed integers.
Value operator>>(Value a, Value b);
Value operator>>(Value a, int64_t b);
/// Toward zero for integers.
Value Div(Value a, Value b);
Value Div(Value a, int64_t b);
/// Toward minus infinity.
Value FloorDiv(Value a, Value b);
Value FloorDiv(Value a, int64_t b);
Value FloorMod(Value a, Value b);
Value FloorMod(Value a, int64_t b);
Value Min(Value a, Value b);
Value Min(Value a, int64_t b);
Value Max(Value a, Value b);
Value Max(Value a, int64_t b);
/// The larger of `x` and `low`, or the smaller of `x` and `high`. A NaN stays, since Min and Max
/// give their second operand for it.
Value AtLeast(int64_t low, Value x);
Value AtMost(int64_t high, Value x);
Value Cast(DataType dtype, Value a);
/// Evaluates only the chosen arm.
Value IfThenElse(Value condition, Value then_value, Value else_value);
Value Select(Value condition, Value then_value, Value else_value);
/// A function of ir/builtins.def with the dtype of `a`.
Value CallOf(OpKind op, Value a);
Value CallOf(OpKind op, Value a, Value b);
Value IsNan(Value x);

/// A typed view of memory.
class Array {
 public:
  Array() = default;
  Array(Code* code, const Buffer* buffer) : code_(code), buffer_(buffer) {}

  bool exists() const { return buffer_ != nullptr; }
  const Buffer* buffer() const { return buffer_; }
  DataType dtype() const { return buffer_->dtype; }
  Value Load(std::span<const Value> indices) const;
  Value operator()(std::initializer_list<Value> indices) const {
    return Load({indices.begin(), indices.size()});
  }

 private:
  Code* code_ = nullptr;
  const Buffer* buffer_ = nullptr;
};

/// Collects statements.
class Code {
 public:
  Code(Context& context, std::shared_ptr<Storage> storage);
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  NodeBuilder& builder() { return builder_; }
  const std::shared_ptr<Storage>& storage() const { return storage_; }

  Value Of(const Expr* expr) { return {this, expr}; }
  /// An int32.
  Value Int(int64_t value) { return Of(builder_.Int(value)); }
  Value Number(DataType dtype, double value) { return Of(builder_.Number(dtype, value)); }
  Value Bool(bool value) { return Of(builder_.Bool(value)); }
  Value Integer(DataType dtype, int64_t value) { return Of(builder_.Int(dtype, value)); }

  using Body = std::function<void(Value index)>;
  /// `for name in range(extent)`; a loop of one iteration is its body with the index 0.
  void For(std::string_view name, int64_t extent, const Body& body);
  /// Nested loops over `extents`, the outermost first.
  using GridBody = std::function<void(const std::vector<Value>& indices)>;
  void Grid(std::string_view name, std::span<const int64_t> extents, const GridBody& body);
  /// Statements under a condition; a condition that always holds is left out.
  void If(Value condition, const std::function<void()>& body);
  void Store(const Array& array, std::span<const Value> indices, Value value);
  void Store(const Array& array, std::initializer_list<Value> indices, Value value) {
    Store(array, std::span<const Value>(indices.begin(), indices.size()), value);
  }

  /// Memory for the remaining statements of this scope.
  Array Allocate(std::string_view name, DataType dtype, std::span<const int64_t> shape,
                 std::string_view scope = "global");
  /// Memory for one element.
  Array Scalar(std::string_view name, DataType dtype);
  /// The value, computed here once and kept in memory of one element.
  Value Once(Value x);
  /// Constant memory for the whole function.
  Array Constant(std::string_view name, const tenon::Constant* data);
  /// The same, for elements that the caller computes.
  Array Constant(std::string_view name, DataType dtype, std::vector<int64_t> shape,
                 std::vector<uint8_t> bytes);
  /// The memory of an array with another shape of the same number of elements.
  Array Flat(const Array& array, std::vector<int64_t> shape);
  /// The element of a one-element array, by Load and Store.
  Value Get(const Array& scalar) { return scalar({Int(0)}); }
  void Set(const Array& scalar, Value value) { Store(scalar, {Int(0)}, value); }

  void Add(const Stmt* stmt) { scopes_.back().items.push_back({stmt, nullptr}); }
  /// All statements, inside the scopes of the constants. Must be called once.
  const Stmt* Finish();

 private:
  /// A statement, or the beginning of a scope for the following statements.
  struct Item {
    const Stmt* stmt = nullptr;
    std::function<const Stmt*(const Stmt* body)> open;
  };
  struct Scope {
    std::vector<Item> items;
  };

  void Open(std::function<const Stmt*(const Stmt*)> open) {
    scopes_.back().items.push_back({nullptr, std::move(open)});
  }
  const Stmt* Close();
  const Buffer* NewBuffer(const Var* data, DataType dtype, Span<const Expr*> shape);
  Span<const Expr*> Extents(std::span<const int64_t> shape);

  std::shared_ptr<Storage> storage_;
  NodeBuilder builder_;
  std::vector<Scope> scopes_;
  std::vector<std::function<const Stmt*(const Stmt*)>> constants_;
};

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_CODE_H_
