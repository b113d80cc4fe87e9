// Claims are JSON through their attributes, so that op_info.cc is the only reader and writer of
// their members.

#include "byoc/generators/program/claim_json.h"

#include <cmath>
#include <utility>
#include <vector>

#include "ir/attributes.h"
#include "ir/attrs.h"
#include "printer/printer.h"

namespace tenon {

namespace {

/// A number. JSON has no infinities and no NaN, so these are strings.
void WriteReal(JsonWriter& json, double number) {
  if (std::isfinite(number)) {
    json.Value(number);
  } else {
    json.Value(std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf");
  }
}

/// Claims consist of numbers, strings, lists and maps with string keys.
void WriteAttr(JsonWriter& json, const Attr* attr) {
  const auto* expr = dyn_cast<ExprAttr>(attr);
  const auto* immediate = expr == nullptr ? nullptr : dyn_cast<FloatImm>(expr->value);
  if (const std::string_view* text = AsString(attr)) {
    json.Value(*text);
  } else if (const int64_t* number = AsInt(attr)) {
    json.Value(*number);
  } else if (const auto* is_true = dyn_cast<BoolAttr>(attr)) {
    json.Value(is_true->value);
  } else if (const auto* real = dyn_cast<FloatAttr>(attr)) {
    WriteReal(json, real->value);
  } else if (immediate != nullptr) {
    WriteReal(json, immediate->value);
  } else if (const auto* list = dyn_cast<ArrayAttr>(attr)) {
    json.List(list->items, [&](const Attr* item) { WriteAttr(json, item); });
  } else if (const auto* map = dyn_cast<MapAttr>(attr)) {
    json.BeginObject();
    for (const MapItem* item : map->items) {
      json.Key(*AsString(item->key));
      WriteAttr(json, item->value);
    }
    json.EndObject();
  } else {
    json.Value(PrintNode(attr));
  }
}

const Attr* AttrOf(NodeBuilder& builder, const JsonValue& json) {
  if (const std::string* text = json.as_string()) return builder.StringValue(*text);
  if (const std::optional<int64_t> number = json.as_int64()) {
    if (*number == static_cast<int32_t>(*number)) return builder.New<IntAttr>({}, *number);
    return builder.ExprValue(builder.Int(DataType::Int(64), *number));
  }
  if (const std::optional<double> number = json.as_double())
    return builder.New<FloatAttr>({}, *number);
  if (const bool* is_true = json.as_bool()) return builder.New<BoolAttr>({}, *is_true);
  if (const JsonValue::Array* list = json.as_array()) {
    std::vector<const Attr*> items;
    items.reserve(list->size());
    for (const JsonValue& item : *list) items.push_back(AttrOf(builder, item));
    return builder.Array({items.data(), items.size()});
  }
  const MapAttr* map = builder.Map({});
  if (const JsonValue::Object* members = json.as_object()) {
    for (const JsonMember& member : *members)
      map = builder.With(map, member.key, AttrOf(builder, member.value));
  }
  return map;
}

}  // namespace

void WriteClaim(JsonWriter& json, Context& context, const OpInfo& op) {
  Storage storage;
  NodeBuilder builder(context, storage.arena());
  WriteAttr(json, WriteOpInfo(builder, op));
}

std::optional<OpInfo> ReadClaim(const JsonValue& json, Context& context, std::string& problem) {
  Storage storage;
  NodeBuilder builder(context, storage.arena());
  return ReadOpInfo(AttrOf(builder, json), &problem);
}

}  // namespace tenon
