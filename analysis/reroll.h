#ifndef TENON_ANALYSIS_REROLL_H_
#define TENON_ANALYSIS_REROLL_H_

#include "ir/function.h"

namespace tenon {

class Context;

/// Writes statements that were unrolled as loops again. Neighbours in a sequence become one
/// statement in a loop, or a few in two or three loops, where they are equal but for constants
/// that are added to indices, and these constants are linear in the number of the statement:
///
///   c[i * 4] = a[i]; c[i * 4 + 1] = a[i + 8]    becomes
///   for u in range(2): c[i * 4 + u] = a[i + u * 8]
///
/// Groups of up to 16 statements that repeat count as one. The order of all stores stays, so the
/// function computes the same. Buffers have to be flat.
Function Reroll(Context& context, const Function& function);

}  // namespace tenon

#endif  // TENON_ANALYSIS_REROLL_H_
