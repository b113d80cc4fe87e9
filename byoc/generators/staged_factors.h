#ifndef TENON_BYOC_GENERATORS_STAGED_FACTORS_H_
#define TENON_BYOC_GENERATORS_STAGED_FACTORS_H_

#include <vector>

#include "byoc/op_info.h"

namespace tenon {

/// A computation that stores factors of its sum before it adds up the products.
struct StagedComputation {
  Computation computation;
  /// The added operands. Each is new memory, which the first stores fill.
  std::vector<int> memory;
};

/// Stores computed factors that the sum needs more than once, such as a padded input or `max(x *
/// scale, 0)`. The loops of the sum then have neither conditions nor arithmetic for them, and each
/// value is computed once. The order of the sum stays the same.
///
/// The new memory has one axis for all loops of one direction: `h + kh` counts through one axis of
/// a padded image. A factor stays in place if its memory would have gaps, or would be more than
/// four times as large as its inputs.
StagedComputation StageFactors(const OpInfo& op);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_STAGED_FACTORS_H_
