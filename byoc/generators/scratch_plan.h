#ifndef TENON_BYOC_GENERATORS_SCRATCH_PLAN_H_
#define TENON_BYOC_GENERATORS_SCRATCH_PLAN_H_

#include <cstdint>
#include <vector>

#include "byoc/code_generator.h"

namespace tenon {

/// Where an external function keeps its intermediates in scratch memory.
struct ScratchPlan {
  int64_t bytes = 0;
  /// The offset of each of ExternalFunction::intermediates.
  std::vector<int64_t> offsets;
  /// The offset of the memory that each call needs for itself.
  std::vector<int64_t> call_offsets;
};

/// Plans the intermediates of an external function that makes the calls `ops` and nothing else, and
/// `call_bytes[i]` bytes of memory that call i needs while it runs. Two that are never needed at
/// once may share memory. Nullopt when an intermediate has no constant size.
std::optional<ScratchPlan> PlanScratch(const ExternalFunction& external,
                                       const std::vector<OpCall>& ops,
                                       const std::vector<int64_t>& call_bytes, int64_t alignment);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_SCRATCH_PLAN_H_
