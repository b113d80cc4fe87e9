// Turns distances in bytes into relations of the planner. Ends of ranges are rounded inwards to the
// alignment, so that rounding never allows more.

#include "passes/memory/overlap_relations.h"

#include <algorithm>

namespace tenon {

namespace {

/// floor(value / step) * step, for a positive step.
int64_t RoundDown(int64_t value, int64_t step) {
  const int64_t rest = value % step;
  return value - (rest < 0 ? rest + step : rest);
}

}  // namespace

std::optional<OverlapMode> ParseOverlapMode(std::string_view name) {
  if (name == "off") return OverlapMode::kOff;
  if (name == "in-place") return OverlapMode::kInPlace;
  if (name == "on") return OverlapMode::kOn;
  return std::nullopt;
}

std::vector<planner::DifferenceRange> AllowedDifferences(const SafeDistances& distances,
                                                         int64_t dying_bytes, int64_t begun_bytes,
                                                         int64_t alignment, OverlapMode mode) {
  std::vector<planner::DifferenceRange> allowed;
  bool shares = false;
  const auto add = [&](int64_t first, int64_t last) {
    const int64_t none = AllowedDistances::kUnbounded;
    first = first <= -none ? INT64_MIN : -RoundDown(-first, alignment);
    last = last >= none ? INT64_MAX : RoundDown(last, alignment);
    if (first > last) return;
    allowed.push_back({first, last});
    shares |= first < dying_bytes && last > -begun_bytes &&
              std::max(first, RoundDown(-begun_bytes, alignment) + alignment) <=
                  std::min(last, dying_bytes - 1);
  };
  if (mode == OverlapMode::kOff) return {};
  if (mode == OverlapMode::kInPlace) {
    add(-AllowedDistances::kUnbounded, -begun_bytes);
    if (distances.Contains(0)) add(0, 0);
    add(dying_bytes, AllowedDistances::kUnbounded);
  } else {
    for (const AllowedDistances& range : distances.allowed) add(range.first, range.last);
  }
  if (!shares) allowed.clear();
  return allowed;
}

}  // namespace tenon
