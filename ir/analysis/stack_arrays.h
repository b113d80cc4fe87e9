#ifndef TENON_IR_ANALYSIS_STACK_ARRAYS_H_
#define TENON_IR_ANALYSIS_STACK_ARRAYS_H_

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "ir/module.h"
#include "ir/stmt.h"

// Back ends put the allocations that memory planning leaves on the stack, which takes less than
// kStackLimit bytes of each (ir/storage_defaults.h). Passes that make, widen or move such arrays
// ask here.

namespace tenon {

/// True for storage scopes that memory planning places: none, `global`, and `global.workspace` and
/// the like.
bool IsPoolScope(Symbol scope);

/// True if the allocation is a register or an array on the stack: its annotations allow no pool.
bool IsLocalAllocation(const Allocate& allocate);

/// True if memory planning leaves the allocation on the stack because of its scope, or because its
/// annotations allow no pool.
bool StaysOutOfPools(const Allocate& allocate);

/// True if the allocation takes `stack` bytes or more, or a number of bytes that is not known.
bool IsLargeScratch(const Allocate& allocate, int64_t stack);

/// The calls of functions of the module that have allocations for which `is_large` holds, directly
/// or in callees.
absl::flat_hash_set<const Call*> CallsOfLargeScratch(
    const IRModule& module, absl::FunctionRef<bool(const Allocate&)> is_large);

/// True for a loop that is vectorized or bound to threads, and for an attribute that launches
/// threads. Its iterations may run at the same time, so memory planning leaves allocations in it
/// alone. Back ends run them one after the other.
bool RunsInLockstep(const Stmt* stmt);

/// The first statement because of which the stack may be too small; null if there is none. That is
/// an allocation of kStackLimit bytes or more that stays out of pools, or that a statement in
/// lockstep contains; a statement in lockstep with a call of a function that has such an
/// allocation; or a block that allocates, since lower-blocks decides where and how many bytes.
const Stmt* FirstBeyondStack(const IRModule& module);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_STACK_ARRAYS_H_
