#ifndef TENON_FRONTENDS_GRAPH_SHAPES_H_
#define TENON_FRONTENDS_GRAPH_SHAPES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/operator_view.h"

// Shapes that operators give to their outputs.

namespace tenon::graph {

using TensorShape = std::vector<int64_t>;
/// A shape for each output of an operator.
using Shapes = std::vector<TensorShape>;

/// Gives the shapes of an operator's outputs from its inputs and attributes, as LiteRT does.
/// InvalidArgument is an error of the file. Unimplemented: they depend on values that are not
/// known.
using ShapeRule = absl::StatusOr<Shapes> (*)(const OperatorView& op);

/// The most elements of a tensor, and the largest extent.
inline constexpr int64_t kMostExtent = (int64_t{1} << 31) - 1;
/// Whether a number may be an extent, so that sums of a few numbers do not overflow.
constexpr bool IsExtent(int64_t number) { return number >= 0 && number <= kMostExtent; }

/// The shape of tensors whose extents of 1 are repeated to those of the others.
absl::StatusOr<TensorShape> BroadcastShape(const OperatorView& op,
                                           const std::vector<TensorShape>& shapes);

/// The values of an input. Unimplemented if they are not known; `what` names them.
absl::StatusOr<std::vector<int64_t>> KnownIntegers(const OperatorView& op, size_t input,
                                                   std::string_view what);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_SHAPES_H_
