// SPACE_TO_DEPTH: squares of `block_size` places in two dimensions become groups of channels.

#include "frontends/graph/elementwise.h"
#include "frontends/graph/movement.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildSpaceToDepth(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(1, 1); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  const int64_t block = code.attributes().Int("block_size");
  if (x.dtype != output.dtype) return UnsupportedTypes(code);
  constexpr int64_t kMost = 1 << 15;
  if (x.rank() != 4 || block < 1 || block > kMost || x.shape[1] % block != 0 ||
      x.shape[2] % block != 0)
    return code.Wrong("expected 4 dimensions, and places that blocks divide evenly");
  const int64_t rows = x.shape[1] / block;
  const int64_t columns = x.shape[2] / block;
  if (output.shape != std::vector<int64_t>{x.shape[0], rows, columns, x.shape[3] * block * block})
    return code.Wrong("expected an output that fits the input, found " + output.TypeText());
  constexpr size_t kOrder[] = {0, 1, 3, 2, 4, 5};
  WriteTransposed(code, {x.shape[0], rows, block, columns, block, x.shape[3]}, kOrder);
  return absl::OkStatus();
}

}  // namespace tenon::graph
