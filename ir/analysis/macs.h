#ifndef TENON_IR_ANALYSIS_MACS_H_
#define TENON_IR_ANALYSIS_MACS_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"

namespace tenon {

/// Counts multiply-accumulate operations: multiplications whose product a store adds to the element
/// that it stores, each lane separately, times the extents of the loops. `dp4a` has four. Padded
/// elements count. Calls of functions of the module are followed, but not recursive ones. These are
/// estimates: a loop whose extent is not constant counts as one iteration, and of two branches the
/// one with more counts.
class MacCounter {
 public:
  explicit MacCounter(const IRModule& module) : module_(module) {}

  /// The operations of one run of a statement; INT64_MAX means that many or more.
  int64_t Of(const Stmt* stmt);
  /// The operations of one call of a function.
  int64_t Of(const Function& function);

 private:
  const IRModule& module_;
  absl::flat_hash_map<Symbol, int64_t> known_;
};

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_MACS_H_
