#ifndef TENON_PARSER_ATTR_READER_H_
#define TENON_PARSER_ATTR_READER_H_

#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "parser/metadata.h"
#include "parser/values.h"

namespace tenon {

/// Values of attributes and annotations, and the objects of `metadata`.
class AttrReader {
 public:
  AttrReader(ParseEnv& env, Values& values) : env_(env), values_(values) {}

  /// Null after an error. `normalise`: numbers become expressions, as in TVM's attributes of
  /// functions and loops.
  const Attr* ToAttr(const PyValue& value, bool normalise);
  const MapAttr* ToMap(const PyValue& value, bool normalise);
  /// An object of TVM's with these fields; null if one of them is null.
  using NamedAttr = std::pair<std::string_view, const Attr*>;
  const Attr* Record(std::string_view type_key, std::span<const NamedAttr> fields,
                     SourceRange range);
  const Attr* Record(std::string_view type_key, std::initializer_list<NamedAttr> fields,
                     SourceRange range) {
    return Record(type_key, std::span(fields.begin(), fields.end()), range);
  }

  /// Reads the literal of `metadata = tvm.ir.load_json("""...""")`, whose contents start at
  /// `begin`.
  void ReadMetadata(std::string_view literal, uint32_t begin, SourceRange name);
  /// `metadata["type.key"][index]`.
  PyValue MetadataItem(const PyValue& key, const PyValue& index, SourceRange range);
  /// The object, or null.
  const Attr* FindMetadata(std::string_view type_key, int64_t index) const {
    return metadata_ == nullptr ? nullptr : metadata_->Find(type_key, index);
  }

 private:
  ParseEnv& env_;
  Values& values_;
  std::unique_ptr<MetadataTable> metadata_;
};

}  // namespace tenon

#endif  // TENON_PARSER_ATTR_READER_H_
