#include "printer/ffi_metadata_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/constant.h"
#include "ir/expr.h"
#include "printer/escaped_writer.h"
#include "support/base64.h"
#include "support/ndarray_blob.h"

namespace tenon {
namespace {

const StringImm* StringImmOf(const Attr* attr) {
  const auto* expr = dyn_cast<ExprAttr>(attr);
  return expr == nullptr ? nullptr : dyn_cast<StringImm>(expr->value);
}

class FfiGraphWriter {
 public:
  FfiGraphWriter(const DialectRules& rules, Sink& sink) : rules_(rules), out_(sink) {}

  void Write(std::span<const MetadataObjects> keys) {
    out_.Raw("metadata = tvm.ir.load_json(\"\"\"{\n  ");
    // The index of the root precedes the nodes, so these are counted first.
    is_writing_ = false;
    const size_t root = WriteRoot(keys);
    is_writing_ = true;
    count_ = 0;
    strings_.clear();
    none_ = shared_type_ = kUnset;
    out_.Key("root_index");
    out_.Raw(fmt::format("{},\n  ", root));
    out_.Key("nodes");
    out_.Raw("[");
    WriteRoot(keys);
    out_.Raw("\n  ],\n  ");
    out_.Key("metadata");
    out_.Raw("{\n    ");
    out_.Key("tvm_version");
    out_.String(rules_.release);
    out_.Raw("\n  }\n}\"\"\")");
  }

 private:
  static constexpr size_t kUnset = SIZE_MAX;

  size_t WriteRoot(std::span<const MetadataObjects> keys) {
    std::vector<size_t> items;
    for (const MetadataObjects& key : keys) {
      items.push_back(WriteString(key.type_key));
      std::vector<size_t> objects;
      for (const Attr* attr : key.objects) objects.push_back(WriteObject(attr));
      items.push_back(WriteList("ffi.Array", objects));
    }
    return WriteList("ffi.Map", items);
  }

  size_t WriteObject(const Attr* attr) {
    if (const auto* text = dyn_cast<StringAttr>(attr)) return WriteString(text->value);
    if (const StringImm* imm = StringImmOf(attr)) return WriteStringImm(imm->value);
    const auto* constant = dyn_cast<ConstantAttr>(attr);
    return constant == nullptr ? WriteNone() : WriteTensor(*constant->value);
  }

  size_t WriteString(std::string_view text) {
    const auto [entry, is_new] = strings_.try_emplace(std::string(text), count_);
    if (!is_new) return entry->second;
    const size_t index = StartNode("ffi.String");
    if (is_writing_) {
      Data();
      out_.String(text);
    }
    EndNode();
    return index;
  }

  size_t WriteNone() {
    if (none_ != kUnset) return none_;
    none_ = StartNode("None");
    EndNode();
    return none_;
  }

  size_t WriteStringImm(std::string_view text) {
    std::vector<std::pair<std::string_view, std::string>> fields{
        {"span", fmt::format("{}", WriteNone())}};
    if (rules_.text_type == TextType::kDType) {
      fields.emplace_back("dtype", "\\\"handle\\\"");
    } else {
      fields.emplace_back("ty", fmt::format("{}", WriteTextType()));
    }
    fields.emplace_back("value", fmt::format("{}", WriteString(text)));
    return WriteRecord(rules_.string_imm_type, fields);
  }

  size_t WriteTextType() {
    const std::string none = fmt::format("{}", WriteNone());
    if (rules_.text_type == TextType::kOwn) {
      return WriteRecord("ir.StringType", {{"span", none}});
    }
    if (shared_type_ == kUnset) {
      shared_type_ = WriteRecord("ir.PrimType", {{"span", none}, {"dtype", "\\\"\\\""}});
    }
    return shared_type_;
  }

  size_t WriteTensor(const Constant& constant) {
    const size_t index = StartNode("ffi.Tensor");
    if (is_writing_) {
      Data();
      out_.String(BlobOf(constant));
    }
    EndNode();
    return index;
  }

  static std::string BlobOf(const Constant& constant) {
    constexpr uint8_t kBool = 6;
    constexpr uint8_t kCodes[] = {0, 1, 2, 3, 4, 10, 12};  // DLPack's, by TypeCode
    NdArrayBlob blob;
    const DataType dtype = constant.dtype();
    blob.type_code = dtype.is_bool() ? kBool : kCodes[static_cast<size_t>(dtype.code())];
    blob.bits = static_cast<uint8_t>(dtype.is_bool() ? 8 : dtype.bits());
    blob.shape = constant.shape();
    const auto bytes = constant.Bytes();
    if (!bytes.ok()) return "";
    blob.data = {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
    const absl::StatusOr<std::string> encoded = EncodeNdArrayBlob(blob);
    return encoded.ok() ? Base64Encode(*encoded) : "";
  }

  size_t WriteRecord(std::string_view type,
                     const std::vector<std::pair<std::string_view, std::string>>& fields) {
    const size_t index = StartNode(type);
    if (is_writing_) {
      Data();
      out_.Raw("{");
      for (size_t i = 0; i < fields.size(); ++i) {
        out_.Raw(i == 0 ? "\n        " : ",\n        ");
        out_.Key(fields[i].first);
        out_.Raw(fields[i].second);
      }
      out_.Raw("\n      }");
    }
    EndNode();
    return index;
  }

  size_t WriteList(std::string_view type, const std::vector<size_t>& items) {
    const size_t index = StartNode(type);
    if (is_writing_) {
      Data();
      out_.Raw("[");
      for (size_t i = 0; i < items.size(); ++i) {
        out_.Raw(fmt::format("{}\n        {}", i == 0 ? "" : ",", items[i]));
      }
      out_.Raw("\n      ]");
    }
    EndNode();
    return index;
  }

  size_t StartNode(std::string_view type) {
    if (is_writing_) {
      out_.Raw(count_ == 0 ? "\n    {\n      " : ",\n    {\n      ");
      out_.Key("type");
      out_.String(type);
    }
    return count_++;
  }
  void Data() {
    out_.Raw(",\n      ");
    out_.Key("data");
  }
  void EndNode() {
    if (is_writing_) out_.Raw("\n    }");
  }

  const DialectRules& rules_;
  EscapedWriter out_;
  bool is_writing_ = false;
  size_t count_ = 0;
  size_t none_ = kUnset;
  size_t shared_type_ = kUnset;
  absl::flat_hash_map<std::string, size_t> strings_;
};

}  // namespace

bool FitsFfiMetadata(std::span<const MetadataObjects> keys) {
  return std::all_of(keys.begin(), keys.end(), [](const MetadataObjects& key) {
    return std::all_of(key.objects.begin(), key.objects.end(), [](const Attr* attr) {
      return isa<StringAttr>(attr) || isa<ConstantAttr>(attr) || StringImmOf(attr) != nullptr;
    });
  });
}

void AppendFfiMetadata(std::span<const MetadataObjects> keys, const DialectRules& rules,
                       Sink& sink) {
  FfiGraphWriter(rules, sink).Write(keys);
}

}  // namespace tenon
