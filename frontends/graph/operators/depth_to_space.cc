// DEPTH_TO_SPACE: groups of channels become squares of `block_size` places in two dimensions.

#include "frontends/graph/elementwise.h"
#include "frontends/graph/movement.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildDepthToSpace(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(1, 1); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  const int64_t block = code.attributes().Int("block_size");
  if (x.dtype != output.dtype) return UnsupportedTypes(code);
  constexpr int64_t kMost = 1 << 15;
  if (x.rank() != 4 || block < 1 || block > kMost || x.shape[3] % (block * block) != 0)
    return code.Wrong("expected 4 dimensions, and channels for each place of a block");
  const int64_t channels = x.shape[3] / (block * block);
  if (output.shape !=
      std::vector<int64_t>{x.shape[0], x.shape[1] * block, x.shape[2] * block, channels})
    return code.Wrong("expected an output that fits the input, found " + output.TypeText());
  constexpr size_t kOrder[] = {0, 1, 3, 2, 4, 5};
  WriteTransposed(code, {x.shape[0], x.shape[1], x.shape[2], block, block, channels}, kOrder);
  return absl::OkStatus();
}

}  // namespace tenon::graph
