#ifndef TENON_PASSES_LOOPS_OPEN_SUMS_H_
#define TENON_PASSES_LOOPS_OPEN_SUMS_H_

#include <cstdint>

#include "ir/function.h"

namespace tenon {

/// The most bytes of sums that a function adds up at once in memory: of the elements that one
/// iteration of a loop over products updates.
int64_t OpenSumBytes(const PrimFunc& func);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_OPEN_SUMS_H_
