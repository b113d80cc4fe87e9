#ifndef TENON_FRONTENDS_GRAPH_AXIS_ORDER_H_
#define TENON_FRONTENDS_GRAPH_AXIS_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "frontends/graph/graph.h"

namespace tenon::graph {

/// The order in which memory has the axes of a tensor, the outermost first. Memory with the order
/// {0, 2, 3, 1} has the rows, the columns and then the channels of a tensor [n, c, h, w].
using AxisOrder = std::vector<size_t>;

/// The order of the tensor's own axes.
AxisOrder InOrder(size_t rank);
/// Axis 1 comes last.
AxisOrder ChannelsLast(size_t rank);
bool IsInOrder(const AxisOrder& order);
/// The extents of memory with this order.
std::vector<int64_t> Ordered(std::span<const int64_t> shape, const AxisOrder& order);
/// For each axis of the tensor, its place in memory.
std::vector<size_t> PlacesOf(const AxisOrder& order);
/// Whether memory has the elements of a tensor of this shape in the same places with both orders.
/// Axes of one element may stand anywhere.
bool HaveSamePlaces(std::span<const int64_t> shape, const AxisOrder& a, const AxisOrder& b);
/// The bytes of a constant with its axes in another order.
std::vector<uint8_t> OrderedBytes(const Tensor& constant, const AxisOrder& order);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_AXIS_ORDER_H_
