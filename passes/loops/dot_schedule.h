#ifndef TENON_PASSES_LOOPS_DOT_SCHEDULE_H_
#define TENON_PASSES_LOOPS_DOT_SCHEDULE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/computation.h"
#include "passes/loops/dot_products.h"
#include "passes/loops/dot_sums.h"
#include "schedule/machine.h"
#include "schedule/schedule.h"

// The schedules of dot-products: how they are chosen, which are legal, and the form from which
// loops are written.

namespace tenon {

/// The way in which dot-products adds products on a machine. Nullopt if the loop passes are faster
/// there: it has vectors, but no instruction for dot products of 16 elements.
std::optional<Combine> DotsOf(const Machine& machine);

/// The blocks that a machine computes fastest, or with the least code.
DotProductsOptions DotBlocksOf(const Machine& machine, bool is_small);

/// The schedule of a sum of dot products, in the form from which loops are written.
struct DotShape {
  /// The loops of the places and of the channels whose sums are computed together; -1: none.
  int row = -1;
  int column = -1;
  int64_t rows = 1;
  int64_t columns = 1;
  /// The loops of the sum, the outermost first.
  std::vector<int> summed;
  /// The elements are copied first, so that those of all steps are neighbours.
  bool packs = false;
  /// Steps of the sum in an iteration of its innermost loop: several dot products.
  int64_t steps = 1;
};

/// The schedules of the sums of a computation, which share their loops of places and channels.
std::vector<Schedule> ScheduleDots(const Computation& all, const std::vector<DotSum>& sums,
                                   const DotProductsOptions& options);

/// The shape of the schedule of `sum`, which is one of `sums`. Nullopt with `because` set if loops
/// cannot be written in this order.
std::optional<DotShape> DotShapeOf(const Schedule& schedule, const Computation& all,
                                   const std::vector<DotSum>& sums, const DotSum& sum,
                                   std::string& because);

/// The reason why the only sum of a computation cannot follow a schedule; empty if it can.
/// Instructions are those of Combine `most`, or shorter dot products.
std::string WhyNotDots(const Schedule& schedule, const Computation& all,
                       const std::vector<DotSum>& sums, Combine most);

/// The steps of a sum, including those that fill up the last dot product.
int64_t StepsOfDots(const Computation& all, const DotSum& sum, Combine combine);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_DOT_SCHEDULE_H_
