#include "planner/heuristics/skyline.h"

#include <algorithm>

namespace tenon::planner {

Skyline::Skyline(size_t count) {
  while (leaves_ < count) leaves_ *= 2;
  highest_.resize(2 * leaves_);
  cover_.resize(2 * leaves_);
}

void Skyline::Clear() {
  std::fill(highest_.begin(), highest_.end(), 0);
  std::fill(cover_.begin(), cover_.end(), 0);
}

int64_t Skyline::Highest(size_t first, size_t end) const {
  int64_t most = 0;
  const auto climb = [&](size_t node) {
    for (; node > 0; node /= 2) most = std::max(most, cover_[node]);
  };
  size_t low = first + leaves_;
  size_t high = end + leaves_;
  // The leaves at both ends see every cover of more than one node.
  climb(low);
  climb(high - 1);
  for (; low < high; low /= 2, high /= 2) {
    if (low % 2 == 1) most = std::max(most, highest_[low++]);
    if (high % 2 == 1) most = std::max(most, highest_[--high]);
  }
  return most;
}

void Skyline::Raise(size_t first, size_t end, int64_t top) {
  const auto climb = [&](size_t node) {
    for (node /= 2; node > 0; node /= 2) highest_[node] = std::max(highest_[node], top);
  };
  size_t low = first + leaves_;
  size_t high = end + leaves_;
  const auto cover = [&](size_t node) { highest_[node] = cover_[node] = top; };
  for (; low < high; low /= 2, high /= 2) {
    if (low % 2 == 1) cover(low++);
    if (high % 2 == 1) cover(--high);
  }
  climb(first + leaves_);
  climb(end - 1 + leaves_);
}

}  // namespace tenon::planner
