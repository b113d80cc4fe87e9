#ifndef TENON_PASSES_MEMORY_REVERSED_NESTS_H_
#define TENON_PASSES_MEMORY_REVERSED_NESTS_H_

#include <cstddef>

#include "ir/context.h"
#include "ir/function.h"

// Internal to reverse-loops: functions whose nests run backwards.

namespace tenon {

/// `function` with the outermost loops of each nest in reverse order. Of perfectly nested loops, at
/// most `depth` are reversed, from the outside. A loop stays, with all that is in it, unless its
/// iterations are independent (analysis/loop_independence.h), it is serial and its bounds are
/// constants. Without any such loop, the function comes back as it was.
Function WithReversedNests(Context& context, const Function& function, size_t depth);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_REVERSED_NESTS_H_
