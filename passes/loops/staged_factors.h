#ifndef TENON_PASSES_LOOPS_STAGED_FACTORS_H_
#define TENON_PASSES_LOOPS_STAGED_FACTORS_H_

#include <optional>
#include <vector>

#include "analysis/computation.h"
#include "schedule/pads.h"

namespace tenon {

/// A computation that stores the factors of its sum before it adds up the products.
struct StagedComputation {
  Computation computation;
  /// The added operands. Each is new memory, which the first stores fill.
  std::vector<int> memory;
};

/// Stores computed factors that the sum `sum`, a step or -1, needs more than once, such as a padded
/// input or `max(x * scale, 0)`. The loops of the sum then have neither conditions nor arithmetic
/// for them, and each value is computed once. The order of the sum stays the same.
///
/// The new memory has one axis for all loops of one direction: `h + kh` counts through one axis of
/// a padded image. A factor is not stored if its memory would have gaps, or would be more than 16
/// times as large as its inputs. With `extends`, integers of 8 bits that a sum of int32 adds up are
/// stored as int16, because instructions for pairs of products need int16.
StagedComputation StageFactors(const Computation& all, int sum, bool extends);

/// Which elements of a reduction become neighbours.
struct StagedRow {
  /// The loop whose iterations are neighbours in memory; -1: none.
  int loop = -1;
  /// A loop whose rows follow each other; -1: none.
  int tile = -1;
  /// Elements that are at most this far apart are not copied.
  int64_t near = 1;
};

/// Stores the elements that the reduction `sum` reads along a row, if they are too far apart there,
/// so that neighbours along the row are neighbours in memory. A value under a condition is stored
/// as a whole, except for the select of `pads`. Nullopt if an element cannot be stored before: its
/// index or its condition depends on more than loops, or the function stores the operand.
std::optional<StagedComputation> StageRow(const Computation& all, int sum, const StagedRow& row,
                                          const Pads* pads);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_STAGED_FACTORS_H_
