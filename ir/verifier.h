#ifndef TENON_IR_VERIFIER_H_
#define TENON_IR_VERIFIER_H_

#include "ir/module.h"
#include "support/diagnostics.h"

// The rules of well-formed IR. Every pass may assume that its input follows them, and must produce
// output that follows them, except V24.
//
// - V01 operand-dtypes: operands of a binary node have one dtype; operands of
//   logical nodes are bool; arms of Select have one dtype
// - V02 use-before-definition: a variable is used only where its definition reaches
// - V03 redefinition: a variable is defined once
// - V04 rank: as many indices as the buffer has dimensions
// - V05 index-dtype: indices are integers; only the last may be a vector
// - V06 store-dtype: the stored value has the buffer's dtype, with the lanes of buffer and index
// - V07 load-dtype: a load has the buffer's dtype, with the lanes of buffer and index
// - V08 extents: extents are integers, not negative; the total is below 2^62 bytes
// - V09 pointer-type: the variable of an Allocate or AllocateConst is a pointer to its dtype
// - V10 constant-data: the data has the dtype and number of elements of the AllocateConst
// - V11 store-to-constant: nothing writes to an AllocateConst, directly or through a function
//   that it is passed to
// - V12 loop: loop variable, min and extent are scalar integers of one dtype; threads have a tag
// - V13 let-dtype: the value has the variable's dtype
// - V14 call: a call has the number and kinds of arguments that the builtin, or the function of
//   the module, takes
// - V15 condition: conditions of if, while, assert and of allocations are scalar bools
// - V16 lanes: Ramp, Broadcast and Shuffle are built from scalars and have more than one lane
// - V17 sequence: a SeqStmt has two or more statements, none of them a SeqStmt
// - V18 buffer: data is a pointer, strides match the shape, alignment is a power of two; a buffer
//   matched to a region has its dtype and extents
// - V19 block: a block gets a value for each iteration variable, of its dtype
// - V20 signature: parameters are distinct; a buffer's parameter is a handle
// - V21 symbol: no two functions have the same global symbol
// - V22 string: strings occur only as arguments of calls and in asserts
// - V23 literal-range: an integer literal fits its dtype
// - V24 constant-fault: no division by a constant 0, shift by a constant width or more, or constant
//   index out of bounds, outside guards
// - V25 undeclared-extern: (warning) a constant is passed to an undeclared function

namespace tenon {

/// Whether a constant fault (V24) is an error. It is one in a text. A pass that folds constants may
/// turn a fault in its input into a constant fault, possibly in code that never runs.
enum class ConstantFaults { kRefused, kAllowed };

/// Reports every violation; true if there was no error.
bool VerifyModule(const IRModule& module, Diagnostics& diagnostics,
                  ConstantFaults faults = ConstantFaults::kRefused);
/// Checks the rules that concern only one function: all except V11 across calls, V21 and V25.
bool VerifyFunction(const IRModule& module, const Function& function, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_IR_VERIFIER_H_
