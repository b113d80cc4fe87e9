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
  int64_t max_ops = 0;
  int64_t max_regions = 0;
  std::string host = {};

  static constexpr auto List() {
    using O = MergeRegionsOptions;
    return std::make_tuple(
        PassOption{"siblings", &O::siblings,
                   "calls that share an input may share a region, even if neither reads a result "
                   "of the other"},
        PassOption{"reorder", &O::reorder,
                   "calls move if memory permits; false: a region is a run of calls in the order "
                   "of the text"},
        PassOption{"min-ops", &O::min_ops, "least number of operators in a region"},
        PassOption{"min-macs", &O::min_macs,
                   "least number of multiplications in a region; -1: as its code generator says"},
        PassOption{"max-ops", &O::max_ops, "most operators in a region; 0: any number"},
        PassOption{"max-regions", &O::max_regions,
                   "most regions of one target, those with the most multiplications; 0: all"},
        PassOption{"host", &O::host,
                   "how the host's own code is compiled, as for annotate-targets"});
  }
};

/// Groups the calls of operators with the same target into regions, as few as possible.
///
///   before:
///     def scale(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
///         T.func_attr({"tenon.op": {"kind": "elementwise"}, "tenon.targets": ["npu"]})
///         for i in range(4):
///             y[i] = x[i] * 3
///     def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
///         a = T.allocate([4], "int32", "global")
///         T.call_extern("int32", "scale", x.data, a)
///         T.call_extern("int32", "scale", a, y.data)
///   after:
///     ...
///     def main(...):
///         a = T.allocate([4], "int32", "global")
///         T.attr(0, "tenon.region", "npu")
///         T.call_extern("int32", "scale", x.data, a)
///         T.call_extern("int32", "scale", a, y.data)
///
/// Variables of a `let` for an index or an address are first replaced by their values. Regions in
/// the text stay as they are; scopes of one name are moved together. A region is convex: no path
/// leaves it and comes back. Two calls keep their order if one reads what the other writes, or if
/// both use the same memory. So one piece of memory may safely hold several tensors. Loops,
/// branches and other statements do not move into regions; regions form inside of loops and
/// branches.
///
/// Results and shared inputs connect the calls of a region. A search looks for the order of calls
/// with the fewest runs of one target, and merges regions where possible. The number of regions is
/// least if it reaches a lower bound, which is nearly always the case, or with up to ten operators.
/// Otherwise it is the best that the search found: no two connected regions could be one. The same
/// text gives the same regions.
///
/// If the generator refuses a region, the pass tries the region without its last operator, and then
/// gives it up. Its operators go to their next targets, and at last to the host. A scope of the
/// target `host` then gives the reason. A second run changes nothing.
///
/// Errors: `region-cycle` if scopes of one name are not convex together; `planned-module`.
///
/// Counters: `merge-regions.regions`, `merge-regions.operators`, `merge-regions.refused`.
absl::StatusOr<IRModule> MergeRegions(const IRModule& module, const MergeRegionsOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_BYOC_MERGE_REGIONS_H_
