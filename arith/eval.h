#ifndef TENON_ARITH_EVAL_H_
#define TENON_ARITH_EVAL_H_

#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "ir/expr.h"

namespace tenon {

/// An element of a numeric dtype. Integers are wrapped to it (uint64 as the int64 with the same
/// bits), floats are rounded to it.
struct ScalarValue {
  DataType dtype;
  int64_t integer = 0;
  double real = 0;

  static ScalarValue Int(DataType dtype, int64_t value);
  static ScalarValue Float(DataType dtype, double value);
};

using VarValues = absl::flat_hash_map<const Var*, ScalarValue>;

/// The value of lane `lane` of `expr` under ir/expr.h's arithmetic, with the given variables.
/// Nullopt if evaluation is an error (a division by zero, a shift by the width or more). Also
/// nullopt for anything but arithmetic, comparisons, choices, lets, casts, shifts, bitwise
/// operators and vectors: it does not read memory or call functions of <math.h>.
std::optional<ScalarValue> EvaluateExpr(const Expr* expr, const VarValues& variables = {},
                                        int lane = 0);

/// `value` rounded to a floating dtype, to nearest even.
double RoundToDType(double value, DataType dtype);

}  // namespace tenon

#endif  // TENON_ARITH_EVAL_H_
