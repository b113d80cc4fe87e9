#ifndef TENON_BYOC_GENERATORS_STAGED_FACTORS_H_
#define TENON_BYOC_GENERATORS_STAGED_FACTORS_H_

#include <vector>

#include "byoc/op_info.h"

namespace tenon {

/// A computation that stores factors of its sum before it adds up the products.
struct StagedComputation {
  Computation computation;
  /// The operands that were added. Each is new memory, which the first stores fill.
  std::vector<int> memory;
};

/// Stores factors that are more than one element of memory, and that the sum needs more than once:
/// a padded input, or `max(x * scale, 0)`. The loops of the sum then have neither conditions nor
/// arithmetic for them, and each value is computed once. The sum has the order that it had.
///
/// The new memory has one axis for all loops that go in one direction: `h + kh` counts through one
/// axis of a padded image. A factor stays where it is when its memory would have gaps, or be more
/// than four times as large as what it is computed from.
StagedComputation StageFactors(const OpInfo& op);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_STAGED_FACTORS_H_
