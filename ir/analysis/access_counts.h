#ifndef TENON_IR_ANALYSIS_ACCESS_COUNTS_H_
#define TENON_IR_ANALYSIS_ACCESS_COUNTS_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"

namespace tenon {

/// Bytes of one piece of storage that one run of the entry function reads and writes.
struct AccessCount {
  /// Bytes, counted once for each access. INT64_MAX means that many or more.
  int64_t bytes_read = 0;
  int64_t bytes_written = 0;
  /// False if a figure is an estimate: see CountAccesses.
  bool exact = true;
};

/// Counts the accesses to every allocation (Allocate and AllocateConst, by their variables) and to
/// every parameter of the entry (by the parameter or the data variable of its buffer). Calls of
/// functions of the module are followed. Storage that is not accessed may be absent.
///
/// Every load and store counts its bytes, lanes included, times the extents of the enclosing loops,
/// times the runs of its function. Estimates, where these numbers are not known:
///  - a loop whose extent is not constant, and a while loop, count as one iteration;
///  - of two branches the one that accesses more counts, separately for each storage, for reads and
///    for writes; guards (predicates, `if` without else) count as if they held;
///  - an extern reads or writes every byte of its arguments' storage once, as its declaration says
///    (ir/analysis/effects.h);
///  - an access through a pointer that may come from several buffers counts for each of them;
///  - pointers that escape otherwise (stored, in structs) count as one read and one write of
///    everything.
/// Recursive calls are not followed. Linear in the size of the module.
absl::flat_hash_map<const Var*, AccessCount> CountAccesses(const IRModule& module,
                                                           const Function& entry);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_ACCESS_COUNTS_H_
