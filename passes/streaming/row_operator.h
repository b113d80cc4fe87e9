#ifndef TENON_PASSES_STREAMING_ROW_OPERATOR_H_
#define TENON_PASSES_STREAMING_ROW_OPERATOR_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ir/function.h"
#include "passes/fusion/nest.h"

// The rows of operands that an operator reads for one row of its result. A row of a tensor is a run
// of neighbouring elements; all rows of a tensor have the same size. The facts come from the loops
// and the accesses of the function alone.

namespace tenon {

/// A condition of the operator that holds for rows `first`, ..., `last` of the result. In other
/// rows it may not hold.
struct RowLimit {
  const Expr* condition = nullptr;
  int64_t first = 0;
  int64_t last = 0;
};

/// The rows of an operand, if it has rows of `row_elements` elements: row y of the result reads
/// rows stride * y + first, ..., stride * y + first + count - 1. Those outside of the operand are
/// not read.
struct RowWindow {
  int64_t row_elements = 0;
  int64_t stride = 0;
  int64_t first = 0;
  int64_t count = 0;
  /// If rows outside of the operand exist and hold this integer, the conditions `implied` need not
  /// be tested: what they guard then changes nothing.
  std::optional<int64_t> pad;
  std::vector<const Expr*> implied;
};

/// The reads of one parameter.
struct RowRead {
  size_t param = 0;
  int64_t elements = 0;
  /// For each size of rows that is possible, those with the fewest elements first. If empty, any
  /// row of the result may read any element.
  std::vector<RowWindow> windows;

  const RowWindow* WithRows(int64_t row_elements) const {
    for (const RowWindow& window : windows) {
      if (window.row_elements == row_elements) return &window;
    }
    return nullptr;
  }
};

/// A nest of an operator. The outermost `depth` loops run `steps` iterations for each row.
struct RowNest {
  Nest nest;
  size_t depth = 0;
  int64_t steps = 1;
};

/// A function of nests of loops that store its result row by row, the same rows each.
struct RowOperator {
  const Function* function = nullptr;
  std::vector<RowNest> nests;
  size_t output = 0;
  int64_t rows = 0;
  int64_t row_elements = 0;
  /// True if each row adds to the whole result, which is `row_elements`.
  bool accumulates = false;
  /// The parameters that are read, in order.
  std::vector<RowRead> reads;
  /// The conditions that depend on the row.
  std::vector<RowLimit> limits;
};

/// Finds the rows of functions, and remembers what it has found.
class RowOperators {
 public:
  explicit RowOperators(Context& context) : context_(context) {}

  /// The function with so many rows; null if it cannot run row by row. The function must outlive
  /// the result.
  const RowOperator* Find(const Function& function, int64_t rows);
  /// The number of rows that the loops of the function suggest; 0 for none.
  int64_t NaturalRows(const Function& function);

 private:
  Context& context_;
  std::map<std::pair<const PrimFunc*, int64_t>, std::optional<RowOperator>> found_;
  std::map<const PrimFunc*, int64_t> natural_;
};

}  // namespace tenon

#endif  // TENON_PASSES_STREAMING_ROW_OPERATOR_H_
