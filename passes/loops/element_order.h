#ifndef TENON_PASSES_LOOPS_ELEMENT_ORDER_H_
#define TENON_PASSES_LOOPS_ELEMENT_ORDER_H_

#include <string>
#include <vector>

#include "passes/loops/computed_function.h"
#include "schedule/machine.h"

namespace tenon {

/// An order of the loops of a store without sums.
struct ElementOrder {
  /// The outermost first.
  std::vector<int> loops;
  /// True if the two innermost loops are those of tiles, which are transposed in registers
  /// (transpose-tiles); false if vectors run along the innermost loop.
  bool is_turned = false;
  double cycles = 0;
};

/// The best orders by their cost (schedule/cost.h), at most three; the first one is the cheapest.
/// Any loop may be the innermost one. The other loops run through memory in order: the longest step
/// of the stored elements first.
std::vector<ElementOrder> BestOrders(const Computation& all, const ComputationStore& store,
                                     const Machine& machine);

/// All stores of a computation with the loops of each store in the best order. A result with one
/// sum is computed alone. Steps of a sum of floats keep their order; those of a sum of integers
/// follow rows of elements. Null if the original loops are as good: they skip steps of a sum, or a
/// sum of sums would be computed again for each step. The best orders and their costs are added to
/// `shown`, unless it is null.
const Stmt* InBestOrder(ComputedFunction& computed, Computation all, const Machine& machine,
                        std::vector<std::string>* shown);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_ELEMENT_ORDER_H_
