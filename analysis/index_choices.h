#ifndef TENON_ANALYSIS_INDEX_CHOICES_H_
#define TENON_ANALYSIS_INDEX_CHOICES_H_

#include "ir/function.h"

namespace tenon {

/// The function with choices in the index of a load as choices between loads: padding that mirrors
/// its input is printed so. Conditions that read memory stay where they are.
///
///   before:  y[i] = x[T.if_then_else(i < 1, 1 - i, i - 1)]
///   after:   y[i] = T.if_then_else(i < 1, x[1 - i], x[i - 1])
Function SplitIndexChoices(Context& context, const Function& function);

}  // namespace tenon

#endif  // TENON_ANALYSIS_INDEX_CHOICES_H_
