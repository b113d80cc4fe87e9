#include "printer/metadata_refs.h"

#include <algorithm>

namespace tenon {

std::string MetadataCollector::Reference(const Attr* attr) {
  std::string_view type_key = "runtime.NDArray";
  const void* identity = attr;
  if (const auto* object = dyn_cast<ObjectAttr>(attr)) {
    type_key = object->type_key.view();
  } else {
    identity = cast<ConstantAttr>(attr)->value;
  }
  auto key = std::find_if(objects_.begin(), objects_.end(),
                          [&](const Key& entry) { return entry.type_key == type_key; });
  if (key == objects_.end()) key = objects_.insert(key, Key{type_key, {}});
  auto found = std::find(key->objects.begin(), key->objects.end(), identity);
  const auto index = static_cast<size_t>(found - key->objects.begin());
  if (found == key->objects.end()) key->objects.push_back(identity);
  std::string text = "metadata[\"";
  text += type_key;
  text += "\"][";
  text += std::to_string(index);
  text += ']';
  return text;
}

}  // namespace tenon
