#ifndef TENON_FRONTENDS_GRAPH_HYBRID_H_
#define TENON_FRONTENDS_GRAPH_HYBRID_H_

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "frontends/graph/code.h"
#include "frontends/graph/graph.h"

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

/// The range that the attribute `asymmetric_quantize_inputs` asks for.
RowRange RowRangeOf(const Attributes& attributes);

/// Quantises one row of `count` floats: those of `element`.
QuantizedRows QuantizeRow(Code& code, int64_t count, const std::function<Value(Value k)>& element,
                          RowRange range);

/// The real product of a quantised row and of `count` weights, integers of 8 bits. The weights are
/// int8, although old files call them uint8.
Value RowProduct(Code& code, const QuantizedRows& row, int64_t count,
                 const std::function<Value(Value k)>& weight, float weight_scale);

/// Whether a tensor has integers of 8 bits, one scale and no zero point; and the error if not.
bool IsHybridWeight(const Tensor& weights);
inline constexpr std::string_view kHybridWeights =
    "expected weights with one scale greater than 0 and a zero point of 0";

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_HYBRID_H_
