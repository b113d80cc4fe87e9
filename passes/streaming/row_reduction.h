#ifndef TENON_PASSES_STREAMING_ROW_REDUCTION_H_
#define TENON_PASSES_STREAMING_ROW_REDUCTION_H_

#include <optional>
#include <vector>

#include "ir/builder.h"
#include "ir/module.h"

// Operators that add up all rows of their operands, such as a global average.

namespace tenon {

/// A part of an operator, as a function. `args` are the variables of the operator that its
/// parameters stand for: data pointers of parameters, and shared allocations.
struct RowPart {
  Function function;
  std::vector<const Var*> args;
};

/// An operator in three parts. `before` and `after` may be missing. Only `rows` reads the operands;
/// its outermost loops run over their rows.
struct RowReduction {
  std::optional<RowPart> before;
  RowPart rows;
  std::optional<RowPart> after;
  /// The allocations that several parts use.
  std::vector<const Allocate*> shared;
};

/// The attributes of a function that a part of it keeps.
const MapAttr* AttrsOfPart(NodeBuilder& builder, const PrimFunc& func);

/// Splits a function, whose sums become an allocation if each is computed alone. Nullopt if it does
/// not have this form. No sum changes its order.
std::optional<RowReduction> SplitRowReduction(Context& context, const Function& function);

}  // namespace tenon

#endif  // TENON_PASSES_STREAMING_ROW_REDUCTION_H_
