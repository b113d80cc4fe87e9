#ifndef TENON_ANALYSIS_GUARDED_UPDATES_H_
#define TENON_ANALYSIS_GUARDED_UPDATES_H_

#include "ir/function.h"

namespace tenon {

class Context;

/// Turns conditions around updates of sums and maxima into choices within them. So taps of a
/// convolution that meet the padding are left out. Conditions that read memory stay.
///
///   before:  if i > 0:                       after:  for c in range(16):
///                for c in range(16):                     s[0] = s[0] + T.if_then_else(
///                    s[0] = s[0] + x[i, c]                   i > 0, x[i, c], 0)
///
/// A maximum or minimum gets the number that its buffer begins with in place of the 0. If both
/// branches update the same element, the choice is between their operands.
///
/// A sum of floats that is -0 may become +0, unless `keeps_zeros`: then it moves only if its buffer
/// begins with another number than -0. A maximum that NaN replaced, as in `s[0] = T.max(s[0], x)`,
/// may become the number that it began with.
Function MoveGuardsIntoUpdates(Context& context, const Function& function, bool keeps_zeros);

}  // namespace tenon

#endif  // TENON_ANALYSIS_GUARDED_UPDATES_H_
