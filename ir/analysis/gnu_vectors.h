#ifndef TENON_IR_ANALYSIS_GNU_VECTORS_H_
#define TENON_IR_ANALYSIS_GNU_VECTORS_H_

#include "ir/stmt.h"

namespace tenon {

/// Vectors with more lanes are lowered to loops instead.
inline constexpr int kMostGnuLanes = 64;

/// Whether GNU C has a vector type for `dtype`: 2, 4, ... 64 lanes of 8- to 64-bit integers,
/// float32 or float64. Vectors of bool are masks in GNU C, without a form in memory.
bool IsGnuVector(DataType dtype);

/// Whether GNU C's vectors can express this store of a vector with the same meaning. lower-vectors
/// leaves such stores alone, and the C lowering checks the stores that it is given.
///
/// Elements are scalars; accesses are ramps of stride one on flat buffers. The value consists of
/// such loads, Broadcast, Ramp, `+ - *`, float `/`, min and max, comparisons and masks, Select, bit
/// operations, shifts, and conversions (except float to integer, which saturates, and float32 to
/// float64). The outermost expression may choose by a scalar condition. Scalar operands contain no
/// vectors.
bool IsGnuVectorStore(const BufferStore* store);

/// The parts of a stored value that chooses by a scalar condition (`if_then_else` or Select): the
/// condition and both arms. `condition` is null for other values.
struct ScalarChoice {
  const Expr* condition = nullptr;
  const Expr* yes = nullptr;
  const Expr* no = nullptr;
};
ScalarChoice AsScalarChoice(const Expr* value);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_GNU_VECTORS_H_
