// Turns distances in bytes into relations of the planner. Ends of ranges are rounded inwards to the
// alignment, so that rounding never allows more.

#include "passes/memory/overlap_relations.h"

#include <algorithm>
#include <iterator>

#include "ir/attributes.h"
#include "ir/attrs.h"

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

SafeDistances DistancesOfParams(const PrimFunc& func, size_t dying_param,
                                const FunctionBuffer& dying, size_t begun_param,
                                const FunctionBuffer& begun) {
  const auto* list = dyn_cast_or_null<ArrayAttr>(func.FindAttr(attr_key::kRowDistances));
  for (const Attr* item : list != nullptr ? list->items : Span<const Attr*>()) {
    const auto* row = dyn_cast<ArrayAttr>(item);
    if (row == nullptr || row->items.size() != 3) continue;
    const int64_t* numbers[] = {AsInt(row->items[0]), AsInt(row->items[1]), AsInt(row->items[2])};
    if (std::find(std::begin(numbers), std::end(numbers), nullptr) != std::end(numbers)) continue;
    if (*numbers[0] != static_cast<int64_t>(dying_param) ||
        *numbers[1] != static_cast<int64_t>(begun_param))
      continue;
    SafeDistances distances;
    AllowedDistances all;
    if (*numbers[2] >= dying.size_bytes - 1) {
      distances.allowed = {all};
    } else {
      AllowedDistances behind;
      behind.last = std::max(*numbers[2], -begun.size_bytes);
      all.first = dying.size_bytes;
      distances.allowed = {behind, all};
    }
    return distances;
  }
  return SafeDistancesOf(func, dying, begun);
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
