#ifndef TENON_PASSES_STREAMING_ROW_FUNCTIONS_H_
#define TENON_PASSES_STREAMING_ROW_FUNCTIONS_H_

#include <compare>
#include <optional>
#include <vector>

#include "ir/module.h"
#include "passes/pass.h"
#include "passes/streaming/row_operator.h"

// Functions that compute one row of an operator's result.

namespace tenon {

/// A function for rows `first`, ..., `last` of the result: one row at a time, and each in the same
/// way. Its parameters are those of the operator. Each parameter that is read by rows begins at the
/// first row that the function reads, and the output at the row that it stores.
struct RowFunction {
  int64_t first = 0;
  int64_t last = 0;
  PrimFunc* func = nullptr;
  std::shared_ptr<Storage> storage;
  /// For each of RowOperator::reads, the distance in rows of the first row that this function reads
  /// from row stride * y + RowWindow::first: not 0 where that is outside of the operand.
  std::vector<int64_t> shifts;
};

/// How a function gets an operand: whole if `window` is null. `is_padded`: rows outside of the
/// operand exist, and hold RowWindow::pad.
struct RowOperand {
  const RowWindow* window = nullptr;
  bool is_padded = false;

  auto operator<=>(const RowOperand&) const = default;
};

/// The functions for all rows of an operator, the first row first. `operands` are those of
/// RowOperator::reads. Nullopt if the rows differ in more than conditions, or too many differ.
std::optional<std::vector<RowFunction>> MakeRowFunctions(Context& context, const RowOperator& op,
                                                         const std::vector<RowOperand>& operands,
                                                         PassContext& pass);

}  // namespace tenon

#endif  // TENON_PASSES_STREAMING_ROW_FUNCTIONS_H_
