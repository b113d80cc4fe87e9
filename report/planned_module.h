#ifndef TENON_REPORT_PLANNED_MODULE_H_
#define TENON_REPORT_PLANNED_MODULE_H_

#include "ir/module.h"

namespace tenon {

/// Restores the allocations of a planned module, each with its placement. A statement
///
///   t_let: T.handle("int8", "global") = T.address_of(global_workspace_0_buffer_var[128])
///
/// becomes an allocation again, so that liveness analysis can see it:
///
///   t_let = T.allocate([size], "int8", "global",
///                      annotations={"tenon.placement": ["global_workspace", 128]})
///
/// An address does not state the size: the result has the bytes of the largest buffer that is
/// declared on the address, here or in a called function. Addresses of constants stay. A module
/// that is not planned is returned unchanged.
IRModule WithAllocations(const IRModule& module);

}  // namespace tenon

#endif  // TENON_REPORT_PLANNED_MODULE_H_
