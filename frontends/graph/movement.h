#ifndef TENON_FRONTENDS_GRAPH_MOVEMENT_H_
#define TENON_FRONTENDS_GRAPH_MOVEMENT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "frontends/graph/operator_code.h"

// Operators that move elements and compute nothing. They accept every dtype and every number of
// dimensions.

namespace tenon::graph {

/// The axis that an operator names; a negative number counts from the end. Nullopt if a tensor of
/// `rank` dimensions does not have it.
std::optional<size_t> AxisOf(int64_t axis, int64_t rank);

/// The number of an axis in input `input`. An error if it is not constant, or not one number.
absl::StatusOr<int64_t> AxisNumber(const OperatorView& op, size_t input);

/// The elements `begin + i * stride` of an axis, for i from 0 to `count` - 1.
struct SliceAxis {
  int64_t begin = 0;
  int64_t stride = 1;
  int64_t count = 0;
};

/// All elements of each axis.
std::vector<SliceAxis> WholeSlice(const Tensor& tensor);

/// Writes a slice of input `input` to output `output`. There is a SliceAxis for each axis of the
/// input. An error of the file if the slice leaves the input, or does not have the output's dtype
/// and number of elements.
absl::Status WriteSlice(OperatorCode& code, size_t input, size_t output,
                        std::vector<SliceAxis> axes);

/// Writes the input with its axes in another order: axis i of the output is axis `order[i]` of the
/// input. The input is seen with the shape `seen`, which has as many elements.
void WriteTransposed(OperatorCode& code, std::vector<int64_t> seen, std::span<const size_t> order);

/// The number in `indices` that selects an element of an axis of `extent` elements, as an int32. A
/// number outside of the axis becomes the nearest one inside, so no access leaves the memory.
Value IndexWithin(const Tensor& indices, Value index, int64_t extent);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_MOVEMENT_H_
