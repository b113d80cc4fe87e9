#ifndef TENON_BYOC_ALL_REGIONS_H_
#define TENON_BYOC_ALL_REGIONS_H_

#include <optional>
#include <vector>

#include "byoc/region_solver.h"

namespace tenon {

/// Tries all choices of regions if at most ten nodes have a color. `region_of` is a choice, and
/// becomes a choice with the fewest regions; `siblings` is as in ChooseRegions. The search ends
/// early with a choice of `least` regions. Returns the number of regions, or nullopt for larger
/// graphs.
std::optional<int> TryAllRegions(const RegionGraph& graph, bool siblings, int least,
                                 std::vector<int>& region_of);

}  // namespace tenon

#endif  // TENON_BYOC_ALL_REGIONS_H_
