#ifndef TENON_REPORT_PLANNED_MODULE_H_
#define TENON_REPORT_PLANNED_MODULE_H_

#include "ir/module.h"

namespace tenon {

/// A planned module with its allocations back, each with its place: what was
///
///   t_let: T.handle("int8", "global") = T.address_of(global_workspace_0_buffer_var[128])
///
/// is `t_let = T.allocate([size], "int8", "global", annotations={"tenon.placement":
/// ["global_workspace", 128]})` again, so that liveness can be asked about it. An address does not
/// say how large the thing is: it has the bytes of the largest buffer that is declared on it, here
/// or by a function that gets it. Addresses of constants stay. A module that is not planned comes
/// back as it is.
IRModule WithAllocations(const IRModule& module);

}  // namespace tenon

#endif  // TENON_REPORT_PLANNED_MODULE_H_
