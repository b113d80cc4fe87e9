// SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND: places of a block become batches, after padding, or the
// other way round, before cropping. Blocks have one extent for each axis after the first.

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

namespace {

struct Blocks {
  std::vector<int64_t> extents;
  /// The padding or cropping before each of these axes.
  std::vector<int64_t> before;
  int64_t places = 1;
};

/// Checks that `wide` is `deep` with the blocks of its batches in its axes, less `margins`.
absl::StatusOr<Blocks> BlocksOf(const OperatorCode& code, const Tensor& wide, const Tensor& deep) {
  const auto extents = code.input(1).Integers();
  const auto margins = code.input(2).Integers();
  if (!extents || !margins) return NotConstant(code, "blocks or margins that are", {1, 2});
  const size_t count = extents->size();
  if (wide.dtype != deep.dtype) return UnsupportedTypes(code);
  bool fits = wide.shape.size() > count && wide.shape.size() == deep.shape.size() &&
              margins->size() == 2 * count;
  Blocks blocks;
  for (size_t i = 0; fits && i < count; ++i) {
    const int64_t before = (*margins)[2 * i];
    const int64_t after = (*margins)[2 * i + 1];
    constexpr int64_t kMost = 1 << 15;
    fits = (*extents)[i] >= 1 && (*extents)[i] <= kMost && before >= 0 && after >= 0 &&
           blocks.places <= deep.shape[0] &&
           wide.shape[i + 1] + before + after == deep.shape[i + 1] * (*extents)[i];
    blocks.extents.push_back((*extents)[i]);
    blocks.before.push_back(before);
    blocks.places *= (*extents)[i];
  }
  fits = fits && wide.shape[0] * blocks.places == deep.shape[0];
  for (size_t axis = count + 1; fits && axis < wide.shape.size(); ++axis)
    fits = wide.shape[axis] == deep.shape[axis];
  if (fits) return blocks;
  return code.Wrong("expected blocks that fit the shapes, found " + code.input(0).TypeText() +
                    " and " + code.output().TypeText());
}

}  // namespace

absl::Status BuildSpaceToBatchNd(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(3, 3); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  const absl::StatusOr<Blocks> blocks = BlocksOf(code, x, output);
  if (!blocks.ok()) return blocks.status();
  const size_t count = blocks->extents.size();
  // The batches of the output are places of blocks, and then batches of the input.
  std::vector<int64_t> seen = blocks->extents;
  seen.push_back(x.shape[0]);
  seen.insert(seen.end(), output.shape.begin() + 1, output.shape.end());
  const Array from = code.In(0);
  const Array to = code.Flat(code.Out(), seen);
  const auto zero = static_cast<double>(output.quantization.zero_point());
  const Value value = code.Number(x.dtype, x.dtype.is_integer() ? zero : 0);
  code.Grid("i", seen, [&](const std::vector<Value>& at) {
    Value inside = code.Bool(true);
    std::vector<Value> own(at.begin() + static_cast<int64_t>(count), at.end());
    for (size_t i = 0; i < count; ++i) {
      const Value padded = own[i + 1] * blocks->extents[i] + at[i];
      const int64_t before = blocks->before[i];
      if (before > 0) inside = inside && before <= padded;
      if (x.shape[i + 1] + before < output.shape[i + 1] * blocks->extents[i])
        inside = inside && padded < x.shape[i + 1] + before;
      own[i + 1] = padded - before;
    }
    code.Store(to, at, IfThenElse(inside, from.Load(own), value));
  });
  return absl::OkStatus();
}

absl::Status BuildBatchToSpaceNd(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(3, 3); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  const absl::StatusOr<Blocks> blocks = BlocksOf(code, output, x);
  if (!blocks.ok()) return blocks.status();
  const size_t count = blocks->extents.size();
  std::vector<int64_t> seen = blocks->extents;
  seen.push_back(output.shape[0]);
  seen.insert(seen.end(), x.shape.begin() + 1, x.shape.end());
  const Array from = code.Flat(code.In(0), seen);
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    std::vector<Value> own, rest = at;
    for (size_t i = 0; i < count; ++i) {
      const Value padded = at[i + 1] + blocks->before[i];
      own.push_back(FloorMod(padded, blocks->extents[i]));
      rest[i + 1] = FloorDiv(padded, blocks->extents[i]);
    }
    own.insert(own.end(), rest.begin(), rest.end());
    return from.Load(own);
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
