#ifndef TENON_PARSER_PY_VALUE_H_
#define TENON_PARSER_PY_VALUE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ir/attrs.h"
#include "ir/buffer.h"
#include "support/source.h"

// The value of an expression of the text during reading: Python's own values, and the IR's.

namespace tenon {

struct PyValue;
struct PyKeyword;
struct PySubscript;
struct PendingScope;
struct PendingLoop;
struct TirName;

/// `I.f(args, key=value)` for the forms that their context reads: `I.constant`, `I.file`,
/// `I.slice`, `I.splat`, `I.hash`.
struct PyCall {
  std::string_view name;  ///< after `I.`
  std::span<const PyValue> args;
  std::span<const PyKeyword> keywords;
};

enum class PyKind : uint8_t {
  kError,  ///< the error is already reported; operations on it give no further errors
  kNone,
  kBool,         ///< integer
  kInt,          ///< integer
  kBigInt,       ///< `integer` reads as uint64_t: 2^63 and more
  kFloat,        ///< real
  kString,       ///< text
  kList,         ///< items
  kTuple,        ///< items
  kDict,         ///< items: key, value, key, value, ...
  kRawList,      ///< `[...]` whose elements were not read; `range` covers it
  kCall,         ///< call
  kExpr,         ///< expr
  kFreshVar,     ///< expr: a Var without a name so far
  kSubscript,    ///< `A[...]`, not yet a load, store or region
  kBuffer,       ///< buffer
  kScalar,       ///< buffer: the name of a buffer of one element, which denotes that element
  kIterVar,      ///< iter_var
  kRange,        ///< range_node
  kReducer,      ///< reducer
  kAttr,         ///< attr
  kFunction,     ///< `Module.f`; text is f
  kTirName,      ///< `T.f`, not called
  kIrName,       ///< `I.f`, not called; text is f
  kTirModule,    ///< `T`
  kIrModule,     ///< `I`
  kRelaxModule,  ///< `R`
  kRelaxName,    ///< `R.f`, not called; text is f
  kClass,        ///< the module's class
  kMetadata,     ///< `metadata`
  kMetadataKey,  ///< `metadata["key"]`; text is the key
  kRangeName,    ///< Python's `range`
  kAxis,         ///< `T.axis`
  kLet,          ///< `T.let[T.int32]`: items, one
  kMethod,       ///< `A.vload` and the like; method names it
  kField,        ///< `A.shape` or `A.strides`: items
  kScope,        ///< scope: a scope that `with` or an assignment opens
  kLoop,         ///< loop: the range of a `for`
  kDone,         ///< the value of a statement-like call that is already handled
};

/// PyValue::count of buffers without a name so far.
inline constexpr uint32_t kFreshBuffer = 1;
inline constexpr uint32_t kOwnsData = 2;
inline constexpr uint32_t kPassing = 4;  ///< declared by `T.Buffer`, without a node

struct PyMethod {
  const Buffer* buffer;  ///< or null, for a method of `expr`
  const Expr* expr;
  std::string_view name;
};

struct PyValue {
  PyKind kind = PyKind::kError;
  uint32_t count = 0;  ///< of items
  SourceRange range;
  union {
    int64_t integer = 0;
    double real;
    const PyValue* items;
    const PyCall* call;
    const Expr* expr;
    const PySubscript* subscript;
    const Buffer* buffer;
    const IterVar* iter_var;
    const Range* range_node;
    const CommReducer* reducer;
    const Attr* attr;
    const TirName* tir_name;
    const PyMethod* method;
    PendingScope* scope;
    PendingLoop* loop;
    struct {
      const char* data;
      size_t size;
    } chars;
  };

  PyValue() = default;
  PyValue(PyKind kind, SourceRange range) : kind(kind), range(range) {}

  bool is(PyKind k) const { return kind == k; }
  bool is_error() const { return kind == PyKind::kError; }
  bool is_sequence() const { return kind == PyKind::kList || kind == PyKind::kTuple; }
  /// Python's own numbers (bools count).
  bool is_number() const { return kind >= PyKind::kBool && kind <= PyKind::kFloat; }
  std::string_view text() const { return {chars.data, chars.size}; }
  /// The same value, written at `where`.
  PyValue At(SourceRange where) const {
    PyValue value = *this;
    value.range = where;
    return value;
  }
  /// The items of a list, tuple, dict or field.
  std::span<const PyValue> elements() const { return {items, count}; }

  static PyValue Text(PyKind kind, SourceRange range, std::string_view text) {
    PyValue value(kind, range);
    value.chars.data = text.data();
    value.chars.size = text.size();
    return value;
  }
  static PyValue Int(SourceRange range, int64_t integer) {
    PyValue value(PyKind::kInt, range);
    value.integer = integer;
    return value;
  }
  static PyValue Bool(SourceRange range, bool truth) {
    PyValue value(PyKind::kBool, range);
    value.integer = truth ? 1 : 0;
    return value;
  }
  static PyValue Float(SourceRange range, double real) {
    PyValue value(PyKind::kFloat, range);
    value.real = real;
    return value;
  }
  static PyValue Of(SourceRange range, const Expr* expr) {
    PyValue value(expr == nullptr ? PyKind::kError : PyKind::kExpr, range);
    value.expr = expr;
    return value;
  }
  static PyValue Of(SourceRange range, const Attr* attr) {
    PyValue value(attr == nullptr ? PyKind::kError : PyKind::kAttr, range);
    value.attr = attr;
    return value;
  }
  static PyValue Of(SourceRange range, const Buffer* buffer) {
    PyValue value(buffer == nullptr ? PyKind::kError : PyKind::kBuffer, range);
    value.buffer = buffer;
    return value;
  }
  static PyValue Of(SourceRange range, const IterVar* iter_var) {
    PyValue value(PyKind::kIterVar, range);
    value.iter_var = iter_var;
    return value;
  }
};

struct PyKeyword {
  std::string_view name;
  SourceRange range;
  PyValue value;
};

/// One index of a subscript: `start`, or `start:stop:step` (null: the part is absent).
struct PyIndex {
  const Expr* start = nullptr;
  const Expr* stop = nullptr;
  const Expr* step = nullptr;
  bool is_slice = false;
  SourceRange range;
};

struct PySubscript {
  const Buffer* buffer;
  std::span<const Expr* const> indices;  ///< without a slice; in the module's arena
  std::span<const PyIndex> slices;       ///< all indices, if there is a slice
  SourceRange range;
};

/// The description of a PyValue for messages: "an integer", "a list", ...
std::string_view Describe(const PyValue& value);
/// The same, with the dtype of `expr`, the expression that `value` became.
std::string DescribeTyped(const PyValue& value, const Expr* expr);

}  // namespace tenon

#endif  // TENON_PARSER_PY_VALUE_H_
