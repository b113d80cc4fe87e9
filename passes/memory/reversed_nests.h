#ifndef TENON_PASSES_MEMORY_REVERSED_NESTS_H_
#define TENON_PASSES_MEMORY_REVERSED_NESTS_H_

#include <cstddef>

#include "ir/context.h"
#include "ir/function.h"

// Internal to reverse-loops: functions with reversed nests.

namespace tenon {

/// `function` with the outermost loops of each nest in reverse order. At most `depth` perfectly
/// nested loops are reversed, from the outside. A loop and its body stay unless the loop is serial,
/// has independent iterations (analysis/loop_independence.h) and has constant bounds. Without any
/// such loop, `function` is returned unchanged.
Function WithReversedNests(Context& context, const Function& function, size_t depth);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_REVERSED_NESTS_H_
