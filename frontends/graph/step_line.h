#ifndef TENON_FRONTENDS_GRAPH_STEP_LINE_H_
#define TENON_FRONTENDS_GRAPH_STEP_LINE_H_

#include <cstdint>
#include <optional>
#include <span>

namespace tenon::graph {

/// A place that a line must reach or miss. For a line that may favour even numbers, `is_even` says
/// whether the number that begins there is even.
struct LinePoint {
  double x = 0;    ///< between -1 and 1
  double gap = 0;  ///< how far the place is above the line without changes
  bool must_reach = false;
  bool is_even = false;
};

/// Whether a small change of the line can reach or miss the place. Other points do not matter.
bool IsNear(const LinePoint& point);

/// Small changes of a line: `x * slope + start`, plus `even` at points that are even.
struct LineChange {
  double slope = 0;
  double start = 0;
  double even = 0;
};

/// The change after which the line reaches the points that it must reach, and stays below all
/// others, by the greatest margin. `even` is 0 unless the line may favour even numbers, and never
/// negative. Nullopt if there is no such line near the given one.
std::optional<LineChange> LineThrough(std::span<const LinePoint> points, bool may_favour_even);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_STEP_LINE_H_
