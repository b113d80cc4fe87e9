#include "parser/ffi_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "parser/python_bytes.h"
#include "support/base64.h"
#include "support/ndarray_blob.h"

namespace tenon {

namespace {

/// The element type by DLPack's codes, which TVM follows since 0.23: a bool has a code of its own.
std::optional<DataType> DTypeOf(const NdArrayBlob& blob) {
  constexpr uint8_t kBool = 6;
  constexpr uint8_t kFloat8E3M4 = 7;
  if (blob.type_code == kBool) return DataType::Bool();
  if (blob.type_code == kFloat8E3M4) return std::nullopt;
  return DataType::Parse(blob.dtype());
}

class FfiGraphReader {
 public:
  FfiGraphReader(Context& context, Arena& arena, const JsonValue& json, std::string_view body,
                 uint32_t source_base, Diagnostics& diagnostics)
      : context_(context),
        builder_(context, arena),
        json_(json),
        body_(body),
        source_base_(source_base),
        diagnostics_(diagnostics) {}

  bool Read(MetadataTable* table) {
    const JsonValue* nodes = json_.Find("nodes");
    nodes_ = nodes == nullptr ? nullptr : nodes->as_array();
    if (nodes_ == nullptr) return Error(json_.offset(), "the metadata has no list `nodes`");
    attrs_.resize(nodes_->size());
    const JsonValue* root = NodeAt(json_.Find("root_index"), json_.offset());
    const JsonValue::Array* items = root == nullptr ? nullptr : DataOf(*root, "ffi.Map");
    if (items == nullptr) return false;
    for (size_t i = 0; i + 1 < items->size(); i += 2) {
      const JsonValue* key = NodeAt(&(*items)[i], root->offset());
      const JsonValue* list = NodeAt(&(*items)[i + 1], root->offset());
      if (key == nullptr || list == nullptr) return false;
      const JsonValue* text = key->Find("data");
      const JsonValue::Array* objects = DataOf(*list, "ffi.Array");
      if (text == nullptr || text->as_string() == nullptr) {
        return Error(key->offset(), "a key of the metadata is not a string");
      }
      if (objects == nullptr) return false;
      std::vector<const Attr*> attrs;
      for (const JsonValue& object : *objects) {
        attrs.push_back(AttrAt(object));
        if (attrs.back() == nullptr) return false;
      }
      table->Set(*text->as_string(), std::move(attrs));
    }
    const JsonValue* about = json_.Find("metadata");
    const JsonValue* version = about == nullptr ? nullptr : about->Find("tvm_version");
    if (version != nullptr && version->as_string() != nullptr) {
      table->set_version(*version->as_string());
    }
    return true;
  }

 private:
  bool Error(size_t offset, std::string message) {
    const size_t at = std::min(PythonSourceOffset(body_, offset), body_.size());
    const auto begin = source_base_ + static_cast<uint32_t>(at);
    diagnostics_.Error(DiagnosticKind::kMetadata, {begin, begin + (at < body_.size() ? 1U : 0U)},
                       std::move(message));
    return false;
  }

  std::optional<size_t> IndexOf(const JsonValue* index, size_t offset) {
    const std::optional<int64_t> value = index == nullptr ? std::nullopt : index->as_int64();
    if (value && *value >= 0 && static_cast<size_t>(*value) < nodes_->size()) {
      return static_cast<size_t>(*value);
    }
    Error(index == nullptr ? offset : index->offset(),
          fmt::format("not the index of one of the {} nodes", nodes_->size()));
    return std::nullopt;
  }

  const JsonValue* NodeAt(const JsonValue* index, size_t offset) {
    const std::optional<size_t> at = IndexOf(index, offset);
    return at ? &(*nodes_)[*at] : nullptr;
  }

  static std::string_view TypeOf(const JsonValue& node) {
    const JsonValue* type = node.Find("type");
    const std::string* text = type == nullptr ? nullptr : type->as_string();
    return text == nullptr ? std::string_view() : std::string_view(*text);
  }

  const JsonValue::Array* DataOf(const JsonValue& node, std::string_view type) {
    const JsonValue* data = node.Find("data");
    if (TypeOf(node) == type && data != nullptr && data->as_array() != nullptr) {
      return data->as_array();
    }
    Error(node.offset(), fmt::format("expected a node of the type `{}`", type));
    return nullptr;
  }

  const Attr* AttrAt(const JsonValue& index) {
    const std::optional<size_t> at = IndexOf(&index, index.offset());
    if (!at) return nullptr;
    if (attrs_[*at] == nullptr) attrs_[*at] = Build((*nodes_)[*at]);
    return attrs_[*at];
  }

  const Attr* Build(const JsonValue& node) {
    const std::string_view type = TypeOf(node);
    const JsonValue* data = node.Find("data");
    if (type == "ffi.Tensor") return BuildTensor(node, data);
    // A constant's tensor: `value` since TVM 0.27, `data` before.
    const bool is_constant = type == "ir.GenericConst" || type == "relax.expr.Constant";
    if (is_constant && data != nullptr) {
      const JsonValue* tensor = data->Find(type == "ir.GenericConst" ? "value" : "data");
      const JsonValue* held = NodeAt(tensor, node.offset());
      if (held == nullptr) return nullptr;
      if (TypeOf(*held) == "ffi.Tensor") return BuildTensor(*held, held->Find("data"));
    }
    if (type == "ffi.String" && data != nullptr && data->as_string() != nullptr) {
      return builder_.StringValue(*data->as_string());
    }
    const bool is_text = type == "ir.StringImm" || type == "tirx.StringImm";
    if (is_text && data != nullptr) {
      const JsonValue* held = NodeAt(data->Find("value"), node.offset());
      if (held == nullptr) return nullptr;
      const JsonValue* text = held->Find("data");
      if (TypeOf(*held) == "ffi.String" && text != nullptr && text->as_string() != nullptr) {
        const Symbol symbol = context_.Intern(*text->as_string());
        return builder_.ExprValue(builder_.New<StringImm>({}, symbol.view()));
      }
    }
    return builder_.New<NoneAttr>({});
  }

  const Attr* BuildTensor(const JsonValue& node, const JsonValue* base64) {
    if (base64 == nullptr || base64->as_string() == nullptr) {
      Error(node.offset(), "a tensor without its data, expected a string of base64");
      return nullptr;
    }
    size_t wrong_at = 0;
    const absl::StatusOr<std::string> bytes = Base64Decode(*base64->as_string(), &wrong_at);
    if (!bytes.ok()) {
      Error(base64->offset() + 1 + wrong_at, std::string(bytes.status().message()));
      return nullptr;
    }
    const absl::StatusOr<NdArrayBlob> blob = DecodeNdArrayBlob(*bytes);
    if (!blob.ok()) {
      Error(base64->offset(), std::string(blob.status().message()));
      return nullptr;
    }
    const std::optional<DataType> dtype = DTypeOf(*blob);
    if (!dtype) {
      Error(base64->offset(), "a tensor of a type that constants cannot have");
      return nullptr;
    }
    std::vector<uint8_t> data(blob->data.begin(), blob->data.end());
    const auto is_odd = [](uint8_t byte) { return byte > 1; };
    if (dtype->is_bool() && std::any_of(data.begin(), data.end(), is_odd)) {
      Error(base64->offset(), "a tensor of bool with a byte that is neither 0 nor 1");
      return nullptr;
    }
    return builder_.New<ConstantAttr>(
        {}, context_.AddConstant(Symbol(), *dtype, blob->shape, std::move(data), {},
                                 {source_base_, source_base_ + 1}));
  }

  Context& context_;
  NodeBuilder builder_;
  const JsonValue& json_;
  std::string_view body_;
  uint32_t source_base_;
  Diagnostics& diagnostics_;
  const JsonValue::Array* nodes_ = nullptr;
  std::vector<const Attr*> attrs_;  ///< by node; null until the attribute is built
};

}  // namespace

bool IsFfiGraph(const JsonValue& json) { return json.Find("root_index") != nullptr; }

bool ReadFfiGraph(Context& context, Arena& arena, const JsonValue& json, std::string_view body,
                  uint32_t source_base, Diagnostics& diagnostics, MetadataTable* table) {
  return FfiGraphReader(context, arena, json, body, source_base, diagnostics).Read(table);
}

}  // namespace tenon
