#ifndef TENON_FRONTENDS_RELAX_LOWER_H_
#define TENON_FRONTENDS_RELAX_LOWER_H_

#include <memory>

#include "frontends/relax/function.h"
#include "ir/module.h"
#include "support/diagnostics.h"

namespace tenon::relax {

/// Compares each call with its callee: number, element types and extents of the tensors. A constant
/// without a type gets the type of the parameter that takes it. False after errors, which are
/// located at the call or the argument.
bool CheckCalls(Function& function, const IRModule& module, Diagnostics& diagnostics);

/// The TIR function that does the same, as a function of `module`:
///
///   - its parameters are the inputs and then the outputs, as buffers;
///   - each other result is an allocation with a buffer, each constant an `allocate_const`;
///   - each call passes the data of its tensors, results last;
///   - a result that is returned is written by its call into the parameter;
///   - an input, a constant and a result that is returned twice are copied.
///
/// It has the attribute `tir.noalias` and, in a module of the dialect `tirx`, `s_tir`. CheckCalls
/// must have been true, and all constants must have their data.
tenon::Function Lower(const Function& function, const IRModule& module,
                      std::shared_ptr<Storage> storage);

}  // namespace tenon::relax

#endif  // TENON_FRONTENDS_RELAX_LOWER_H_
