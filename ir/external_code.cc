#include "ir/external_code.h"

#include <algorithm>

#include "ir/attributes.h"

namespace tenon {

namespace {

/// The text under `key`; empty if absent.
std::string TextOf(const MapAttr& map, std::string_view key) {
  const std::string_view* text = AsString(map.Find(key));
  return text == nullptr ? std::string() : std::string(*text);
}

/// The number under `key`; `other` if absent.
int64_t NumberOf(const MapAttr& map, std::string_view key, int64_t other) {
  const int64_t* number = AsInt(map.Find(key));
  return number == nullptr || *number < 0 ? other : *number;
}

std::vector<std::string> TextsOf(const Attr* attr) {
  std::vector<std::string> texts;
  const auto* list = dyn_cast_or_null<ArrayAttr>(attr);
  if (list == nullptr) return texts;
  for (const Attr* item : list->items) {
    const std::string_view* text = AsString(item);
    texts.emplace_back(text == nullptr ? std::string_view() : *text);
  }
  return texts;
}

std::vector<std::pair<int, int>> PairsOf(const Attr* attr) {
  std::vector<std::pair<int, int>> pairs;
  const auto* list = dyn_cast_or_null<ArrayAttr>(attr);
  if (list == nullptr) return pairs;
  for (const Attr* item : list->items) {
    const auto* pair = dyn_cast_or_null<ArrayAttr>(item);
    if (pair == nullptr || pair->items.size() != 2) continue;
    const int64_t* input = AsInt(pair->items[0]);
    const int64_t* output = AsInt(pair->items[1]);
    if (input != nullptr && output != nullptr)
      pairs.emplace_back(static_cast<int>(*input), static_cast<int>(*output));
  }
  return pairs;
}

std::optional<ExternalCode> ExternalCodeFrom(const Attr* attr) {
  const auto* map = dyn_cast_or_null<MapAttr>(attr);
  if (map == nullptr || TextOf(*map, "symbol").empty()) return std::nullopt;
  ExternalCode code;
  code.symbol = TextOf(*map, "symbol");
  code.effects = TextsOf(map->Find("effects"));
  code.workspace_bytes = NumberOf(*map, "workspace", 0);
  code.workspace_alignment = NumberOf(*map, "alignment", 1);
  code.state_bytes = NumberOf(*map, "state", 0);
  code.init = TextOf(*map, "init");
  code.fini = TextOf(*map, "fini");
  code.in_place = PairsOf(map->Find("in_place"));
  return code;
}

}  // namespace

std::optional<ExternalCode> ReadExternalCode(const Function& function) {
  return ExternalCodeFrom(function.FindAttr(attr_key::kExternal));
}

std::vector<ExternalCode> ReadDeclaredExternals(const IRModule& module) {
  std::vector<ExternalCode> all;
  const auto* map = dyn_cast_or_null<MapAttr>(module.attrs()->Find(attr_key::kExternal));
  if (map == nullptr) return all;
  for (const MapItem* item : map->items) {
    if (std::optional<ExternalCode> code = ExternalCodeFrom(item->value))
      all.push_back(*std::move(code));
  }
  return all;
}

const MapAttr* WriteExternalCode(NodeBuilder& builder, const ExternalCode& code) {
  const auto integer = [&](int64_t value) { return builder.New<IntAttr>({}, value); };
  std::vector<const Attr*> effects;
  for (const std::string& effect : code.effects) effects.push_back(builder.StringValue(effect));
  const MapAttr* map = builder.Map(
      {{"symbol", builder.StringValue(code.symbol)}, {"effects", builder.Array(effects)}});
  if (code.workspace_bytes > 0) {
    map = builder.With(map, "workspace", integer(code.workspace_bytes));
    map = builder.With(map, "alignment", integer(code.workspace_alignment));
  }
  if (code.state_bytes > 0) map = builder.With(map, "state", integer(code.state_bytes));
  if (!code.init.empty()) map = builder.With(map, "init", builder.StringValue(code.init));
  if (!code.fini.empty()) map = builder.With(map, "fini", builder.StringValue(code.fini));
  if (code.in_place.empty()) return map;
  std::vector<const Attr*> pairs;
  for (const auto& [input, output] : code.in_place) {
    const Attr* pair[] = {integer(input), integer(output)};
    pairs.push_back(builder.Array(pair));
  }
  return builder.With(map, "in_place", builder.Array(pairs));
}

const MapAttr* WriteDeclaredExternals(NodeBuilder& builder, const std::vector<ExternalCode>& all) {
  const MapAttr* map = nullptr;
  for (const ExternalCode& code : all)
    map = builder.With(map, code.symbol, WriteExternalCode(builder, code));
  return map;
}

std::vector<ExternalInit> ReadExternalInits(const PrimFunc& entry) {
  std::vector<ExternalInit> inits;
  const auto* map = dyn_cast_or_null<MapAttr>(entry.FindAttr(attr_key::kExternal));
  const auto* list = map == nullptr ? nullptr : dyn_cast_or_null<ArrayAttr>(map->Find("inits"));
  if (list == nullptr) return inits;
  for (const Attr* item : list->items) {
    const auto* init = dyn_cast_or_null<MapAttr>(item);
    if (init == nullptr || TextOf(*init, "symbol").empty()) continue;
    inits.push_back({TextOf(*init, "symbol"), NumberOf(*init, "offset", 0),
                     NumberOf(*init, "bytes", 0), TextOf(*init, "fini")});
  }
  return inits;
}

const MapAttr* WriteExternalInits(NodeBuilder& builder, const std::vector<ExternalInit>& inits) {
  std::vector<const Attr*> items;
  for (const ExternalInit& init : inits) {
    const MapAttr* map = builder.Map({{"symbol", builder.StringValue(init.symbol)},
                                      {"offset", builder.New<IntAttr>({}, init.offset)},
                                      {"bytes", builder.New<IntAttr>({}, init.bytes)}});
    if (!init.fini.empty()) map = builder.With(map, "fini", builder.StringValue(init.fini));
    items.push_back(map);
  }
  return builder.Map({{"inits", builder.Array(items)}});
}

}  // namespace tenon
