#ifndef TENON_IR_ANALYSIS_PARALLEL_LOOPS_H_
#define TENON_IR_ANALYSIS_PARALLEL_LOOPS_H_

#include <vector>

#include "ir/analysis/effects.h"
#include "ir/analysis/pointers.h"
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

/// For each parameter of `func`: true if code that captures `vars` reaches the parameter's memory
/// through the parameter alone. False if another captured pointer may point there, or if the code
/// may find the address in memory. The code's own parameters may then promise no aliases.
std::vector<bool> ReachedByParamAlone(const PrimFunc& func, const FunctionEffects& effects,
                                      const PointerRoots& roots,
                                      const std::vector<const Var*>& vars);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_PARALLEL_LOOPS_H_
