#ifndef TENON_PRINTER_METADATA_REFS_H_
#define TENON_PRINTER_METADATA_REFS_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/attrs.h"

namespace tenon {

/// Numbers the objects that print as `metadata["type.key"][k]`: by type key, in order of first use.
class MetadataCollector {
 public:
  /// The reference to an ObjectAttr or ConstantAttr.
  std::string Reference(const Attr* attr);
  bool empty() const { return objects_.empty(); }

 private:
  struct Key {
    std::string_view type_key;
    std::vector<const void*> objects;
  };
  std::vector<Key> objects_;
};

}  // namespace tenon

#endif  // TENON_PRINTER_METADATA_REFS_H_
