#include "printer/metadata_refs.h"

#include <fmt/format.h>

#include "printer/literal.h"
#include "support/check.h"

namespace tenon {
namespace {

/// Keys come from files and may contain anything.
std::string ReferenceText(std::string_view type_key, size_t index) {
  Sink sink;
  sink.Append("metadata[");
  AppendQuoted(sink, type_key);
  return sink.Take() + fmt::format("][{}]", index);
}

}  // namespace

size_t MetadataCollector::KeyOf(std::string_view type_key) {
  size_t key = 0;
  while (key < objects_.size() && objects_[key].type_key != type_key) ++key;
  if (key == objects_.size()) objects_.push_back({type_key, {}});
  return key;
}

std::string MetadataCollector::Reference(const Attr* attr) {
  TENON_CHECK(attr != nullptr);
  std::string_view type_key = rules_.tensor_type;
  const void* identity = attr;
  if (const auto* object = dyn_cast<ObjectAttr>(attr)) {
    type_key = object->type_key.view();
    if (object->opaque()) {
      has_opaque_ = true;
      const int64_t* index = AsInt(object->fields->Find("index"));
      return ReferenceText(type_key, index != nullptr ? static_cast<size_t>(*index) : 0);
    }
  } else if (const auto* text = dyn_cast<StringAttr>(attr)) {
    type_key = rules_.string_type;
    // Since 0.25, TVM identifies strings by their content.
    if (rules_.has_flat_scopes) identity = strings_.try_emplace(text->value, attr).first->second;
  } else {
    identity = cast<ConstantAttr>(attr)->value;
  }
  return ReferenceTo(identity, type_key, attr);
}

std::string MetadataCollector::Reference(const StringImm* imm) {
  if (!index_.contains(imm)) texts_.emplace_back(imm);
  return ReferenceTo(imm, rules_.string_imm_type, texts_.empty() ? nullptr : &texts_.back());
}

std::string MetadataCollector::ReferenceTo(const void* identity, std::string_view type_key,
                                           const Attr* attr) {
  const auto found = index_.find(identity);
  if (found != index_.end()) return ReferenceText(type_key, found->second);
  std::vector<const Attr*>& objects = objects_[KeyOf(type_key)].objects;
  index_.emplace(identity, objects.size());
  objects.push_back(attr);
  return ReferenceText(type_key, objects.size() - 1);
}

}  // namespace tenon
