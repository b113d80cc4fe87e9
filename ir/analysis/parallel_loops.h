#ifndef TENON_IR_ANALYSIS_PARALLEL_LOOPS_H_
#define TENON_IR_ANALYSIS_PARALLEL_LOOPS_H_

#include <vector>

#include "ir/stmt.h"

namespace tenon {

/// Whether the iterations of a loop may be distributed to threads. The loop is marked as parallel,
/// may have more than one iteration, and contains neither a normal exit from the function (`T.ret`)
/// nor a thread binding.
bool RunsOnThreads(const For* loop);

/// The variables that the body of a loop uses and that are defined outside it, in order of first
/// use. Of a buffer only the data variable counts, not its shape, strides and offset: the loop is
/// flat (flatten-buffers).
std::vector<const Var*> CapturedVars(const For* loop);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_PARALLEL_LOOPS_H_
