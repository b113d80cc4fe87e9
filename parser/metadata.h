#ifndef TENON_PARSER_METADATA_H_
#define TENON_PARSER_METADATA_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/attrs.h"
#include "ir/context.h"
#include "support/arena.h"
#include "support/diagnostics.h"

namespace tenon {

/// The objects that `metadata["type.key"][k]` refers to.
class MetadataTable {
 public:
  /// The object, or null if no object has that key and index.
  const Attr* Find(std::string_view type_key, int64_t index) const;
  /// The number of objects of that key.
  int64_t CountOf(std::string_view type_key) const;
  /// Sets the objects of a key, and replaces earlier ones.
  void Set(std::string_view type_key, std::vector<const Attr*> objects) {
    objects_[std::string(type_key)] = std::move(objects);
  }

  /// The version of TVM that wrote the metadata, if the reader kept it.
  const std::string& version() const { return version_; }
  void set_version(std::string version) { version_ = std::move(version); }

 private:
  friend class MetadataReader;
  std::string version_;
  absl::flat_hash_map<std::string, std::vector<const Attr*>> objects_;
};

/// Reads the contents of the literal in `metadata = tvm.ir.load_json("""...""")`: `body` as in the
/// text, with escapes, and with its first byte at `source_base` of the source manager's space. The
/// JSON graph of TVM's objects becomes attributes in `arena`. Map, Array, runtime.String, IntImm
/// and FloatImm become the attributes of these kinds. A runtime.NDArray becomes a ConstantAttr with
/// a separate Constant. All other objects become ObjectAttrs, whose fields, in alphabetical order,
/// are typed by ir/record_schema.h. For types that it does not list, numbers stay IntAttrs, other
/// scalars become ObjectAttrs of the type "" with one field `text`, and fields that can only be
/// references become attributes. A node that is referred to twice becomes one attribute.
/// parser/ffi_metadata.h reads the graph of TVM 0.24 and later.
///
/// Cycles, indices out of range, wrong types, broken base64 and arrays whose size does not match
/// their shape are errors [metadata] at their place. Graphs that would unfold to more than
/// kMostMetadataValues attributes are also errors. False if there was any; the table then has
/// NoneAttr in place of wrong objects.
bool ParseMetadata(Context& context, Arena& arena, std::string_view body, uint32_t source_base,
                   Diagnostics& diagnostics, MetadataTable* table);

/// The limit on values of a graph. A graph of n nodes that share each other can unfold to 2^n
/// values, which every walk over attributes would visit.
inline constexpr int64_t kMostMetadataValues = 20'000'000;
/// The limit on the depth of objects within objects.
inline constexpr int64_t kMostMetadataDepth = 100'000;

}  // namespace tenon

#endif  // TENON_PARSER_METADATA_H_
