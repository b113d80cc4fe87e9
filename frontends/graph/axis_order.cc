#include "frontends/graph/axis_order.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace tenon::graph {

AxisOrder InOrder(size_t rank) {
  AxisOrder order(rank);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

AxisOrder ChannelsLast(size_t rank) {
  AxisOrder order = InOrder(rank);
  if (rank > 2) std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  return order;
}

bool IsInOrder(const AxisOrder& order) { return std::is_sorted(order.begin(), order.end()); }

std::vector<int64_t> Ordered(std::span<const int64_t> shape, const AxisOrder& order) {
  std::vector<int64_t> extents;
  for (const size_t axis : order) extents.push_back(shape[axis]);
  return extents;
}

std::vector<size_t> PlacesOf(const AxisOrder& order) {
  std::vector<size_t> places(order.size());
  for (size_t i = 0; i < order.size(); ++i) places[order[i]] = i;
  return places;
}

bool HaveSamePlaces(std::span<const int64_t> shape, const AxisOrder& a, const AxisOrder& b) {
  const auto long_axes = [&](AxisOrder order) {
    std::erase_if(order, [&](size_t axis) { return shape[axis] == 1; });
    return order;
  };
  return long_axes(a) == long_axes(b);
}

std::vector<uint8_t> OrderedBytes(const Tensor& constant, const AxisOrder& order) {
  const auto size = static_cast<size_t>(constant.dtype.element_bytes());
  const std::span<const uint8_t> from = constant.data->bytes;
  std::vector<size_t> strides(order.size(), size);
  for (size_t axis = order.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * static_cast<size_t>(constant.shape[axis]);
  const std::vector<int64_t> extents = Ordered(constant.shape, order);
  std::vector<uint8_t> bytes(from.size());
  std::vector<int64_t> at(order.size());
  size_t place = 0;
  for (size_t to = 0; to < bytes.size(); to += size) {
    std::memcpy(bytes.data() + to, from.data() + place, size);
    for (size_t i = order.size(); i-- > 0;) {
      place += strides[order[i]];
      if (++at[i] < extents[i]) break;
      place -= strides[order[i]] * static_cast<size_t>(extents[i]);
      at[i] = 0;
    }
  }
  return bytes;
}

}  // namespace tenon::graph
