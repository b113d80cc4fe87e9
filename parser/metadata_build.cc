#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "parser/metadata_reader.h"
#include "support/base64.h"
#include "support/check.h"
#include "support/ndarray_blob.h"

// Attributes from the nodes of the metadata's JSON.

namespace tenon {
namespace {

std::optional<int64_t> ReadInt(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  uint64_t large = 0;  // an unsigned immediate is kept by its bits
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), large);
  if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size()) {
    return static_cast<int64_t>(large);
  }
  return std::nullopt;
}

std::optional<double> ReadDouble(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool FitsIn(int64_t value, DataType dtype, std::string_view text) {
  if (!dtype.is_integer() || dtype.lanes() != 1 || dtype.bits() > 64) return false;
  TENON_CHECK(!text.empty());
  const bool above = text[0] != '-' && value < 0;  // 2^63 and more
  if (dtype.bits() == 64) return dtype.is_uint() ? text[0] != '-' : !above;
  if (above) return false;
  const int bits = dtype.is_uint() ? dtype.bits() : dtype.bits() - 1;
  const int64_t most = static_cast<int64_t>((uint64_t{1} << bits) - 1);
  return value <= most && value >= (dtype.is_uint() ? 0 : -most - 1);
}

}  // namespace

const Attr* MetadataReader::Build(size_t index) {
  const Node& node = nodes_[index];
  const std::string_view key = node.type_key;
  if (key.empty()) return Nothing();
  if (key == "Array") return BuildArray(node);
  if (key == "Map") return BuildMap(node);
  if (key == "runtime.String") return BuildString(node);
  if (key == "tir.StringImm") return BuildStringImm(node);
  if (key == "IntImm" || key == "FloatImm") return BuildImm(node);
  if (key == "runtime.BoxInt" || key == "runtime.BoxBool" || key == "runtime.BoxFloat") {
    return BuildBox(node);
  }
  if (key == "runtime.NDArray") {
    const JsonValue* text = node.json->Find("repr_str");
    return BuildNdArray(text != nullptr ? *text : *node.json,
                        text != nullptr ? text->as_string() : nullptr);
  }
  return BuildRecord(node);
}

const Attr* MetadataReader::BuildArray(const Node& node) {
  std::vector<const Attr*> items;
  if (const JsonValue* data = node.json->Find("data")) {
    TENON_CHECK(data->as_array() != nullptr);
    for (const JsonValue& value : *data->as_array()) {
      TENON_CHECK(value.as_int64().has_value());
      items.push_back(AttrAt(static_cast<size_t>(*value.as_int64())));
    }
  }
  return builder_.New<ArrayAttr>({}, arena_.Copy(items));
}

// A map from strings has a list of keys; any other map has keys and values in turn in its data.
const Attr* MetadataReader::BuildMap(const Node& node) {
  const JsonValue* data = node.json->Find("data");
  const JsonValue* keys = node.json->Find("keys");
  static const JsonValue::Array kNone;
  const JsonValue::Array& values = data != nullptr ? *data->as_array() : kNone;
  if (keys != nullptr && keys->as_array() == nullptr) {
    Error(keys->offset(), fmt::format("`keys` is {}, expected an array", keys->kind_name()));
    return nullptr;
  }
  const size_t stride = keys != nullptr ? 1 : 2;
  if (keys != nullptr ? keys->as_array()->size() != values.size() : values.size() % 2 != 0) {
    Error(node.json->offset(), "a map whose numbers of keys and values differ");
    return nullptr;
  }
  std::vector<const MapItem*> items;
  items.reserve(values.size() / stride);
  for (size_t i = 0; i < values.size(); i += stride) {
    const Attr* key = nullptr;
    if (keys != nullptr) {
      const JsonValue& text = (*keys->as_array())[i];
      if (text.as_string() == nullptr) {
        Error(text.offset(), fmt::format("a key is {}, expected a string", text.kind_name()));
        return nullptr;
      }
      key = builder_.StringValue(*text.as_string());
    } else {
      TENON_CHECK(values[i].as_int64().has_value());
      key = AttrAt(static_cast<size_t>(*values[i].as_int64()));
    }
    const JsonValue& value = values[i + stride - 1];
    TENON_CHECK(value.as_int64().has_value());
    items.push_back(builder_.New<MapItem>({}, key, AttrAt(static_cast<size_t>(*value.as_int64()))));
  }
  return builder_.New<MapAttr>({}, arena_.Copy(items));
}

// The bytes that represent a node: as a string, or in base64 if they are not printable.
std::optional<std::string> MetadataReader::Representation(const Node& node) {
  for (const std::string_view field : {"repr_str", "repr_b64"}) {
    const JsonValue* value = node.json->Find(field);
    if (value == nullptr) continue;
    if (value->as_string() == nullptr) {
      Error(value->offset(),
            fmt::format("`{}` is {}, expected a string", field, value->kind_name()));
      return std::nullopt;
    }
    if (field == "repr_str") return *value->as_string();
    size_t where = 0;
    absl::StatusOr<std::string> bytes = Base64Decode(*value->as_string(), &where);
    if (bytes.ok()) return *std::move(bytes);
    Error(value->offset() + 1 + where, std::string(bytes.status().message()));
    return std::nullopt;
  }
  return "";
}

const Attr* MetadataReader::BuildString(const Node& node) {
  const std::optional<std::string> text = Representation(node);
  return text ? builder_.StringValue(*text) : nullptr;
}

const std::string* MetadataReader::ScalarOf(const Node& node, std::string_view field) {
  const JsonValue* attrs = node.json->Find("attrs");
  const JsonValue* value = attrs != nullptr ? attrs->Find(field) : nullptr;
  if (value != nullptr && value->as_string() != nullptr && !value->as_string()->empty()) {
    return value->as_string();
  }
  Error(node.json->offset(), fmt::format("{} has no string field `{}`", node.type_key, field));
  return nullptr;
}

const Attr* MetadataReader::BuildImm(const Node& node) {
  const std::string* dtype_text = ScalarOf(node, "dtype");
  const std::string* text = ScalarOf(node, "value");
  if (dtype_text == nullptr || text == nullptr) return nullptr;
  const std::optional<DataType> dtype = DataType::Parse(*dtype_text);
  if (node.type_key == "IntImm") {
    const std::optional<int64_t> value = ReadInt(*text);
    if (dtype && value && FitsIn(*value, *dtype, *text)) {
      return builder_.ExprValue(builder_.Int(*dtype, *value));
    }
  } else {
    const std::optional<double> value = ReadDouble(*text);
    if (dtype && value && dtype->is_floating() && dtype->lanes() == 1) {
      return builder_.ExprValue(builder_.New<FloatImm>({}, *dtype, *value));
    }
  }
  Error(node.json->offset(), fmt::format("expected a value of `{}`, found `{}`",
                                         dtype_text->substr(0, 40), text->substr(0, 40)));
  return nullptr;
}

const Attr* MetadataReader::BuildStringImm(const Node& node) {
  const std::string* text = ScalarOf(node, "value");
  if (text == nullptr) return nullptr;
  const std::optional<int64_t> index = ReadInt(*text);
  // The field is a reference that was already checked.
  TENON_CHECK(index && *index >= 0 && static_cast<size_t>(*index) < nodes_.size());
  const Attr* value = AttrAt(static_cast<size_t>(*index));
  if (const auto* string = dyn_cast_or_null<StringAttr>(value))
    return builder_.ExprValue(builder_.New<StringImm>({}, string->value));
  Error(node.json->offset(), "expected a string as the value of a tir.StringImm");
  return nullptr;
}

const Attr* MetadataReader::BuildBox(const Node& node) {
  const std::optional<std::string> text = Representation(node);
  if (!text) return nullptr;
  if (node.type_key == "runtime.BoxFloat") {
    if (const auto value = ReadDouble(*text)) return builder_.New<FloatAttr>({}, *value);
  } else if (const auto value = ReadInt(*text)) {
    if (node.type_key == "runtime.BoxInt") return builder_.New<IntAttr>({}, *value);
    return builder_.New<BoolAttr>({}, *value != 0);
  }
  Error(node.json->offset(),
        fmt::format("expected a value of {}, found `{}`", node.type_key, text->substr(0, 40)));
  return nullptr;
}

const Attr* MetadataReader::BuildNdArray(const JsonValue& where, const std::string* base64) {
  if (base64 == nullptr) {
    Error(where.offset(), "an array without its data, expected a string of base64");
    return nullptr;
  }
  size_t wrong_at = 0;
  const absl::StatusOr<std::string> bytes = Base64Decode(*base64, &wrong_at);
  if (!bytes.ok()) {
    Error(where.offset() + 1 + wrong_at, std::string(bytes.status().message()));
    return nullptr;
  }
  const absl::StatusOr<NdArrayBlob> blob = DecodeNdArrayBlob(*bytes);
  if (!blob.ok()) {
    Error(where.offset(), std::string(blob.status().message()));
    return nullptr;
  }
  const std::optional<DataType> dtype = DataType::Parse(blob->dtype());
  if (!dtype || dtype->element_bytes() == 0) {
    Error(where.offset(), "an array of a type that constants cannot have");
    return nullptr;
  }
  std::vector<uint8_t> data(blob->data.begin(), blob->data.end());
  if (dtype->is_bool() &&
      std::any_of(data.begin(), data.end(), [](uint8_t byte) { return byte > 1; })) {
    Error(where.offset(), "an array of bool with a byte that is neither 0 nor 1");
    return nullptr;
  }
  // Finding the place of each array would need a count from the start, so the metadata's own place
  // is used.
  return builder_.New<ConstantAttr>(
      {}, context_.AddConstant(Symbol(), *dtype, blob->shape, std::move(data), {},
                               {source_base_, source_base_ + 1}));
}

const Attr* MetadataReader::BuildArrayAt(const JsonValue& value, std::string_view text) {
  const std::optional<int64_t> index = ReadInt(text);
  if (!index || *index < 0 || static_cast<size_t>(*index) >= array_attrs_.size()) {
    Error(value.offset(), fmt::format("`{}` is not the index of one of the {} arrays",
                                      text.substr(0, 40), array_attrs_.size()));
    return nullptr;
  }
  const auto at = static_cast<size_t>(*index);
  if (array_attrs_[at] == nullptr) {
    TENON_CHECK(arrays_ != nullptr && at < arrays_->size());
    const JsonValue& array = (*arrays_)[at];
    array_attrs_[at] = BuildNdArray(array, array.as_string());
  }
  return array_attrs_[at];
}

// A scalar of a record without a schema, in a form that references never have.
const Attr* MetadataReader::BuildGuess(std::string_view text) {
  const std::optional<int64_t> value = ReadInt(text);
  if (value && std::to_string(*value) == text) return builder_.New<IntAttr>({}, *value);
  const MapItem* item =
      builder_.New<MapItem>({}, builder_.StringValue("text"), builder_.StringValue(text));
  return builder_.New<ObjectAttr>({}, Symbol(), SortedMap({item}));
}

const Attr* MetadataReader::BuildField(const Node& node, const JsonMember& member) {
  TENON_CHECK(member.value.as_string() != nullptr);
  const std::string& text = *member.value.as_string();
  const bool listed = !RecordFieldsOf(node.type_key).empty();
  switch (KindOf(node, member.key)) {
    case RecordFieldKind::kReference:
      TENON_CHECK(ReadInt(text).has_value());
      return AttrAt(static_cast<size_t>(*ReadInt(text)));
    case RecordFieldKind::kNdArray:
      return BuildArrayAt(member.value, text);
    case RecordFieldKind::kText:
      return listed ? builder_.StringValue(text) : BuildGuess(text);
    case RecordFieldKind::kInt:
    case RecordFieldKind::kBool:
      break;
  }
  const bool is_bool = KindOf(node, member.key) == RecordFieldKind::kBool;
  const std::optional<int64_t> value = ReadInt(text);
  if (!value || (is_bool && (*value < 0 || *value > 1))) {
    Error(member.value.offset(), fmt::format("expected a value of the field `{}` of {}, found `{}`",
                                             member.key, node.type_key, text.substr(0, 40)));
    return nullptr;
  }
  if (is_bool) return builder_.New<BoolAttr>({}, *value != 0);
  return builder_.New<IntAttr>({}, *value);
}

const MapAttr* MetadataReader::SortedMap(std::vector<const MapItem*> items) {
  std::sort(items.begin(), items.end(), [](const MapItem* a, const MapItem* b) {
    return *AsString(a->key) < *AsString(b->key);
  });
  return builder_.New<MapAttr>({}, arena_.Copy(items));
}

const Attr* MetadataReader::BuildRecord(const Node& node) {
  std::vector<const MapItem*> items;
  const auto add = [&](std::string_view name, const Attr* value) {
    items.push_back(builder_.New<MapItem>({}, builder_.StringValue(name), value));
  };
  if (const JsonValue* attrs = node.json->Find("attrs")) {
    TENON_CHECK(attrs->as_object() != nullptr);
    for (const JsonMember& member : *attrs->as_object()) {
      const Attr* value = BuildField(node, member);
      if (value == nullptr) return nullptr;
      add(member.key, value);
    }
  }
  if (node.json->Find("repr_str") != nullptr || node.json->Find("repr_b64") != nullptr) {
    const std::optional<std::string> text = Representation(node);
    if (!text) return nullptr;
    add("repr_str", builder_.StringValue(*text));
  }
  return builder_.New<ObjectAttr>({}, context_.Intern(node.type_key), SortedMap(std::move(items)));
}

}  // namespace tenon
