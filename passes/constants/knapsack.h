#ifndef TENON_PASSES_CONSTANTS_KNAPSACK_H_
#define TENON_PASSES_CONSTANTS_KNAPSACK_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Internal to passes/: which things to take where there is not room for all.

namespace tenon {

struct KnapsackItem {
  int64_t value = 0;   ///< not negative
  int64_t weight = 0;  ///< not negative
};

struct KnapsackChoice {
  /// Indices of items, ascending.
  std::vector<size_t> taken;
  /// No choice is worth more; false when the search stopped at its limit.
  bool is_best = true;
};

/// The items of the most value in sum that weigh no more than `capacity` together; of no value:
/// not taken. Branch and bound in the order of value per weight (Horowitz and Sahni, 1974), with a
/// limit on its steps: what was best until then is taken. Depends on nothing but the arguments.
KnapsackChoice SolveKnapsack(std::span<const KnapsackItem> items, int64_t capacity);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_KNAPSACK_H_
