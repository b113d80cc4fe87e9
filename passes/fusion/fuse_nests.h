#ifndef TENON_PASSES_FUSION_FUSE_NESTS_H_
#define TENON_PASSES_FUSION_FUSE_NESTS_H_

#include "passes/pass.h"

namespace tenon {

/// Moves a nest of loops into the nest that produces what it reads.
absl::StatusOr<IRModule> FuseNests(const IRModule& module, const NoOptions& options,
                                   PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_FUSE_NESTS_H_
