#ifndef TENON_PASSES_CONSTANTS_KNAPSACK_H_
#define TENON_PASSES_CONSTANTS_KNAPSACK_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Internal to passes/: chooses items if there is not room for all.

namespace tenon {

struct KnapsackItem {
  int64_t value = 0;   ///< not negative
  int64_t weight = 0;  ///< not negative
};

struct KnapsackChoice {
  /// The indices of the chosen items, ascending.
  std::vector<size_t> taken;
  /// True if no choice is worth more; false if the search stopped at its limit.
  bool is_best = true;
};

/// Chooses the items with the largest total value that together weigh at most `capacity`; items
/// without value are not chosen. Branch and bound in the order of value per weight (Horowitz and
/// Sahni, 1974). At the limit of steps, the best choice so far is returned. Depends only on the
/// arguments.
KnapsackChoice SolveKnapsack(std::span<const KnapsackItem> items, int64_t capacity);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_KNAPSACK_H_
