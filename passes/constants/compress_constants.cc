// Compression is a knapsack problem. The value of a constant is the number of bytes that it saves
// in ROM, and its weight is the RAM for its loaded bytes. A constant that is loaded anyway weighs
// nothing.

#include "passes/constants/compress_constants.h"

#include <fmt/format.h>

#include "passes/constants/constant_loading.h"
#include "passes/constants/knapsack.h"
#include "support/codec.h"

namespace tenon {

namespace {

/// The stored size of a constant; 0 if compression does not pay.
int64_t StoredSize(const Constant& constant, Codec codec, double min_ratio) {
  const absl::StatusOr<std::span<const uint8_t>> bytes = constant.Bytes();
  if (!bytes.ok()) return 0;
  const absl::StatusOr<std::vector<uint8_t>> stored = Compress(codec, *bytes);
  if (!stored.ok() || stored->size() >= bytes->size()) return 0;
  const double ratio = static_cast<double>(bytes->size()) / static_cast<double>(stored->size());
  return ratio < min_ratio ? 0 : static_cast<int64_t>(stored->size());
}

}  // namespace

absl::StatusOr<IRModule> CompressConstants(const IRModule& module,
                                           const CompressConstantsOptions& options,
                                           PassContext& context) {
  const std::optional<Codec> codec = CodecNamed(options.codec);
  if (!codec) {
    return absl::InvalidArgumentError(
        fmt::format("unknown codec `{}`, expected lz4 or zstd", options.codec));
  }
  struct Candidate {
    const Constant* data;
    int64_t stored;
  };
  std::vector<Candidate> candidates;
  std::vector<KnapsackItem> items;
  for (const LoadableConstant& constant : LoadableConstants(module)) {
    const ConstantPlacement& placement = constant.data->placement();
    if (!placement.codec.empty() || constant.is_shared) continue;
    const int64_t stored = StoredSize(*constant.data, *codec, options.min_ratio);
    if (stored == 0) continue;
    candidates.push_back({constant.data, stored});
    items.push_back({constant.data->size_bytes() - stored,
                     placement.load.empty() ? PaddedBytes(*constant.data) : 0});
  }
  const std::string pool = options.pool.empty() ? FirstPool(module) : options.pool;
  // An unknown pool is an error even if no constant is worth compressing.
  const int64_t wanted = candidates.empty() ? 0 : options.budget;
  const absl::StatusOr<int64_t> budget = LoadBudget(module, pool, wanted, context);
  if (!budget.ok()) return budget.status();
  const KnapsackChoice choice = SolveKnapsack(items, *budget);
  absl::flat_hash_map<const Constant*, const Constant*> replacements;
  for (const size_t i : choice.taken) {
    const Constant& data = *candidates[i].data;
    ConstantPlacement placement = data.placement();
    placement.codec = options.codec;
    if (placement.load.empty()) placement.load = pool;
    replacements[&data] = WithPlacement(module.context(), data, std::move(placement));
    context.Count("compress-constants.compressed", 1);
    context.Count("compress-constants.bytes", data.size_bytes());
    context.Count("compress-constants.stored_bytes", candidates[i].stored);
  }
  if (!choice.is_best) context.Count("compress-constants.limited", 1);
  return ReplaceConstants(module, replacements, context);
}

}  // namespace tenon
