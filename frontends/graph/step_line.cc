#include "frontends/graph/step_line.h"

#include <algorithm>
#include <functional>

namespace tenon::graph {

namespace {

constexpr double kMostChange = 1e-3;
/// A point that is farther than all changes together stays on its side.
constexpr double kNear = 4 * kMostChange;
/// The margin that multipliers and addends of any length keep.
constexpr double kEnough = 1e-7;

/// The gap of a point after changes of the slope and for even numbers.
double GapOf(const LinePoint& point, double slope, double even) {
  return point.gap - slope * point.x - (point.is_even ? even : 0);
}

/// The interval of starts that a line may have.
struct Starts {
  double least = -kNear;
  double greatest = kNear;

  double Margin() const { return (greatest - least) / 2; }
};

Starts StartsOf(std::span<const LinePoint> points, double slope, double even) {
  Starts starts;
  for (const LinePoint& point : points) {
    const double gap = GapOf(point, slope, even);
    if (point.must_reach) {
      starts.least = std::max(starts.least, gap);
    } else {
      starts.greatest = std::min(starts.greatest, gap);
    }
  }
  return starts;
}

/// The place in [low, high] where a concave function is greatest, or where it is large enough.
double PlaceOfMost(double low, double high, const std::function<double(double)>& function) {
  constexpr int kRounds = 40;
  for (int round = 0; round < kRounds; ++round) {
    const double left = low + (high - low) / 3;
    const double right = high - (high - low) / 3;
    const double of_left = function(left);
    const double of_right = function(right);
    if (of_left > kEnough) return left;
    if (of_right > kEnough) return right;
    (of_left < of_right ? low : high) = of_left < of_right ? left : right;
  }
  return (low + high) / 2;
}

}  // namespace

bool IsNear(const LinePoint& point) {
  return point.must_reach ? point.gap > -kNear : point.gap < kNear;
}

std::optional<LineChange> LineThrough(std::span<const LinePoint> points, bool may_favour_even) {
  const auto slope_of = [&](double even) {
    return PlaceOfMost(-kMostChange, kMostChange,
                       [&](double slope) { return StartsOf(points, slope, even).Margin(); });
  };
  LineChange change;
  if (may_favour_even) {
    change.even = PlaceOfMost(0, kMostChange, [&](double even) {
      return StartsOf(points, slope_of(even), even).Margin();
    });
  }
  change.slope = slope_of(change.even);
  const Starts starts = StartsOf(points, change.slope, change.even);
  if (!(starts.Margin() > 0)) return std::nullopt;
  change.start = (starts.least + starts.greatest) / 2;
  return change;
}

}  // namespace tenon::graph
