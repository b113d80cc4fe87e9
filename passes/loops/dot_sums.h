#ifndef TENON_PASSES_LOOPS_DOT_SUMS_H_
#define TENON_PASSES_LOOPS_DOT_SUMS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/computation.h"
#include "ir/constant.h"

// Internal to dot-products: sums that dot products of 8-bit integers compute.

namespace tenon {

/// A sum of products: 8-bit integers from memory, plus a number, times constants of 8 bits.
struct DotSum {
  /// The step of the sum.
  int step = -1;
  /// The integer reduction whose values contain the sum, or -1. The loops of the reduction
  /// are among `rows`.
  int around = -1;
  /// The step that reads the integer from memory.
  int read = -1;
  /// The factor is the loaded number plus `offset`, or 0 if one of the steps `guards` is false.
  int64_t offset = 0;
  /// The step whose value `offset` is, if that is an element of a constant; -1 for a number in the
  /// code. Bytes of constants may be replaced, so code must read it.
  int offset_step = -1;
  std::vector<int> guards;
  /// Loops of the result on which only the constant factor depends, and loops on which it does not.
  std::vector<int> columns;
  std::vector<int> rows;
  /// The loops of the sum, the outermost first.
  std::vector<int> summed;
  /// The constant factor for all values of `columns` and `summed`, the last loop fastest.
  std::vector<int8_t> weights;
};

/// The sums of a computation with one store that dot products can compute. `constants[i]` is the
/// data of operand i, or null.
std::vector<DotSum> FindDotSums(const Computation& all,
                                const std::vector<const Constant*>& constants);

/// True if dot products of `steps` elements can read the sum's elements without a copy, with `loop`
/// as the innermost loop: the elements are adjacent, and have no conditions.
bool IsDirect(const Computation& all, const DotSum& sum, int loop, int64_t steps);

/// The first loop for which IsDirect holds; -1 if elements must be copied.
int DirectLoop(const Computation& all, const DotSum& sum, int64_t steps);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_DOT_SUMS_H_
