#ifndef TENON_PLANNER_HEURISTICS_SKYLINE_H_
#define TENON_PLANNER_HEURISTICS_SKYLINE_H_

// Internal: the tops of what is placed, over time.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tenon::planner {

/// For each of `count` stretches of time the highest end of what stands there. A tree of maxima
/// without push-down; both operations take the logarithm of `count` steps.
class Skyline {
 public:
  explicit Skyline(size_t count);

  /// Everything is bare ground again.
  void Clear();
  /// The highest end over [first, end), which is not empty.
  int64_t Highest(size_t first, size_t end) const;
  /// Something over [first, end) ends at `top`, which is no less than Highest(first, end).
  void Raise(size_t first, size_t end, int64_t top);

 private:
  size_t leaves_ = 1;
  // The highest end below a node, and the highest of those that cover all of it.
  std::vector<int64_t> highest_;
  std::vector<int64_t> cover_;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_HEURISTICS_SKYLINE_H_
