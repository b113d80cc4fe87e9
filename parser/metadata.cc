#include "parser/metadata.h"

#include <fmt/format.h>

#include <algorithm>

#include "parser/ffi_metadata.h"
#include "parser/metadata_reader.h"
#include "parser/python_bytes.h"
#include "support/check.h"

namespace tenon {
namespace {

constexpr int kMostErrors = 20;

}  // namespace

const Attr* MetadataTable::Find(std::string_view type_key, int64_t index) const {
  const auto found = objects_.find(std::string(type_key));
  if (found == objects_.end() || index < 0 || static_cast<size_t>(index) >= found->second.size()) {
    return nullptr;
  }
  return found->second[static_cast<size_t>(index)];
}

int64_t MetadataTable::CountOf(std::string_view type_key) const {
  const auto found = objects_.find(std::string(type_key));
  return found == objects_.end() ? 0 : static_cast<int64_t>(found->second.size());
}

void MetadataReader::Error(size_t offset, std::string message) {
  if (++errors_ > kMostErrors) return;
  const size_t at = std::min(PythonSourceOffset(body_, offset), body_.size());
  const auto begin = source_base_ + static_cast<uint32_t>(at);
  diagnostics_.Error(DiagnosticKind::kMetadata, {begin, begin + (at < body_.size() ? 1U : 0U)},
                     std::move(message));
}

bool MetadataReader::Read() {
  {
    const std::string text = DecodePythonBytes(body_);
    JsonError error;
    absl::StatusOr<JsonValue> json = ParseJson(text, {}, &error);
    if (!json.ok()) {
      Error(error.offset, fmt::format("the metadata is not JSON: {}", error.message));
      return false;
    }
    json_ = *std::move(json);
  }
  if (IsFfiGraph(*json_)) {
    return ReadFfiGraph(context_, arena_, *json_, body_, source_base_, diagnostics_, &table_);
  }
  if (!ReadHeader()) return false;
  FindUnlistedFields();
  BuildFrom(root_);
  TENON_CHECK(AttrAt(root_) != nullptr);
  if (errors_ == 0) FillTable(AttrAt(root_));
  return errors_ == 0;
}

bool MetadataReader::ReadHeader() {
  const JsonValue* nodes = json_->Find("nodes");
  if (nodes == nullptr || nodes->as_array() == nullptr) {
    Error(json_->offset(),
          "the metadata has no list `nodes`, expected what TVM's save_json writes");
    return false;
  }
  if (!ReadNodes(*nodes->as_array())) return false;
  const JsonValue* arrays = json_->Find("b64ndarrays");
  if (arrays != nullptr) {
    arrays_ = arrays->as_array();
    if (arrays_ == nullptr) {
      Error(arrays->offset(),
            fmt::format("`b64ndarrays` is {}, expected an array", arrays->kind_name()));
      return false;
    }
    array_attrs_.resize(arrays_->size());
  }
  const JsonValue* root = json_->Find("root");
  const std::optional<int64_t> index = root != nullptr ? root->as_int64() : std::nullopt;
  if (!index || *index < 0 || static_cast<size_t>(*index) >= nodes_.size()) {
    Error(root != nullptr ? root->offset() : json_->offset(),
          "`root` is not the index of a node of the metadata");
    return false;
  }
  root_ = static_cast<size_t>(*index);
  return true;
}

bool MetadataReader::ReadNodes(const JsonValue::Array& nodes) {
  nodes_.reserve(nodes.size());
  for (const JsonValue& json : nodes) {
    const JsonValue* type_key = json.Find("type_key");
    const std::string* text = type_key != nullptr ? type_key->as_string() : nullptr;
    if (text == nullptr) {
      Error(json.offset(), "a node of the metadata has no string `type_key`");
      return false;
    }
    Node node;
    node.json = &json;
    node.type_key = *text;
    nodes_.push_back(node);
  }
  return true;
}

void MetadataReader::FindUnlistedFields() {
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (!RecordFieldsOf(nodes_[i].type_key).empty()) continue;
    const JsonValue* attrs = nodes_[i].json->Find("attrs");
    if (attrs == nullptr || attrs->as_object() == nullptr) continue;
    for (const JsonMember& member : *attrs->as_object()) {
      unlisted_.Add(nodes_[i].type_key, member.key, member.value.as_string(), i, nodes_.size());
    }
  }
  const JsonValue* stated = json_->Find("attrs");
  if (stated == nullptr || stated->as_object() == nullptr) return;
  for (const JsonMember& member : *stated->as_object()) {
    const std::string* value = member.value.as_string();
    if (value != nullptr) unlisted_.State(member.key, *value);
  }
}

RecordFieldKind MetadataReader::KindOf(const Node& node, std::string_view field) const {
  const std::span<const RecordField> fields = RecordFieldsOf(node.type_key);
  for (const RecordField& known : fields) {
    if (known.name == field) return known.kind;
  }
  if (!fields.empty()) return RecordFieldKind::kText;
  return unlisted_.IsReference(node.type_key, field) ? RecordFieldKind::kReference
                                                     : RecordFieldKind::kText;
}

std::optional<size_t> MetadataReader::IndexOf(const JsonValue& value) {
  const std::optional<int64_t> index = value.as_int64();
  if (index && *index >= 0 && static_cast<size_t>(*index) < nodes_.size()) {
    return static_cast<size_t>(*index);
  }
  Error(value.offset(), fmt::format("not the index of one of the {} nodes", nodes_.size()));
  return std::nullopt;
}

std::optional<size_t> MetadataReader::IndexOfText(const JsonValue& value, std::string_view field,
                                                  std::string_view text) {
  const std::optional<int64_t> index = CanonicalInt(text);
  if (index && *index >= 0 && static_cast<size_t>(*index) < nodes_.size()) {
    return static_cast<size_t>(*index);
  }
  Error(value.offset(), fmt::format("the field `{}` is `{}`, not the index of one of the {} nodes",
                                    field, text.substr(0, 40), nodes_.size()));
  return std::nullopt;
}

void MetadataReader::AppendList(const JsonValue* list, std::vector<size_t>* out) {
  if (list == nullptr) return;
  if (list->as_array() == nullptr) {
    Error(list->offset(), fmt::format("`data` is {}, expected an array", list->kind_name()));
    return;
  }
  for (const JsonValue& value : *list->as_array()) {
    if (const std::optional<size_t> index = IndexOf(value)) out->push_back(*index);
  }
}

void MetadataReader::AppendChildren(size_t index, std::vector<size_t>* out) {
  const Node& node = nodes_[index];
  if (node.type_key == "Array" || node.type_key == "Map") {
    AppendList(node.json->Find("data"), out);
    return;
  }
  const JsonValue* attrs = node.json->Find("attrs");
  if (attrs == nullptr || node.type_key == "IntImm" || node.type_key == "FloatImm") return;
  if (attrs->as_object() == nullptr) {
    Error(attrs->offset(), fmt::format("`attrs` is {}, expected an object", attrs->kind_name()));
    return;
  }
  for (const JsonMember& member : *attrs->as_object()) {
    const std::string* text = member.value.as_string();
    if (text == nullptr) {
      Error(member.value.offset(), fmt::format("the field `{}` is {}, expected a string",
                                               member.key, member.value.kind_name()));
    } else if (KindOf(node, member.key) == RecordFieldKind::kReference) {
      if (const auto child = IndexOfText(member.value, member.key, *text)) out->push_back(*child);
    }
  }
}

void MetadataReader::BuildFrom(size_t root) {
  std::vector<size_t> stack{root};
  std::vector<size_t> children;
  while (!stack.empty()) {
    const size_t index = stack.back();
    TENON_CHECK(index < nodes_.size());
    Node& node = nodes_[index];
    if (node.state == Node::State::kDone) {
      stack.pop_back();
      continue;
    }
    children.clear();
    // A second visit of a node finds no further mistakes.
    if (node.state == Node::State::kNew ? errors_ < kMostErrors : errors_ == 0) {
      AppendChildren(index, &children);
    }
    if (node.state == Node::State::kNew) {
      node.state = Node::State::kOpen;
      for (size_t i = children.size(); i > 0; --i) {
        const Node& child = nodes_[children[i - 1]];
        if (child.state == Node::State::kOpen) {
          Error(node.json->offset(),
                fmt::format("node {} of the metadata contains itself", children[i - 1]));
        } else if (child.state == Node::State::kNew) {
          stack.push_back(children[i - 1]);
        }
      }
      if (stack.back() != index) continue;
    }
    stack.pop_back();
    for (const size_t child : children) {
      node.values = std::min(node.values + nodes_[child].values, kMostMetadataValues + 1);
      node.depth = std::max(node.depth, nodes_[child].depth + 1);
    }
    node.state = Node::State::kDone;
    if (node.values > kMostMetadataValues || node.depth > kMostMetadataDepth) {
      Error(node.json->offset(), fmt::format("the metadata unfolds to more than {} values or {} "
                                             "levels",
                                             kMostMetadataValues, kMostMetadataDepth));
      node.values = 1;
      node.depth = 1;
    } else if (errors_ == 0) {
      node.attr = Build(index);
    }
    if (node.attr == nullptr) node.attr = Nothing();
  }
}

void MetadataReader::FillTable(const Attr* root) {
  const auto* map = dyn_cast<MapAttr>(root);
  if (map == nullptr) {
    Error(nodes_[root_].json->offset(), "the root of the metadata is not a map of arrays");
    return;
  }
  for (const MapItem* item : map->items) {
    const std::string_view* key = AsString(item->key);
    const auto* array = dyn_cast<ArrayAttr>(item->value);
    if (key == nullptr || array == nullptr) {
      Error(nodes_[root_].json->offset(), "the root of the metadata is not a map of arrays");
      return;
    }
    table_.objects_[std::string(*key)].assign(array->items.begin(), array->items.end());
  }
}

bool ParseMetadata(Context& context, Arena& arena, std::string_view body, uint32_t source_base,
                   Diagnostics& diagnostics, MetadataTable* table) {
  return MetadataReader(context, arena, body, source_base, diagnostics, table).Read();
}

}  // namespace tenon
