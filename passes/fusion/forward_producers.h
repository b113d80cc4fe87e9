#ifndef TENON_PASSES_FUSION_FORWARD_PRODUCERS_H_
#define TENON_PASSES_FUSION_FORWARD_PRODUCERS_H_

#include "passes/pass.h"

namespace tenon {

/// Replaces loads of a buffer by the value that its only producer stored there.
absl::StatusOr<IRModule> ForwardProducers(const IRModule& module, const NoOptions& options,
                                          PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_FORWARD_PRODUCERS_H_
