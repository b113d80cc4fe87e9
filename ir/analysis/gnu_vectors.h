#ifndef TENON_IR_ANALYSIS_GNU_VECTORS_H_
#define TENON_IR_ANALYSIS_GNU_VECTORS_H_

#include "ir/stmt.h"

namespace tenon {

/// Vectors of more lanes are better off in loops.
inline constexpr int kMostGnuLanes = 64;

/// Does GNU C have a vector type of it? 2, 4, ... 64 lanes of integers of 8 to 64 bits, of float32
/// or float64. Not of bool, which is a mask there and has no form in memory.
bool IsGnuVector(DataType dtype);

/// Is this store of a vector one that GNU C's vectors can express, with the meaning that it has
/// here? lower-vectors asks it about what it may leave, the C lowering about what it is given.
///
/// Elements are scalars, accesses are ramps of stride one on flat buffers. The value is made of
/// such loads, Broadcast, Ramp, `+ - *`, float `/`, min and max, comparisons and masks, Select,
/// bit operations, shifts, and conversions other than from float to integer, which saturate. A
/// choice by a scalar condition may stand on top. What is scalar in it has no vector within.
bool IsGnuVectorStore(const BufferStore* store);

/// The choice by a scalar condition that a value of a store is, `if_then_else` or Select: the
/// condition and both arms. `condition` is null for other values.
struct ScalarChoice {
  const Expr* condition = nullptr;
  const Expr* yes = nullptr;
  const Expr* no = nullptr;
};
ScalarChoice AsScalarChoice(const Expr* value);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_GNU_VECTORS_H_
