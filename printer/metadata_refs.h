#ifndef TENON_PRINTER_METADATA_REFS_H_
#define TENON_PRINTER_METADATA_REFS_H_

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/attrs.h"
#include "ir/dialect.h"
#include "ir/expr.h"
#include "printer/metadata_text.h"

namespace tenon {

/// True for a text of several lines.
inline bool HasLines(std::string_view text) { return text.find('\n') != std::string_view::npos; }

/// Numbers the objects that print as `metadata["type.key"][k]`: by type key, in order of first use.
/// An object with unknown content keeps its number.
class MetadataCollector {
 public:
  /// `rules` name the types of objects, and must outlive the collector.
  explicit MetadataCollector(const DialectRules& rules) : rules_(rules) {}

  /// The reference to an ObjectAttr, ConstantAttr or StringAttr.
  std::string Reference(const Attr* attr);
  /// The reference to a text in an expression.
  std::string Reference(const StringImm* imm);
  /// From here on, texts of several lines become metadata objects, as in TVM, instead of escaped
  /// literals.
  void TakeTexts() { takes_texts_ = true; }
  bool takes_texts() const { return takes_texts_; }
  /// True if there were no references.
  bool empty() const { return objects_.empty() && !has_opaque_; }
  /// True if there was a reference to an object with unknown content.
  bool has_opaque() const { return has_opaque_; }
  /// The objects with references, for AppendMetadata.
  std::span<const MetadataObjects> objects() const { return objects_; }

 private:
  size_t KeyOf(std::string_view type_key);
  std::string ReferenceTo(const void* identity, std::string_view type_key, const Attr* attr);

  const DialectRules& rules_;
  std::vector<MetadataObjects> objects_;  ///< one per type key
  absl::flat_hash_map<const void*, size_t> index_;
  absl::flat_hash_map<std::string_view, const Attr*> strings_;  ///< the first of equal strings
  bool takes_texts_ = false;
  std::deque<ExprAttr> texts_;  ///< texts in expressions, as collected attributes
  bool has_opaque_ = false;
};

}  // namespace tenon

#endif  // TENON_PRINTER_METADATA_REFS_H_
