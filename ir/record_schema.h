#ifndef TENON_IR_RECORD_SCHEMA_H_
#define TENON_IR_RECORD_SCHEMA_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace tenon {

/// How TVM's JSON stores a field. All are strings there, and only the type of the record tells a
/// number from a reference to another node.
enum class RecordFieldKind : uint8_t {
  kInt,        ///< IntAttr
  kBool,       ///< BoolAttr, "0" or "1"
  kText,       ///< StringAttr: a C++ string or a dtype
  kReference,  ///< any Attr; NoneAttr for null
  kNdArray,    ///< ConstantAttr; an index into the list of arrays
};

struct RecordField {
  std::string_view name;
  RecordFieldKind kind;
};

/// The fields of TVM's objects that occur in the metadata of lowered modules (ObjectAttr), in the
/// order in which TVM 0.15 visits them, which decides how it numbers nodes. Empty for other types.
std::span<const RecordField> RecordFieldsOf(std::string_view type_key);

}  // namespace tenon

#endif  // TENON_IR_RECORD_SCHEMA_H_
