#ifndef TENON_PASSES_MEMORY_ASSIGN_POOL_INFO_H_
#define TENON_PASSES_MEMORY_ASSIGN_POOL_INFO_H_

#include "passes/pass.h"

namespace tenon {

struct AssignPoolInfoOptions {
  std::string workspace_pools = {};
  std::string constant_pools = {};
  std::string pools = {};
  bool internal = true;
  bool external_workspace = false;

  static constexpr auto List() {
    using O = AssignPoolInfoOptions;
    return std::make_tuple(
        PassOption{"workspace-pools", &O::workspace_pools,
                   "pools in order of preference, name[:bytes][:align=N][:base=N], separated by "
                   "`;`; empty: the module's, or else global_workspace"},
        PassOption{"constant-pools", &O::constant_pools,
                   "the same for constants; empty: the module's, or else global_const_workspace "
                   "unless workspace pools were given"},
        PassOption{"pools", &O::pools,
                   "JSON file of pools of both kinds, instead of the two lists "
                   "(docs/reference/compile.md)"},
        PassOption{"internal", &O::internal, "the generated code owns the default pools"},
        PassOption{"external-workspace", &O::external_workspace,
                   "the caller owns the workspace pools, also those declared as internal"});
  }
};

/// Records the possible memory pools of every allocation: the annotation `candidate_memory_pools`.
///
///   before:
///     def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
///         t = T.allocate([4], "int8", "global")
///         t_1 = T.Buffer((4,), "int8", data=t)
///         for i in range(4):
///             t_1[i] = x[i] + T.int8(1)
///         for i in range(4):
///             y[i] = t_1[3 - i]
///   after:
///     def main(...):
///         t = T.allocate([4], "int8", "global",
///             annotations={"candidate_memory_pools": [metadata["ir.WorkspacePoolInfo"][0]]})
///         ...
///
/// Pools come from the options (passes/memory/pools_file.h describes the file), otherwise from the
/// module's attributes `workspace_memory_pools` and `constant_memory_pools`. Otherwise they are
/// `global_workspace` and `global_const_workspace`, unlimited and internal. As in TVM, if only
/// workspace pools are named, constants stay outside of pools. A constant that names pools
/// (`pools=[...]`) has those, in its order. A constant that names a section has the pools that the
/// generated code puts into that section; without such a pool, the constant has none. A constant
/// with `load` has the read-write pool of that name (the annotation `tenon.load_pool`); its
/// candidates are then for the stored form. An allocation with the annotation keeps it. Idempotent.
/// (TVM: tir.usmp.transform.AssignPoolInfo.)
absl::StatusOr<IRModule> AssignPoolInfo(const IRModule& module,
                                        const AssignPoolInfoOptions& options, PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_ASSIGN_POOL_INFO_H_
