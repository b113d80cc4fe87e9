#ifndef TENON_BYOC_MERGE_REGIONS_H_
#define TENON_BYOC_MERGE_REGIONS_H_

#include <string>

#include "passes/pass.h"

namespace tenon {

struct MergeRegionsOptions {
  bool siblings = true;
  bool reorder = true;
  int64_t min_ops = 1;
  int64_t min_macs = -1;
  int64_t max_regions = 0;
  std::string host = {};

  static constexpr auto List() {
    using O = MergeRegionsOptions;
    return std::make_tuple(
        PassOption{"siblings", &O::siblings, "put operators that share an input into one region"},
        PassOption{"reorder", &O::reorder, "move calls that do not depend on each other"},
        PassOption{"min-ops", &O::min_ops, "least number of operators in a region"},
        PassOption{"min-macs", &O::min_macs,
                   "least number of multiplications in a region; -1: as its code generator says"},
        PassOption{"max-regions", &O::max_regions,
                   "most regions of one target, those with the most multiplications; 0: all"},
        PassOption{"host", &O::host, "how the host's own code is compiled (HostFacts)"});
  }
};

/// Groups calls of operators that go to one target into as few regions as possible.
///
///   before:  T.call_extern("int32", "conv", x.data, a)     # conv, relu: tenon.targets ["npu"]
///            T.call_extern("int32", "sort", a, b)
///            T.call_extern("int32", "relu", a, c)
///   after:   with T.attr(0, "tenon.region", "npu"):
///                T.call_extern("int32", "conv", x.data, a)
///                T.call_extern("int32", "relu", a, c)
///            T.call_extern("int32", "sort", a, b)
///
/// Two calls are joined by a result that one passes to the other, and with `siblings` also by a
/// shared input. First, variables of a `let` for an index or an address are replaced by their
/// values.
///
/// A region never needs the result of a statement that needs a result of the region. A call moves
/// only past calls that share no memory with it, or that only read the shared memory, as it does. A
/// loop or branch is one statement, with regions of its own inside. Regions in the text stay as
/// they are; scopes of one name are moved together.
///
/// If the generator refuses a region, the pass tries it without its last operator, and then gives
/// it up. The operators of such a region go to their next target, and at last to the host. The
/// scope `T.attr("npu: below min-macs", "tenon.region", "host")` gives the reason. A second run
/// changes nothing. Errors: region-cycle, planned-module. Counters: merge-regions.regions,
/// merge-regions.operators, merge-regions.refused.
absl::StatusOr<IRModule> MergeRegions(const IRModule& module, const MergeRegionsOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_BYOC_MERGE_REGIONS_H_
