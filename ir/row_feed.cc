#include "ir/row_feed.h"

#include <array>

#include "ir/attributes.h"

namespace tenon {

namespace {

/// The numbers of a list from `first` on, all at least 0; nullopt for anything else.
template <size_t kCount>
std::optional<std::array<int64_t, kCount>> NumbersOf(const ArrayAttr& list, size_t first) {
  if (list.items.size() != first + kCount) return std::nullopt;
  std::array<int64_t, kCount> numbers = {};
  for (size_t i = 0; i < kCount; ++i) {
    const int64_t* number = AsInt(list.items[first + i]);
    if (number == nullptr || *number < 0 || *number > INT32_MAX) return std::nullopt;
    numbers[i] = *number;
  }
  return numbers;
}

}  // namespace

std::optional<FedRows> ReadFedRows(const MapAttr* annotations) {
  if (annotations == nullptr) return std::nullopt;
  const auto* list = dyn_cast_or_null<ArrayAttr>(annotations->Find(attr_key::kFedRows));
  const auto numbers = list != nullptr ? NumbersOf<3>(*list, 0) : std::nullopt;
  if (!numbers) return std::nullopt;
  const auto [rows, row_elements, param] = *numbers;
  return FedRows{rows, row_elements, param};
}

const ArrayAttr* FedRowsAttr(NodeBuilder& builder, const FedRows& fed) {
  const Attr* items[] = {builder.New<IntAttr>({}, fed.rows),
                         builder.New<IntAttr>({}, fed.row_elements),
                         builder.New<IntAttr>({}, fed.param)};
  return builder.Array(items);
}

std::optional<RowFeed> ReadRowFeed(const PrimFunc& entry) {
  const auto* list = dyn_cast_or_null<ArrayAttr>(entry.FindAttr(attr_key::kRowFeed));
  const auto numbers = list != nullptr ? NumbersOf<3>(*list, 1) : std::nullopt;
  const std::string_view* function = numbers ? AsString(list->items[0]) : nullptr;
  if (function == nullptr) return std::nullopt;
  const auto [param, rows, row_bytes] = *numbers;
  return RowFeed{std::string(*function), param, rows, row_bytes};
}

const ArrayAttr* RowFeedAttr(NodeBuilder& builder, const RowFeed& feed) {
  const Attr* items[] = {builder.StringValue(feed.function), builder.New<IntAttr>({}, feed.param),
                         builder.New<IntAttr>({}, feed.rows),
                         builder.New<IntAttr>({}, feed.row_bytes)};
  return builder.Array(items);
}

}  // namespace tenon
