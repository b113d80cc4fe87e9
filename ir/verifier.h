#ifndef TENON_IR_VERIFIER_H_
#define TENON_IR_VERIFIER_H_

#include "ir/module.h"
#include "support/diagnostics.h"

// What well-formed IR is. Every pass may assume these rules of its input and owes them of its
// output, all but V24.
//
// - V01 operand-dtypes: operands of a binary node have one dtype; logical ones are bool; arms of
// Select agree
// - V02 use-before-definition: a variable is used only where its definition reaches
// - V03 redefinition: a variable is defined once
// - V04 rank: as many indices as the buffer has dimensions
// - V05 index-dtype: indices are integers; only the last may be a vector
// - V06 store-dtype: the stored value has the buffer's dtype, with the lanes of buffer and index
// - V07 load-dtype: and so has a load
// - V08 extents: extents are integers, not negative; the whole is below 2^62 bytes
// - V09 pointer-type: what an Allocate or AllocateConst binds is a pointer to its dtype
// - V10 constant-data: dtype and number of elements of the data are those of the AllocateConst
// - V11 store-to-constant: nothing writes to an AllocateConst, directly or through a function it is
// passed to
// - V12 loop: loop variable, min and extent are scalar integers of one dtype; threads have a tag
// - V13 let-dtype: the value has the variable's dtype
// - V14 call: a builtin has the number and kinds of arguments it takes; a function of the module
// has its parameters
// - V15 condition: conditions of if, while, assert and of allocations are scalar bools
// - V16 lanes: Ramp, Broadcast and Shuffle are built of scalars and give more than one lane
// - V17 sequence: a SeqStmt has two or more statements, none of them a SeqStmt
// - V18 buffer: data is a pointer, strides match the shape, alignment is a power of two; a buffer
// matched to a region has its dtype and extents
// - V19 block: a block gets a value for each iteration variable, of its dtype
// - V20 signature: parameters differ; a buffer's parameter is a handle
// - V21 symbol: no two functions have one global symbol
// - V22 string: strings stand only as arguments of calls and in asserts
// - V23 literal-range: an integer literal fits its dtype
// - V24 constant-fault: no division by a constant 0, shift by a constant width or more, or constant
// index out of bounds, outside guards
// - V25 undeclared-extern: (warning) a constant is passed to a function that nothing declares

namespace tenon {

/// Whether a constant fault (V24) is an error. Text that holds one is wrong. A pass that folds
/// constants may make one of a fault in its input, which may be in code that never runs.
enum class ConstantFaults { kRefused, kAllowed };

/// Reports every violation; true when there was no error.
bool VerifyModule(const IRModule& module, Diagnostics& diagnostics,
                  ConstantFaults faults = ConstantFaults::kRefused);
/// The rules that concern one function alone: all but V11 across calls, V21 and V25.
bool VerifyFunction(const IRModule& module, const Function& function, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_IR_VERIFIER_H_
