#ifndef TENON_ANALYSIS_REROLL_H_
#define TENON_ANALYSIS_REROLL_H_

#include "ir/function.h"

namespace tenon {

class Context;

/// Turns unrolled statements into loops again. Adjacent statements become a single statement in one
/// to three loops if they differ only in constants added to indices, and if these constants are
/// linear in the number of the statement:
///
///   c[i * 4] = a[i]; c[i * 4 + 1] = a[i + 8]    becomes
///   for u in range(2): c[i * 4 + u] = a[i + u * 8]
///
/// Repeating groups of up to 16 statements count as one statement. The order of all stores is
/// preserved, so the function computes the same. Buffers must be flat.
Function Reroll(Context& context, const Function& function);

}  // namespace tenon

#endif  // TENON_ANALYSIS_REROLL_H_
