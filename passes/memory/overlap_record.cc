// The record is the evidence of a plan in its text: verify-plan judges every end of the ranges, and
// people read which accesses limit them. An unbounded end is None.

#include "passes/memory/overlap_record.h"

#include "ir/attributes.h"
#include "ir/attrs.h"

namespace tenon {

namespace {

int64_t NumberOr(const Attr* attr, int64_t otherwise) {
  const int64_t* number = AsInt(attr);
  return number == nullptr ? otherwise : *number;
}

std::string TextOf(const MapAttr& map, std::string_view key) {
  const std::string_view* text = AsString(map.Find(key));
  return text == nullptr ? std::string() : std::string(*text);
}

const Attr* EndAttr(NodeBuilder& builder, int64_t value) {
  if (value == INT64_MIN || value == INT64_MAX) return builder.New<NoneAttr>({});
  return builder.New<IntAttr>({}, value);
}

}  // namespace

std::vector<OverlapRecord> ReadOverlapRecords(const IRModule& module) {
  std::vector<OverlapRecord> records;
  const auto* plan = dyn_cast_or_null<MapAttr>(module.attrs()->Find(attr_key::kMemoryPlan));
  const auto* list =
      plan == nullptr ? nullptr : dyn_cast_or_null<ArrayAttr>(plan->Find("overlaps"));
  if (list == nullptr) return records;
  for (const Attr* item : list->items) {
    const auto* map = dyn_cast<MapAttr>(item);
    if (map == nullptr) continue;
    OverlapRecord record{
        TextOf(*map, "function"),           TextOf(*map, "dying"), TextOf(*map, "begun"), {},
        NumberOr(map->Find("distance"), 0), TextOf(*map, "bound")};
    const auto* ranges = dyn_cast_or_null<ArrayAttr>(map->Find("allowed"));
    if (ranges == nullptr) continue;
    for (const Attr* range : ranges->items) {
      const auto* ends = dyn_cast<ArrayAttr>(range);
      if (ends == nullptr || ends->items.size() != 2) continue;
      record.allowed.push_back(
          {NumberOr(ends->items[0], INT64_MIN), NumberOr(ends->items[1], INT64_MAX)});
    }
    records.push_back(std::move(record));
  }
  return records;
}

const Attr* OverlapRecordsAttr(NodeBuilder& builder, const std::vector<OverlapRecord>& records) {
  std::vector<const Attr*> items;
  for (const OverlapRecord& record : records) {
    std::vector<const Attr*> ranges;
    for (const planner::DifferenceRange& range : record.allowed) {
      const Attr* const ends[] = {EndAttr(builder, range.first), EndAttr(builder, range.last)};
      ranges.push_back(builder.Array(ends));
    }
    items.push_back(builder.Map({{"allowed", builder.Array(ranges)},
                                 {"begun", builder.StringValue(record.begun)},
                                 {"bound", builder.StringValue(record.bound)},
                                 {"distance", builder.New<IntAttr>({}, record.distance)},
                                 {"dying", builder.StringValue(record.dying)},
                                 {"function", builder.StringValue(record.function)}}));
  }
  return builder.Array(items);
}

}  // namespace tenon
