#ifndef TENON_PLANNER_HEURISTICS_SKYLINE_H_
#define TENON_PLANNER_HEURISTICS_SKYLINE_H_

// Internal: the highest placed end, over time.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tenon::planner {

/// The highest end for each of `count` intervals of time. A tree of maxima without push-down; both
/// operations take O(log count) steps.
class Skyline {
 public:
  explicit Skyline(size_t count);

  /// Resets every height to 0.
  void Clear();
  /// The highest end over [first, end), which is not empty.
  int64_t Highest(size_t first, size_t end) const;
  /// Records an end at `top` over [first, end); `top` is at least Highest(first, end).
  void Raise(size_t first, size_t end, int64_t top);

 private:
  size_t leaves_ = 1;
  // The highest end below a node, and the highest end that covers the whole node.
  std::vector<int64_t> highest_;
  std::vector<int64_t> cover_;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_HEURISTICS_SKYLINE_H_
