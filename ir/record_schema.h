#ifndef TENON_IR_RECORD_SCHEMA_H_
#define TENON_IR_RECORD_SCHEMA_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tenon {

/// The form of a field in TVM's JSON. All fields are strings in JSON. Only the type of the record
/// tells a number from a reference to another node.
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

/// The number of a text such as `12`; nullopt for other spellings of a number and for all other
/// text.
std::optional<int64_t> CanonicalInt(std::string_view text);

/// Tells references from numbers in records that RecordFieldsOf does not list, because TVM's text
/// does not. A field counts as a reference if each of its values is the index of a node, and one of
/// them is the index of a later node. TVM numbers a node when it first meets the node, so a node
/// that only one record refers to has a larger index than the record.
///
/// Where this rule would fail, the printer states the kind in `attrs` of the text, which TVM
/// ignores.
class UnlistedFields {
 public:
  /// Records that node `index` of `count` nodes holds `text` in a field. Null: not a string.
  void Add(std::string_view type_key, std::string_view field, const std::string* text, size_t index,
           size_t count);
  /// Reads an attribute of the whole text. Attributes other than AttributeKey's have no effect.
  void State(std::string_view attribute, std::string_view value);
  bool IsReference(std::string_view type_key, std::string_view field) const;

  /// Key and value of the attribute that states whether a field holds references.
  static std::string AttributeKey(std::string_view type_key, std::string_view field);
  static std::string_view AttributeValue(bool is_reference);

 private:
  struct Guess {
    bool all_indices = true;
    bool has_later = false;
    std::optional<bool> stated;
  };
  std::map<std::string, Guess, std::less<>> guesses_;  // by AttributeKey
};

}  // namespace tenon

#endif  // TENON_IR_RECORD_SCHEMA_H_
