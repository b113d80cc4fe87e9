#ifndef TENON_IR_ANALYSIS_PARALLEL_LOOPS_H_
#define TENON_IR_ANALYSIS_PARALLEL_LOOPS_H_

#include <vector>

#include "ir/stmt.h"

namespace tenon {

/// A loop whose iterations may be handed to threads: it is marked as parallel, may have more than
/// one iteration, and nothing in it leaves the function as if all were well (`T.ret`), or stands
/// for threads itself.
bool RunsOnThreads(const For* loop);

/// The variables that the body of a loop uses and that are defined outside of it, in order of first
/// use. Of buffers the variable of their data counts, and not what their
/// shapes, strides and offsets say: the loop is flat (flatten-buffers).
std::vector<const Var*> CapturedVars(const For* loop);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_PARALLEL_LOOPS_H_
