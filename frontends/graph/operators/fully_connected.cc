// FULLY_CONNECTED: input [..., depth], weights [units, depth], bias [units]; the input's leading
// axes are rows.

#include <fmt/format.h>

#include <numeric>

#include "frontends/graph/contraction.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

namespace {

/// The number of units whose sums loops in lanes compute together. Sums of floats stay in
/// registers, and sums of integers share the loads of the input.
constexpr int64_t kFloatBlock = 8;
constexpr int64_t kIntegerBlock = 64;
/// Blocks of floats that are computed together. Their weights are contiguous.
constexpr int64_t kFloatBlocks = 4;

/// Units in the order of their weights: blocks of units, and groups of blocks.
struct UnitBlocks {
  int64_t groups = 1;
  int64_t blocks = 1;
  int64_t units = 1;

  UnitBlocks(int64_t all, bool is_float) {
    const int64_t wanted = is_float ? kFloatBlock : kIntegerBlock;
    units = all % wanted == 0 ? wanted : all;
    const int64_t count = all / units;
    blocks = is_float ? std::gcd(count, kFloatBlocks) : 1;
    groups = count / blocks;
  }
};

}  // namespace

absl::Status BuildFullyConnected(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 3); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& weights = code.input(1);
  if (code.attributes().Int("weights_format") != 0)
    return code.Unsupported("weights in shuffled order");
  if (weights.rank() != 2 || weights.elements() == 0) {
    return code.Wrong(
        fmt::format("expected weights of 2 dimensions, found {}", weights.TypeText()));
  }
  const int64_t units = weights.shape[0];
  const int64_t depth = weights.shape[1];
  const int64_t rows = x.elements() / depth;
  if (rows * depth != x.elements() || code.output().elements() != rows * units) {
    return code.Wrong(
        fmt::format("expected matching shapes, found input {}, weights "
                    "{} and output {}",
                    x.TypeText(), weights.TypeText(), code.output().TypeText()));
  }
  absl::StatusOr<Contraction> contraction = Contraction::Make(code, {}, 0, units);
  if (!contraction.ok()) return contraction.status();
  const bool is_constant = weights.data.has_value();
  const Array from = contraction->Input({rows, depth});
  const UnitBlocks of(units, x.dtype.is_floating());
  const std::vector<int64_t> seen = {of.groups, of.blocks, of.units, depth};
  const Array matrix =
      is_constant ? contraction->WeightsInOrder(seen, {0, 3, 1, 2}) : code.Flat(code.In(1), seen);
  const Array to = code.Flat(code.Out(), {rows, units});
  const int64_t extents[] = {rows, of.groups, of.blocks, of.units};
  code.Grid("i", extents, [&](const std::vector<Value>& at) {
    const Value unit = (at[1] * of.blocks + at[2]) * of.units + at[3];
    const Array sum = contraction->NewSum();
    code.For("k", depth, [&](Value k) {
      const Value weight =
          is_constant ? matrix({at[1], k, at[2], at[3]}) : matrix({at[1], at[2], at[3], k});
      contraction->AddProduct(sum, from({at[0], k}), weight);
    });
    code.Store(to, {at[0], unit}, contraction->Result(sum, at[0], unit));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
