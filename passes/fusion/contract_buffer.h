#ifndef TENON_PASSES_FUSION_CONTRACT_BUFFER_H_
#define TENON_PASSES_FUSION_CONTRACT_BUFFER_H_

#include "passes/fusion/nest.h"
#include "passes/fusion/region.h"

namespace tenon {

/// A nest with an allocation in one of its loops.
struct Contracted {
  const Stmt* stmt = nullptr;
  const Var* data = nullptr;
  /// Of the allocation.
  int64_t elements = 0;
};

/// `stmt`, the only statement that accesses what `allocate` gives, with an allocation of its own in
/// the innermost loop of its nest where each iteration has elements of its own. The result has no
/// statement when no loop makes it smaller.
Contracted ContractBuffer(const FusionTools& tools, const Stmt* stmt, const PointerUse& use,
                          const Allocate& allocate);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_CONTRACT_BUFFER_H_
