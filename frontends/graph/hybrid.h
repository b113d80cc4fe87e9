#ifndef TENON_FRONTENDS_GRAPH_HYBRID_H_
#define TENON_FRONTENDS_GRAPH_HYBRID_H_

#include <cstdint>
#include <vector>

#include "frontends/graph/code.h"

// Floats that become integers of 8 bits at run time, as in TensorFlow Lite for float inputs and
// int8 weights.

namespace tenon::graph {

/// The integers that represent the floats of a row.
enum class RowRange : uint8_t {
  kSymmetric,   ///< -127 to 127; 0 represents 0
  kAsymmetric,  ///< -128 to 127 for the range from the least element to the greatest, 0 included
};

/// Rows of integers without their zero points, and the scale of each row.
struct QuantizedRows {
  Array values;  ///< the shape of the floats, int8 or int16
  Array scales;  ///< [rows], float32
};

/// Writes the statements that quantise `x`, floats of `shape`. The first axis has the rows.
QuantizedRows QuantizeRows(Code& code, const Array& x, const std::vector<int64_t>& shape,
                           RowRange range);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_HYBRID_H_
