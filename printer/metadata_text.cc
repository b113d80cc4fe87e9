#include "printer/metadata_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "ir/constant.h"
#include "ir/record_schema.h"
#include "printer/escaped_writer.h"
#include "support/base64.h"
#include "support/ndarray_blob.h"

namespace tenon {
namespace {

// A node of the graph: an attribute, or a list of attributes.
struct NodeRef {
  enum class Kind : uint8_t {
    kNull,
    kAttr,
    kText,
    kRoot,
    kKey,
    kTarget,
    kTargetKind,
    kTargetAttrs
  } kind = Kind::kNull;
  const void* identity = nullptr;
  const Attr* attr = nullptr;
  std::string_view text;
};

// True for keys of a target's dictionary that are fields of TVM's object.
bool IsTargetField(std::string_view key) {
  return key == "kind" || key == "tag" || key == "keys" || key == "host";
}

// A target with its host, which is a dictionary inside the dictionary.
NodeRef RefToTarget(const Attr* value) {
  if (value == nullptr) return {};
  return {.kind = NodeRef::Kind::kTarget, .identity = value, .attr = value, .text = {}};
}

NodeRef RefTo(const Attr* attr) {
  if (attr == nullptr || isa<NoneAttr>(attr)) return {};
  if (const auto* target = dyn_cast<TargetAttr>(attr)) return RefToTarget(target->value);
  NodeRef ref{.kind = NodeRef::Kind::kAttr, .identity = attr, .attr = attr, .text = {}};
  if (const auto* constant = dyn_cast<ConstantAttr>(attr)) ref.identity = constant->value;
  const auto* expr = dyn_cast<ExprAttr>(attr);
  if (expr != nullptr && !isa<IntImm>(expr->value) && !isa<FloatImm>(expr->value) &&
      !isa<StringImm>(expr->value)) {
    return {};
  }
  return ref;
}

// The text inside a StringImm is a separate node.
NodeRef RefTo(const StringImm* imm) {
  return {.kind = NodeRef::Kind::kText, .identity = imm, .attr = nullptr, .text = imm->value};
}

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

// A scalar of a record of an unlisted type (parser/metadata.h): a number, or text in an object of
// the type "".
const Attr* TextOfScalar(const Attr* attr) {
  const auto* object = dyn_cast<ObjectAttr>(attr);
  return object != nullptr && object->type_key.empty() ? object->fields->Find("text") : nullptr;
}

RecordFieldKind KindOfField(std::string_view type_key, std::string_view field, const Attr* value) {
  const std::span<const RecordField> fields = RecordFieldsOf(type_key);
  for (const RecordField& known : fields) {
    if (known.name == field) return known.kind;
  }
  const bool scalar = isa<IntAttr>(value) || TextOfScalar(value) != nullptr || !fields.empty();
  return scalar ? RecordFieldKind::kText : RecordFieldKind::kReference;
}

bool IsStringMap(const MapAttr* map) {
  return std::all_of(map->items.begin(), map->items.end(),
                     [](const MapItem* item) { return isa<StringAttr>(item->key); });
}

class GraphWriter {
 public:
  GraphWriter(std::span<const MetadataObjects> keys, std::string_view version, Sink& sink)
      : keys_(keys), version_(version), out_(sink) {}

  void Write() {
    Number();
    out_.Raw("metadata = tvm.ir.load_json(\"\"\"{\n  ");
    out_.Key("root");
    out_.Raw("1, \n  ");
    out_.Key("nodes");
    out_.Raw("[\n    {\n      ");
    out_.Key("type_key");
    out_.String("");
    out_.Raw("\n    }");
    for (const NodeRef& node : nodes_) {
      out_.Raw(", \n    {\n      ");
      WriteNode(node);
      out_.Raw("\n    }");
    }
    out_.Raw("\n  ], \n  ");
    WriteArrays();
    out_.Raw(", \n  ");
    out_.Key("attrs");
    out_.Raw("{");
    out_.Key("tvm_version");
    out_.String(version_);
    WriteKindsOfFields();
    out_.Raw("}\n}\"\"\")");
  }

 private:
  // Numbers nodes as TVM does: each at its first visit, before the nodes that it refers to.
  void Number() {
    NodeRef root{.kind = NodeRef::Kind::kRoot, .identity = this, .attr = nullptr, .text = {}};
    std::vector<NodeRef> stack{root};
    std::vector<NodeRef> children;
    while (!stack.empty()) {
      const NodeRef node = stack.back();
      stack.pop_back();
      if (node.kind == NodeRef::Kind::kNull) continue;
      if (!index_.try_emplace(node.identity, nodes_.size() + 1).second) continue;
      nodes_.push_back(node);
      children.clear();
      Children(node, &children);
      stack.insert(stack.end(), children.rbegin(), children.rend());
    }
  }

  void Children(const NodeRef& node, std::vector<NodeRef>* out) {
    if (node.kind == NodeRef::Kind::kRoot) {
      for (const MetadataObjects& key : keys_) {
        out->push_back(
            {.kind = NodeRef::Kind::kKey, .identity = &key, .attr = nullptr, .text = {}});
      }
    } else if (node.kind == NodeRef::Kind::kKey) {
      for (const Attr* attr : static_cast<const MetadataObjects*>(node.identity)->objects) {
        out->push_back(RefTo(attr));
      }
    } else if (node.kind == NodeRef::Kind::kAttr) {
      ChildrenOfAttr(node.attr, out);
    } else if (node.kind == NodeRef::Kind::kTarget) {
      ChildrenOfTarget(node.attr, out);
    } else if (node.kind == NodeRef::Kind::kTargetAttrs) {
      for (const MapItem* item : cast<MapAttr>(node.attr)->items) {
        const std::string_view* key = AsString(item->key);
        if (key != nullptr && !IsTargetField(*key)) out->push_back(RefTo(item->value));
      }
    }
  }

  // In the order in which TVM visits them: kind, tag, keys, attrs, host.
  static void ChildrenOfTarget(const Attr* value, std::vector<NodeRef>* out) {
    const auto* map = dyn_cast<MapAttr>(value);
    const auto* pair = dyn_cast<ArrayAttr>(value);  // a target's string, and its host
    const bool has_host = pair != nullptr && pair->items.size() == 2;
    const Attr* kind = map != nullptr ? map->Find("kind") : has_host ? pair->items[0] : value;
    out->push_back({});
    if (const std::string_view* text = AsString(kind)) {
      out->back() = {
          .kind = NodeRef::Kind::kTargetKind, .identity = text, .attr = kind, .text = *text};
    }
    if (has_host) {
      out->insert(out->end(), {NodeRef(), NodeRef(), NodeRef(), RefToTarget(pair->items[1])});
    }
    if (map == nullptr) return;
    out->push_back(RefTo(map->Find("tag")));
    out->push_back(RefTo(map->Find("keys")));
    out->push_back(
        {.kind = NodeRef::Kind::kTargetAttrs, .identity = &map->items, .attr = map, .text = {}});
    const Attr* host = map->Find("host");
    const auto* target = dyn_cast_or_null<TargetAttr>(host);
    out->push_back(RefToTarget(target != nullptr ? target->value : host));
  }

  void WriteTarget(const NodeRef& node) {
    constexpr std::string_view kFields[] = {"kind", "tag", "keys", "attrs", "host"};
    std::vector<NodeRef> children;
    ChildrenOfTarget(node.attr, &children);
    std::vector<std::pair<std::string_view, std::string>> attrs{{"features", "0"}};
    for (size_t i = 0; i < std::size(kFields); ++i) {
      const size_t index = i < children.size() ? IndexOf(children[i]) : 0;
      attrs.emplace_back(kFields[i], fmt::format("{}", index));
    }
    WriteTypeKey("Target");
    WriteAttrs(std::move(attrs));
  }

  void WriteTargetAttrs(const NodeRef& node) {
    std::vector<std::string_view> keys;
    for (const MapItem* item : cast<MapAttr>(node.attr)->items) {
      const std::string_view* key = AsString(item->key);
      if (key != nullptr && !IsTargetField(*key)) keys.push_back(*key);
    }
    std::vector<NodeRef> children;
    Children(node, &children);
    WriteMap(keys, children);
  }

  void ChildrenOfAttr(const Attr* attr, std::vector<NodeRef>* out) {
    if (const auto* array = dyn_cast<ArrayAttr>(attr)) {
      for (const Attr* item : array->items) out->push_back(RefTo(item));
    } else if (const auto* map = dyn_cast<MapAttr>(attr)) {
      const bool strings = IsStringMap(map);
      for (const MapItem* item : map->items) {
        if (!strings) out->push_back(RefTo(item->key));
        out->push_back(RefTo(item->value));
      }
    } else if (const auto* object = dyn_cast<ObjectAttr>(attr)) {
      ChildrenOfRecord(object, out);
    } else if (const auto* expr = dyn_cast<ExprAttr>(attr)) {
      if (const auto* text = dyn_cast<StringImm>(expr->value)) out->push_back(RefTo(text));
    }
  }

  // In the order in which TVM visits the fields; those it does not know follow.
  void ChildrenOfRecord(const ObjectAttr* object, std::vector<NodeRef>* out) {
    const std::string_view type_key = object->type_key.view();
    const std::span<const RecordField> fields = RecordFieldsOf(type_key);
    for (const RecordField& field : fields) {
      const Attr* value = object->fields->Find(field.name);
      if (value != nullptr && field.kind == RecordFieldKind::kReference) {
        out->push_back(RefTo(value));
      }
    }
    if (!fields.empty()) return;
    for (const MapItem* item : object->fields->items) {
      const std::string_view name = *AsString(item->key);
      if (name != "repr_str" &&
          KindOfField(type_key, name, item->value) == RecordFieldKind::kReference) {
        out->push_back(RefTo(item->value));
      }
    }
  }

  size_t IndexOf(const NodeRef& node) const {
    return node.kind == NodeRef::Kind::kNull ? 0 : index_.at(node.identity);
  }

  void WriteNode(const NodeRef& node) {
    std::vector<NodeRef> children;
    switch (node.kind) {
      case NodeRef::Kind::kNull:
        return;
      case NodeRef::Kind::kText:
        return WriteString(node.text);
      case NodeRef::Kind::kRoot: {
        std::vector<std::string_view> keys;
        for (const MetadataObjects& key : keys_) keys.push_back(key.type_key);
        Children(node, &children);
        return WriteMap(keys, children);
      }
      case NodeRef::Kind::kKey:
        Children(node, &children);
        return WriteArray(children);
      case NodeRef::Kind::kAttr:
        return WriteAttr(node.attr);
      case NodeRef::Kind::kTarget:
        return WriteTarget(node);
      case NodeRef::Kind::kTargetKind:
        return WriteRepr("TargetKind", node.text);
      case NodeRef::Kind::kTargetAttrs:
        return WriteTargetAttrs(node);
    }
  }

  void WriteAttr(const Attr* attr) {
    std::vector<NodeRef> children;
    switch (attr->kind) {
      case NodeKind::kStringAttr:
        return WriteString(cast<StringAttr>(attr)->value);
      case NodeKind::kArrayAttr:
        ChildrenOfAttr(attr, &children);
        return WriteArray(children);
      case NodeKind::kMapAttr: {
        const auto* map = cast<MapAttr>(attr);
        std::vector<std::string_view> keys;
        if (IsStringMap(map)) {
          for (const MapItem* item : map->items) keys.push_back(*AsString(item->key));
        }
        ChildrenOfAttr(attr, &children);
        return WriteMap(keys, children);
      }
      case NodeKind::kConstantAttr:
        return WriteNdArray(*cast<ConstantAttr>(attr)->value);
      case NodeKind::kObjectAttr:
        return WriteRecord(cast<ObjectAttr>(attr));
      case NodeKind::kExprAttr:
        return WriteImm(cast<ExprAttr>(attr)->value);
      case NodeKind::kBoolAttr:
        return WriteRepr("runtime.BoxBool", cast<BoolAttr>(attr)->value ? "1" : "0");
      case NodeKind::kIntAttr:
        return WriteRepr("runtime.BoxInt", fmt::format("{}", cast<IntAttr>(attr)->value));
      case NodeKind::kFloatAttr:
        return WriteRepr("runtime.BoxFloat", fmt::format("{:.17g}", cast<FloatAttr>(attr)->value));
      default:
        return WriteTypeKey("");
    }
  }

  void WriteTypeKey(std::string_view type_key) {
    out_.Key("type_key");
    out_.String(type_key);
  }

  void WriteField(std::string_view name) {
    out_.Raw(", \n      ");
    out_.Key(name);
  }

  void WriteRepr(std::string_view type_key, std::string_view text) {
    WriteTypeKey(type_key);
    if (text.empty()) return;
    if (IsPrintable(text)) {
      WriteField("repr_str");
      out_.String(text);
    } else {
      WriteField("repr_b64");
      out_.String(Base64Encode(text));
    }
  }

  void WriteString(std::string_view text) { WriteRepr("runtime.String", text); }

  void WriteArray(std::span<const NodeRef> items) {
    WriteTypeKey("Array");
    WriteIndices(items);
  }

  // Up to ten numbers stand on one line.
  void WriteIndices(std::span<const NodeRef> items) {
    if (items.empty()) return;
    WriteField("data");
    const bool lines = items.size() > 10;
    out_.Raw("[");
    for (size_t i = 0; i < items.size(); ++i) {
      if (i != 0) out_.Raw(lines ? "," : ", ");
      if (lines) out_.Raw(i != 0 ? " \n        " : "\n        ");
      out_.Raw(fmt::format("{}", IndexOf(items[i])));
    }
    out_.Raw(lines ? "\n      ]" : "]");
  }

  void WriteMap(std::span<const std::string_view> keys, std::span<const NodeRef> values) {
    WriteTypeKey("Map");
    if (!keys.empty()) {
      WriteField("keys");
      out_.Raw("[");
      for (size_t i = 0; i < keys.size(); ++i) {
        out_.Raw(i == 0 ? "\n        " : ", \n        ");
        out_.String(keys[i]);
      }
      out_.Raw("\n      ]");
    }
    WriteIndices(values);
  }

  void WriteAttrs(std::vector<std::pair<std::string_view, std::string>> attrs) {
    std::sort(attrs.begin(), attrs.end());
    if (attrs.empty()) return;
    WriteField("attrs");
    const bool lines = attrs.size() > 1;
    out_.Raw("{");
    for (size_t i = 0; i < attrs.size(); ++i) {
      if (i != 0) out_.Raw(", ");
      if (lines) out_.Raw("\n        ");
      out_.Key(attrs[i].first);
      out_.String(attrs[i].second);
    }
    out_.Raw(lines ? "\n      }" : "}");
  }

  void WriteImm(const Expr* expr) {
    std::vector<std::pair<std::string_view, std::string>> attrs;
    attrs.emplace_back("dtype", expr->dtype.ToString());
    attrs.emplace_back("span", "0");
    if (const auto* integer = dyn_cast<IntImm>(expr)) {
      WriteTypeKey("IntImm");
      attrs.emplace_back("value", expr->dtype.is_uint()
                                      ? fmt::format("{}", static_cast<uint64_t>(integer->value))
                                      : fmt::format("{}", integer->value));
    } else if (const auto* real = dyn_cast<FloatImm>(expr)) {
      WriteTypeKey("FloatImm");
      attrs.emplace_back("value", fmt::format("{:.17g}", real->value));
    } else {
      WriteTypeKey("tir.StringImm");
      attrs.emplace_back("value", fmt::format("{}", IndexOf(RefTo(cast<StringImm>(expr)))));
    }
    WriteAttrs(std::move(attrs));
  }

  void WriteRecord(const ObjectAttr* object) {
    const std::string_view type_key = object->type_key.view();
    std::vector<std::pair<std::string_view, std::string>> attrs;
    std::string_view repr;
    for (const MapItem* item : object->fields->items) {
      const std::string_view name = *AsString(item->key);
      const std::string_view* text = AsString(item->value);
      if (name == "repr_str" && text != nullptr) {
        repr = *text;
      } else {
        attrs.emplace_back(name, FieldText(type_key, name, item->value));
      }
    }
    WriteRepr(type_key, repr);
    WriteAttrs(std::move(attrs));
  }

  std::string FieldText(std::string_view type_key, std::string_view name, const Attr* value) {
    const RecordFieldKind kind = KindOfField(type_key, name, value);
    if (kind == RecordFieldKind::kReference) return fmt::format("{}", IndexOf(RefTo(value)));
    if (kind == RecordFieldKind::kNdArray) return fmt::format("{}", ArrayIndexOf(value));
    if (const Attr* text = TextOfScalar(value)) value = text;
    if (const std::string_view* text = AsString(value)) return std::string(*text);
    if (const auto* truth = dyn_cast<BoolAttr>(value)) return truth->value ? "1" : "0";
    const int64_t* integer = AsInt(value);
    return integer != nullptr ? fmt::format("{}", *integer) : "0";
  }

  // States the kind of each field that a reader would guess wrongly (UnlistedFields).
  void WriteKindsOfFields() {
    UnlistedFields guesses;
    std::map<std::pair<std::string_view, std::string_view>, bool> is_reference;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const auto* object = dyn_cast_or_null<ObjectAttr>(nodes_[i].attr);
      if (nodes_[i].kind != NodeRef::Kind::kAttr || object == nullptr) continue;
      const std::string_view type_key = object->type_key.view();
      if (!RecordFieldsOf(type_key).empty()) continue;
      for (const MapItem* item : object->fields->items) {
        const std::string_view name = *AsString(item->key);
        if (name == "repr_str") continue;
        const std::string text = FieldText(type_key, name, item->value);
        guesses.Add(type_key, name, &text, i + 1, nodes_.size() + 1);
        is_reference[{type_key, name}] =
            KindOfField(type_key, name, item->value) == RecordFieldKind::kReference;
      }
    }
    for (const auto& [field, reference] : is_reference) {
      if (guesses.IsReference(field.first, field.second) == reference) continue;
      out_.Raw(", ");
      out_.Key(UnlistedFields::AttributeKey(field.first, field.second));
      out_.String(UnlistedFields::AttributeValue(reference));
    }
  }

  size_t ArrayIndexOf(const Attr* attr) {
    const auto* constant = dyn_cast<ConstantAttr>(attr);
    if (constant == nullptr) return 0;
    const auto [at, is_new] = array_index_.try_emplace(constant->value, arrays_.size());
    if (is_new) arrays_.push_back(constant->value);
    return at->second;
  }

  static std::string BlobOf(const Constant& constant) {
    const DataType dtype = constant.dtype();
    const absl::StatusOr<std::span<const uint8_t>> bytes = constant.Bytes();
    if (!bytes.ok()) return "";
    NdArrayBlob blob;
    constexpr uint8_t kCodes[] = {0, 1, 2, 3, 4, 6, 7};  // DLPack's and TVM's, by TypeCode
    blob.type_code = kCodes[static_cast<size_t>(dtype.code())];
    blob.bits = static_cast<uint8_t>(dtype.bits());
    blob.lanes = static_cast<uint16_t>(dtype.lanes());
    blob.shape = constant.shape();
    blob.data = {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
    const absl::StatusOr<std::string> encoded = EncodeNdArrayBlob(blob);
    return encoded.ok() ? Base64Encode(*encoded) : "";
  }

  void WriteNdArray(const Constant& constant) { WriteRepr("runtime.NDArray", BlobOf(constant)); }

  void WriteArrays() {
    out_.Key("b64ndarrays");
    out_.Raw("[");
    for (size_t i = 0; i < arrays_.size(); ++i) {
      out_.Raw(i == 0 ? "\n    " : ", \n    ");
      out_.String(BlobOf(*arrays_[i]));
    }
    out_.Raw(arrays_.empty() ? "]" : "\n  ]");
  }

  std::span<const MetadataObjects> keys_;
  std::string_view version_;
  EscapedWriter out_;
  std::vector<NodeRef> nodes_;  // the first has the number 1
  absl::flat_hash_map<const void*, size_t> index_;
  std::vector<const Constant*> arrays_;
  absl::flat_hash_map<const void*, size_t> array_index_;
};

}  // namespace

void AppendMetadata(std::span<const MetadataObjects> keys, std::string_view version, Sink& sink) {
  GraphWriter(keys, version, sink).Write();
}

}  // namespace tenon
