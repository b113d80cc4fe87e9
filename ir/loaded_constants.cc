#include "ir/loaded_constants.h"

#include "ir/attributes.h"

namespace tenon {

namespace {

std::optional<LoadedConstant> LoadedConstantFrom(const Attr* attr) {
  const auto* map = dyn_cast_or_null<MapAttr>(attr);
  if (map == nullptr) return std::nullopt;
  LoadedConstant constant;
  for (const auto& [key, text] :
       {std::pair("name", &constant.name), std::pair("pool", &constant.pool),
        std::pair("stored_pool", &constant.stored_pool), std::pair("codec", &constant.codec)}) {
    const std::string_view* value = AsString(map->Find(key));
    if (value == nullptr) return std::nullopt;
    *text = *value;
  }
  for (const auto& [key, number] :
       {std::pair("offset", &constant.offset), std::pair("size_bytes", &constant.size_bytes),
        std::pair("stored_offset", &constant.stored_offset)}) {
    const int64_t* value = AsInt(map->Find(key));
    if (value == nullptr || *value < 0) return std::nullopt;
    *number = *value;
  }
  const auto* stored = dyn_cast_or_null<ConstantAttr>(map->Find("stored"));
  if (stored == nullptr) return std::nullopt;
  constant.stored = stored->value;
  return constant;
}

}  // namespace

std::optional<PoolInfo> ReadLoadPool(const MapAttr* annotations) {
  return annotations == nullptr ? std::nullopt
                                : ReadPoolInfo(annotations->Find(attr_key::kLoadPool));
}

std::optional<PlacementNote> ReadStoredPlacement(const MapAttr* annotations) {
  const auto* list =
      annotations == nullptr
          ? nullptr
          : dyn_cast_or_null<ArrayAttr>(annotations->Find(attr_key::kStoredPlacement));
  if (list == nullptr || list->items.size() != 2) return std::nullopt;
  const std::string_view* pool = AsString(list->items[0]);
  const int64_t* offset = AsInt(list->items[1]);
  if (pool == nullptr || offset == nullptr) return std::nullopt;
  return PlacementNote{*pool, *offset};
}

std::vector<LoadedConstant> ReadLoadedConstants(const PrimFunc& function) {
  std::vector<LoadedConstant> constants;
  const auto* list = dyn_cast_or_null<ArrayAttr>(function.attrs->Find(attr_key::kLoadedConstants));
  if (list == nullptr) return constants;
  for (const Attr* item : list->items) {
    if (std::optional<LoadedConstant> constant = LoadedConstantFrom(item))
      constants.push_back(*std::move(constant));
  }
  return constants;
}

const ArrayAttr* LoadedConstantsAttr(NodeBuilder& builder,
                                     const std::vector<LoadedConstant>& constants) {
  const auto integer = [&](int64_t value) { return builder.New<IntAttr>({}, value); };
  std::vector<const Attr*> items;
  for (const LoadedConstant& constant : constants) {
    items.push_back(builder.Map({{"codec", builder.StringValue(constant.codec)},
                                 {"name", builder.StringValue(constant.name)},
                                 {"offset", integer(constant.offset)},
                                 {"pool", builder.StringValue(constant.pool)},
                                 {"size_bytes", integer(constant.size_bytes)},
                                 {"stored", builder.New<ConstantAttr>({}, constant.stored)},
                                 {"stored_offset", integer(constant.stored_offset)},
                                 {"stored_pool", builder.StringValue(constant.stored_pool)}}));
  }
  return builder.Array(items);
}

}  // namespace tenon
