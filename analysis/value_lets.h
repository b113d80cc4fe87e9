#ifndef TENON_ANALYSIS_VALUE_LETS_H_
#define TENON_ANALYSIS_VALUE_LETS_H_

#include "ir/function.h"

namespace tenon {

/// The function with the values of scalar variables in their places, values that read memory
/// included, where no statement in between writes what they read. TVM prints reductions of several
/// results so:
///
///   before:  s: T.float32 = sum[i] + x[i, k]         after:  sum[i] = sum[i] + x[i, k]
///            q: T.float32 = squares[i] + x[i, k]             squares[i] = squares[i] + x[i, k]
///            sum[i] = s
///            squares[i] = q
///
/// Other variables stay. With `apart`, no two parameters share memory.
Function InlineValueLets(Context& context, const Function& function, bool apart);

}  // namespace tenon

#endif  // TENON_ANALYSIS_VALUE_LETS_H_
