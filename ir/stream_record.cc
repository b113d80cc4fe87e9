#include "ir/stream_record.h"

#include <array>

#include "ir/attributes.h"

namespace tenon {

namespace {

std::optional<std::vector<StreamSegment>> SegmentsOf(const Attr* attr) {
  const auto* list = dyn_cast_or_null<ArrayAttr>(attr);
  if (list == nullptr) return std::nullopt;
  std::vector<StreamSegment> segments;
  for (const Attr* item : list->items) {
    const auto* fields = dyn_cast_or_null<ArrayAttr>(item);
    if (fields == nullptr || fields->items.size() < 3 || fields->items.size() > 4)
      return std::nullopt;
    std::array<int64_t, 3> numbers = {};
    for (size_t i = 0; i < numbers.size(); ++i) {
      const int64_t* number = AsInt(fields->items[i]);
      if (number == nullptr || *number < 0) return std::nullopt;
      numbers[i] = *number;
    }
    StreamSegment& segment = segments.emplace_back();
    segment.first = numbers[0];
    segment.last = numbers[1];
    segment.bytes = numbers[2];
    const std::string_view* name = fields->items.size() == 4 ? AsString(fields->items[3]) : nullptr;
    if (name != nullptr) segment.name = *name;
  }
  return segments;
}

const ArrayAttr* SegmentsAttr(NodeBuilder& builder, const std::vector<StreamSegment>& segments) {
  std::vector<const Attr*> items;
  for (const StreamSegment& segment : segments) {
    std::vector<const Attr*> fields;
    for (const int64_t number : {segment.first, segment.last, segment.bytes})
      fields.push_back(builder.New<IntAttr>({}, number));
    if (!segment.name.empty()) fields.push_back(builder.StringValue(segment.name));
    items.push_back(builder.Array(fields));
  }
  return builder.Array(items);
}

}  // namespace

std::optional<StreamRecord> ReadStreamRecord(const IRModule& module) {
  const auto* map = dyn_cast_or_null<MapAttr>(module.attrs()->Find(attr_key::kStreaming));
  if (map == nullptr) return std::nullopt;
  const int64_t* calls = AsInt(map->Find("calls"));
  const int64_t* enough = AsInt(map->Find("enough_bytes"));
  auto candidates = SegmentsOf(map->Find("candidates"));
  auto cut = SegmentsOf(map->Find("cut"));
  if (calls == nullptr || enough == nullptr || !candidates || !cut) return std::nullopt;
  return StreamRecord{*calls, *enough, *std::move(candidates), *std::move(cut)};
}

const Attr* StreamRecordAttr(NodeBuilder& builder, const StreamRecord& record) {
  return builder.Map({{"calls", builder.New<IntAttr>({}, record.calls)},
                      {"candidates", SegmentsAttr(builder, record.candidates)},
                      {"cut", SegmentsAttr(builder, record.cut)},
                      {"enough_bytes", builder.New<IntAttr>({}, record.enough_bytes)}});
}

}  // namespace tenon
