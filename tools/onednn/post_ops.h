#ifndef TENON_TOOLS_ONEDNN_POST_OPS_H_
#define TENON_TOOLS_ONEDNN_POST_OPS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "analysis/computation.h"
#include "runtime/tenon_onednn.h"

namespace tenon {

/// An operation on one value: with numbers, or with the element of an access.
struct PostOp {
  int algorithm = TENON_ONEDNN_NONE;
  float alpha = 0;
  float beta = 0;
  int access = -1;
};

/// The operations that make the value of step `to` from the value of step `from`, in order. If
/// there is another operation between them, the message of the status is the reason.
absl::StatusOr<std::vector<PostOp>> FindPostOps(const Computation& all, int from, int to);

/// The read from which a value is computed, by operations with other operands; -1 without.
int FirstRead(const Computation& all, int step);

/// True if the operation rounds as its step does.
bool IsExact(const PostOp& post);

}  // namespace tenon

#endif  // TENON_TOOLS_ONEDNN_POST_OPS_H_
