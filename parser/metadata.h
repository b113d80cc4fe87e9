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

/// What `metadata["type.key"][k]` stands for.
class MetadataTable {
 public:
  /// The object, or null when there is none of that key and index.
  const Attr* Find(std::string_view type_key, int64_t index) const;
  /// How many objects there are of that key.
  int64_t CountOf(std::string_view type_key) const;
  /// The objects of a key, in place of any before.
  void Set(std::string_view type_key, std::vector<const Attr*> objects) {
    objects_[std::string(type_key)] = std::move(objects);
  }

 private:
  friend class MetadataReader;
  absl::flat_hash_map<std::string, std::vector<const Attr*>> objects_;
};

/// Reads the inside of the literal in `metadata = tvm.ir.load_json("""...""")`: `body` as it stands
/// in the text, escapes and all, its first byte at `source_base` of the source manager's space. The
/// JSON graph of TVM's objects becomes attributes in `arena`: Map, Array, runtime.String, IntImm
/// and FloatImm what they are; runtime.NDArray a ConstantAttr with a Constant of its own; all
/// others an ObjectAttr whose fields, in alphabetical order, are typed by ir/record_schema.h.
/// Objects of types that it does not list keep numbers as IntAttr, other scalars as ObjectAttr of
/// the type "" with one field `text`, and what can only be references as attributes. A node that is
/// referred to twice becomes one attribute. The graph of TVM 0.24 and later is read by
/// parser/ffi_metadata.h.
///
/// Cycles, indices out of range, wrong types, broken base64 and arrays whose size is not that of
/// their shape are errors [metadata] at their place; so are graphs that would unfold to more than
/// kMostMetadataValues attributes. False if there was any; the table then has NoneAttr in place of
/// what is wrong.
bool ParseMetadata(Context& context, Arena& arena, std::string_view body, uint32_t source_base,
                   Diagnostics& diagnostics, MetadataTable* table);

/// A graph of n nodes that share each other can stand for 2^n values; every walk over attributes
/// would visit them all.
inline constexpr int64_t kMostMetadataValues = 20'000'000;
/// Objects within objects.
inline constexpr int64_t kMostMetadataDepth = 100'000;

}  // namespace tenon

#endif  // TENON_PARSER_METADATA_H_
