#ifndef TENON_ANALYSIS_VALUE_LETS_H_
#define TENON_ANALYSIS_VALUE_LETS_H_

#include "ir/function.h"

namespace tenon {

/// Replaces scalar variables by their values, including values that read memory if no statement in
/// between writes that memory. TVM prints reductions of several results like this:
///
///   before:  s: T.float32 = sum[i] + x[i, k]         after:  sum[i] = sum[i] + x[i, k]
///            q: T.float32 = squares[i] + x[i, k]             squares[i] = squares[i] + x[i, k]
///            sum[i] = s
///            squares[i] = q
///
/// Other variables stay. `apart` states that no two parameters share memory.
Function InlineValueLets(Context& context, const Function& function, bool apart);

}  // namespace tenon

#endif  // TENON_ANALYSIS_VALUE_LETS_H_
