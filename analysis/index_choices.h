#ifndef TENON_ANALYSIS_INDEX_CHOICES_H_
#define TENON_ANALYSIS_INDEX_CHOICES_H_

#include "ir/function.h"

namespace tenon {

/// Rewrites choices in the index of a load as choices between loads, as in padding that mirrors its
/// input. Conditions that read memory stay unchanged.
///
///   before:  y[i] = x[T.if_then_else(i < 1, 1 - i, i - 1)]
///   after:   y[i] = T.if_then_else(i < 1, x[1 - i], x[i - 1])
Function SplitIndexChoices(Context& context, const Function& function);

}  // namespace tenon

#endif  // TENON_ANALYSIS_INDEX_CHOICES_H_
