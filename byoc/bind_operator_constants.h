#ifndef TENON_BYOC_BIND_OPERATOR_CONSTANTS_H_
#define TENON_BYOC_BIND_OPERATOR_CONSTANTS_H_

#include "ir/module.h"

namespace tenon {

/// Moves constants that a graph function passes to an operator of 8-bit integers into the operator,
/// because weights and multipliers determine what a quantised operator computes. Operators that are
/// called with different constants are copied. Relax functions contain all constants of the model.
///
///   before:  w = T.allocate_const(...)              after:  T.call_extern("int32", "dense_bound",
///            T.call_extern("int32", "dense", x, w, y)                     x, y)
IRModule BindOperatorConstants(const IRModule& module);

}  // namespace tenon

#endif  // TENON_BYOC_BIND_OPERATOR_CONSTANTS_H_
