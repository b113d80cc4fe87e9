#ifndef TENON_IR_ANALYSIS_ACCESS_COUNTS_H_
#define TENON_IR_ANALYSIS_ACCESS_COUNTS_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"

namespace tenon {

/// How much of a piece of storage one run of the entry function reads and writes.
struct AccessCount {
  /// Bytes, each as often as it is accessed; INT64_MAX stands for that many or more.
  int64_t bytes_read = 0;
  int64_t bytes_written = 0;
  /// False where a figure is a guess: see CountAccesses.
  bool exact = true;
};

/// Counts the accesses to every allocation (Allocate and AllocateConst, by their variables) and to
/// every parameter of the entry (by the parameter or the data variable of its buffer), with calls
/// of functions of the module followed. What is not accessed may be absent.
///
/// Every load and store counts its bytes, lanes included, times the extents of the loops around it,
/// times the runs of its function. Where that is not known:
///  - a loop whose extent is no constant, and a while loop, count as one iteration;
///  - of two branches the one that accesses more counts, storage by storage, for reads and for
///    writes; guards (predicates, `if` without else) count as if they held;
///  - an extern reads and writes, as it is declared (ir/analysis/effects.h), every byte of what it
///  is
///    given once;
///  - pointers that are passed on otherwise (stored, in structs) count once, whole, in both ways.
/// Recursive calls are not followed. Linear in the size of the module.
absl::flat_hash_map<const Var*, AccessCount> CountAccesses(const IRModule& module,
                                                           const Function& entry);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_ACCESS_COUNTS_H_
