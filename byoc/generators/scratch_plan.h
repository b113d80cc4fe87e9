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
};

/// Plans the intermediates of an external function that only calls operators. Two that are never
/// needed at once may share memory. Nullopt when one has no constant size.
std::optional<ScratchPlan> PlanScratch(const ExternalFunction& external, int64_t alignment);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_SCRATCH_PLAN_H_
