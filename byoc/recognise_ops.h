#ifndef TENON_BYOC_RECOGNISE_OPS_H_
#define TENON_BYOC_RECOGNISE_OPS_H_

#include "passes/pass.h"

namespace tenon {

struct RecogniseOpsOptions {
  bool keep = false;

  static constexpr auto List() {
    return std::make_tuple(
        PassOption{"keep", &RecogniseOpsOptions::keep, "keep the claims that are there"});
  }
};

absl::StatusOr<IRModule> RecogniseOps(const IRModule& module, const RecogniseOpsOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_BYOC_RECOGNISE_OPS_H_
