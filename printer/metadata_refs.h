#ifndef TENON_PRINTER_METADATA_REFS_H_
#define TENON_PRINTER_METADATA_REFS_H_

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/attrs.h"
#include "ir/expr.h"
#include "printer/metadata_text.h"

namespace tenon {

/// A text of several lines.
inline bool HasLines(std::string_view text) { return text.find('\n') != std::string_view::npos; }

/// Numbers the objects that print as `metadata["type.key"][k]`: by type key, in order of first use.
/// An object whose content is not known keeps the number it had.
class MetadataCollector {
 public:
  /// The reference to an ObjectAttr, ConstantAttr or StringAttr.
  std::string Reference(const Attr* attr);
  /// The reference to a text in an expression.
  std::string Reference(const StringImm* imm);
  /// From here on, texts of several lines are objects of the metadata, as in TVM, and are not
  /// escaped in their place.
  void TakeTexts() { takes_texts_ = true; }
  bool takes_texts() const { return takes_texts_; }
  /// Was there no reference?
  bool empty() const { return objects_.empty() && !has_opaque_; }
  /// Was there one to an object whose content is not known?
  bool has_opaque() const { return has_opaque_; }
  /// What was referred to, for AppendMetadata.
  std::span<const MetadataObjects> objects() const { return objects_; }

 private:
  size_t KeyOf(std::string_view type_key);
  std::string ReferenceTo(const void* identity, std::string_view type_key, const Attr* attr);

  std::vector<MetadataObjects> objects_;  ///< one a type key
  absl::flat_hash_map<const void*, size_t> index_;
  bool takes_texts_ = false;
  std::deque<ExprAttr> texts_;  ///< texts in expressions, as the attributes that are collected
  bool has_opaque_ = false;
};

}  // namespace tenon

#endif  // TENON_PRINTER_METADATA_REFS_H_
