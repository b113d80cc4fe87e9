#ifndef TENON_PARSER_VALUES_H_
#define TENON_PARSER_VALUES_H_

#include <memory>
#include <optional>
#include <string_view>

#include "parser/parse_env.h"

namespace tenon {

class Analyzer;

/// The largest finite value of a floating dtype.
double LargestOf(DataType dtype);

/// Converts values of the text to nodes, numbers, texts and types. Results are null, nullopt or
/// false after an error, and for values with an earlier error. `what` names the value in messages.
class Values {
 public:
  explicit Values(ParseEnv& env);
  ~Values();

  const Expr* ToExpr(const PyValue& value);
  /// The same, but a number of Python's takes the dtype `like` if it can.
  const Expr* ToExpr(const PyValue& value, DataType like);
  bool ToExprs(const PyValue& value, std::string_view what, Span<const Expr*>* result);
  /// An argument of a call: the name of a buffer denotes its data.
  const Expr* ArgOf(const PyValue& value);
  /// An integer expression.
  const Expr* IndexOf(const PyValue& value, std::string_view what);
  /// A number of Python's as a constant; null if `dtype` has no such constants.
  const Expr* NumberOf(const PyValue& value, DataType dtype);
  std::optional<int64_t> ToInt(const PyValue& value, std::string_view what);
  std::optional<std::string_view> ToText(const PyValue& value, std::string_view what);
  /// The text of an argument, if present. False after an error.
  bool TakeText(const PyValue* argument, std::string_view what, std::string_view* text);
  std::optional<DataType> ToDType(const PyValue& value);
  const Type* ToType(const PyValue& value);
  const BufferRegion* ToRegion(const PyValue& value);
  const Range* ToRange(const PyValue& value);
  const Expr* LoadOf(const PySubscript& subscript);
  /// The dtype of an access of `buffer` at `indices`.
  std::optional<DataType> AccessType(const Buffer* buffer, Span<const Expr*> indices,
                                     SourceRange range);
  Span<const Expr*> IndicesOf(const PySubscript& subscript, bool* ok);
  /// `stop - start`, in the shortest form.
  const Expr* ExtentBetween(const Expr* start, const Expr* stop);

  /// Checks that a buffer can have elements of `dtype`; `written` may be null for the default
  /// dtype.
  bool CheckElement(DataType dtype, const PyValue* written);
  bool CheckExtents(Span<const Expr*> extents, DataType dtype, const PyValue& written);
  bool CheckLet(DataType dtype, const Expr* value, SourceRange range);
  bool CheckCondition(const Expr* condition, SourceRange range);
  /// The condition of a branch or a loop: in `tirx`, an integer other than 0 is true.
  const Expr* ConditionOf(const Expr* value);

  Analyzer& analyzer();

 private:
  const Expr* FloatOf(double value, DataType dtype, SourceRange range);
  void NoteRelease(const PySubscript& subscript);
  const Expr* RampOf(const PyIndex& index);
  const Range* RangeOf(const PyIndex& index);
  std::optional<int64_t> ConstantOf(const Expr* expr);

  ParseEnv& env_;
  std::unique_ptr<Analyzer> analyzer_;
};

}  // namespace tenon

#endif  // TENON_PARSER_VALUES_H_
