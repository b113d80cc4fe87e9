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

/// Groups the calls of operators with the same target into as few regions as possible.
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
/// Variables of a `let` for an index or an address are first replaced by their values. The pass
/// keeps the regions of the module, and moves scopes of the same name together. A region is convex:
/// no path leaves it and comes back. Two calls keep their order if one reads what the other writes,
/// or if both use the same memory, so it is safe if one piece of memory holds several tensors.
/// Loops, branches and other statements do not move into regions, but regions may form inside of
/// loops and branches.
///
/// The calls of a region are connected by results or shared inputs. A search finds an order of
/// calls in which the target changes as rarely as possible, and merges regions if that is allowed.
/// The number of regions is the least possible if there are up to ten operators, or if it reaches a
/// lower bound, which is nearly always the case. Otherwise it is the best that the search found: no
/// two connected regions could be merged. The result is deterministic.
///
/// If the generator refuses a region, the pass first tries the region without its last operator. If
/// that is also refused, the operators go to their next targets, or finally to the host. A scope of
/// the target `host` then states the reason. A second run changes nothing.
///
/// Errors: `region-cycle` if scopes of one name are not convex together; `planned-module`.
///
/// Counters: `merge-regions.regions`, `merge-regions.operators`, `merge-regions.refused`.
absl::StatusOr<IRModule> MergeRegions(const IRModule& module, const MergeRegionsOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_BYOC_MERGE_REGIONS_H_
