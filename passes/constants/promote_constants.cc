// Promotion is a knapsack problem. The value of a constant is the number of bytes that a run reads
// from it, and its weight is its size with padding.

#include "passes/constants/promote_constants.h"

#include "passes/constants/constant_loading.h"
#include "passes/constants/knapsack.h"

namespace tenon {

absl::StatusOr<IRModule> PromoteConstants(const IRModule& module,
                                          const PromoteConstantsOptions& options,
                                          PassContext& context) {
  std::vector<LoadableConstant> constants = LoadableConstants(module);
  std::erase_if(constants,
                [](const LoadableConstant& c) { return !c.data->placement().load.empty(); });
  if (constants.empty()) return module;
  const std::string pool = options.pool.empty() ? FirstPool(module) : options.pool;
  const absl::StatusOr<int64_t> budget = LoadBudget(module, pool, options.budget, context);
  if (!budget.ok()) return budget.status();
  std::vector<KnapsackItem> items;
  for (const LoadableConstant& constant : constants)
    items.push_back({constant.bytes_read, PaddedBytes(*constant.data)});
  const KnapsackChoice choice = SolveKnapsack(items, *budget);
  absl::flat_hash_map<const Constant*, const Constant*> replacements;
  for (const size_t i : choice.taken) {
    const Constant& data = *constants[i].data;
    ConstantPlacement placement = data.placement();
    placement.load = pool;
    replacements[&data] = WithPlacement(module.context(), data, std::move(placement));
    context.Count("promote-constants.promoted", 1);
    context.Count("promote-constants.bytes", data.size_bytes());
    context.Count("promote-constants.bytes_read", constants[i].bytes_read);
  }
  if (!choice.is_best) context.Count("promote-constants.limited", 1);
  return ReplaceConstants(module, replacements, context);
}

}  // namespace tenon
