#ifndef TENON_PASSES_FUSION_CONTRACT_BUFFER_H_
#define TENON_PASSES_FUSION_CONTRACT_BUFFER_H_

#include "passes/fusion/nest.h"
#include "passes/fusion/region.h"

namespace tenon {

/// A nest with an allocation in one of its loops.
struct Contracted {
  const Stmt* stmt = nullptr;
  const Var* data = nullptr;
  /// The allocation's elements.
  int64_t elements = 0;
};

/// Moves an allocation into its only user, `stmt`. The allocation goes into the innermost loop of
/// the nest whose iterations access different elements, and becomes as small as one iteration
/// needs. The result has no statement if no loop makes the allocation smaller.
Contracted ContractBuffer(const FusionTools& tools, const Stmt* stmt, const PointerUse& use,
                          const Allocate& allocate);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_CONTRACT_BUFFER_H_
